!> Attributes, functions and function sets: the user's own codelets.
module adcl_functions
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_funloc, c_funptr, c_int, c_null_funptr, &
                                         c_f_procpointer
  use adcl_types, only: ADCL_Attribute, ADCL_Attrset, ADCL_Function, ADCL_Fnctset, ADCL_Request, ADCL_work_function
  use adcl_work_shims
  implicit none
  private
  public :: ADCL_Attribute_create, ADCL_Attribute_free, ADCL_Attrset_create, ADCL_Attrset_free
  public :: ADCL_Function_create, ADCL_Function_create_async, ADCL_Function_free
  public :: ADCL_Fnctset_create, ADCL_Fnctset_create_single, ADCL_Fnctset_free, ADCL_Fnctset_set_sharing
  public :: ADCL_Fnctset_set_similarity
  public :: ADCL_NULL_FUNCTION
  public :: work_address, work_caller

  interface
    subroutine ADCL_Attribute_create(nvalues, values, value_names, name, attr, ierror) &
      bind(C, name='adcl_f_attribute_create')
      import :: c_char, c_int, ADCL_Attribute
      integer(c_int), intent(in) :: nvalues
      integer(c_int), dimension(..), intent(in) :: values
      character(len=*, kind=c_char), dimension(..), intent(in) :: value_names
      character(len=*, kind=c_char), intent(in) :: name
      type(ADCL_Attribute), intent(out) :: attr
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Attribute_free(attr, ierror) bind(C, name='adcl_f_attribute_free')
      import :: c_int, ADCL_Attribute
      type(ADCL_Attribute), intent(inout) :: attr
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Attrset_create(n, attrs, attrset, ierror) bind(C, name='adcl_f_attrset_create')
      import :: c_int, ADCL_Attribute, ADCL_Attrset
      integer(c_int), intent(in) :: n
      type(ADCL_Attribute), dimension(..), intent(in) :: attrs
      type(ADCL_Attrset), intent(out) :: attrset
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Attrset_free(attrset, ierror) bind(C, name='adcl_f_attrset_free')
      import :: c_int, ADCL_Attrset
      type(ADCL_Attrset), intent(inout) :: attrset
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Function_free(func, ierror) bind(C, name='adcl_f_function_free')
      import :: c_int, ADCL_Function
      type(ADCL_Function), intent(inout) :: func
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Fnctset_create(n, funcs, name, set, ierror) bind(C, name='adcl_f_fnctset_create')
      import :: c_char, c_int, ADCL_Fnctset, ADCL_Function
      integer(c_int), intent(in) :: n
      type(ADCL_Function), dimension(..), intent(in) :: funcs
      character(len=*, kind=c_char), intent(in) :: name
      type(ADCL_Fnctset), intent(out) :: set
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Fnctset_set_sharing(set, sharing, ierror) bind(C, name='adcl_f_fnctset_set_sharing')
      import :: c_int, ADCL_Fnctset
      type(ADCL_Fnctset), intent(in) :: set
      integer(c_int), intent(in) :: sharing
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    !> \p fn is C_FUNLOC of a function
    !>   real(c_double) function distance(n, names, here, there) bind(C)
    !>     integer(c_int), value :: n
    !>     type(c_ptr), intent(in) :: names(n)           (C strings, such as "bytes_out")
    !>     real(c_double), intent(in) :: here(n), there(n)
    !> as ADCL.h describes; C_NULL_FUNPTR: the library's own distance.
    subroutine ADCL_Fnctset_set_similarity(set, fn, ierror) bind(C, name='adcl_f_fnctset_set_similarity')
      import :: c_funptr, c_int, ADCL_Fnctset
      type(ADCL_Fnctset), intent(in) :: set
      type(c_funptr), intent(in), value :: fn
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Fnctset_free(set, ierror) bind(C, name='adcl_f_fnctset_free')
      import :: c_int, ADCL_Fnctset
      type(ADCL_Fnctset), intent(inout) :: set
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

contains

  !> \p values has one value per attribute of \p attrset; with ADCL_ATTRSET_NULL it is not looked at.
  subroutine ADCL_Function_create(fn, attrset, values, name, func, ierror)
    procedure(ADCL_work_function) :: fn
    type(ADCL_Attrset), intent(in) :: attrset
    integer(c_int), dimension(..), intent(in) :: values
    character(len=*), intent(in) :: name
    type(ADCL_Function), intent(out) :: func
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code
    code = shim_function_create(work_address(fn), work_caller(), attrset%ADCL_VAL, values, name, func%ADCL_VAL)
    if (present(ierror)) ierror = code
  end subroutine

  subroutine ADCL_Function_create_async(init_fn, wait_fn, attrset, values, name, func, ierror)
    procedure(ADCL_work_function) :: init_fn, wait_fn
    type(ADCL_Attrset), intent(in) :: attrset
    integer(c_int), dimension(..), intent(in) :: values
    character(len=*), intent(in) :: name
    type(ADCL_Function), intent(out) :: func
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code
    code = shim_function_create_async(work_address(init_fn), work_address(wait_fn), work_caller(), &
                                      attrset%ADCL_VAL, values, name, func%ADCL_VAL)
    if (present(ierror)) ierror = code
  end subroutine

  !> \p wait_fn may be ADCL_NULL_FUNCTION. \p excluded has one column of attribute values per combination.
  subroutine ADCL_Fnctset_create_single(init_fn, wait_fn, attrset, name, excluded, nexcluded, set, ierror)
    procedure(ADCL_work_function) :: init_fn, wait_fn
    type(ADCL_Attrset), intent(in) :: attrset
    character(len=*), intent(in) :: name
    integer(c_int), dimension(..), intent(in) :: excluded
    integer(c_int), intent(in) :: nexcluded
    type(ADCL_Fnctset), intent(out) :: set
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code
    code = shim_fnctset_create_single(work_address(init_fn), work_address(wait_fn), work_caller(), &
                                      attrset%ADCL_VAL, name, excluded, nexcluded, set%ADCL_VAL)
    if (present(ierror)) ierror = code
  end subroutine

  !> Stands for a work function that is not there.
  subroutine ADCL_NULL_FUNCTION(request)
    type(ADCL_Request), intent(in) :: request
    if (request%ADCL_VAL == 0) return
  end subroutine

  type(c_funptr) function work_address(fn)
    procedure(ADCL_work_function) :: fn
    work_address = c_funloc(fn)
    if (c_associated(work_address, c_funloc(ADCL_NULL_FUNCTION))) work_address = c_null_funptr
  end function

  type(c_funptr) function work_caller()
    work_caller = c_funloc(call_work_function)
  end function

  subroutine call_work_function(fn, request) bind(C, name='adcl_f_call_work_function')
    type(c_funptr), value :: fn
    type(ADCL_Request), intent(in) :: request
    procedure(ADCL_work_function), pointer :: work
    call c_f_procpointer(fn, work)
    call work(request)
  end subroutine

end module adcl_functions
