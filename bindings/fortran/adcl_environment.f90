!> Environment, texts of errors, and vmaps.
module adcl_environment
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_ptr
  use adcl_types, only: ADCL_Vmap
  implicit none
  private
  public :: ADCL_Init, ADCL_Finalize, ADCL_Initialized, ADCL_Get_version, ADCL_Option_set, ADCL_Option_get
  public :: ADCL_Error_string, ADCL_Last_error
  public :: ADCL_Vmap_halo_allocate, ADCL_Vmap_halo_allocate_generic, ADCL_Vmap_graph_allocate, ADCL_Vmap_free

  interface
    subroutine ADCL_Init(ierror) bind(C, name='adcl_f_init')
      import :: c_int
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Finalize(ierror) bind(C, name='adcl_f_finalize')
      import :: c_int
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Get_version(major, minor, patch, ierror) bind(C, name='adcl_f_get_version')
      import :: c_int
      integer(c_int), intent(out) :: major, minor, patch
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Option_set(name, value, ierror) bind(C, name='adcl_f_option_set')
      import :: c_char, c_int
      character(len=*, kind=c_char), intent(in) :: name, value
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    !> ADCL_ERR_ARGUMENT when \p value is too short for the option's value.
    subroutine ADCL_Option_get(name, value, ierror) bind(C, name='adcl_f_option_get')
      import :: c_char, c_int
      character(len=*, kind=c_char), intent(in) :: name
      character(len=*, kind=c_char), intent(out) :: value
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Vmap_halo_allocate(hwidth, vmap, ierror) bind(C, name='adcl_f_vmap_halo_allocate')
      import :: c_int, ADCL_Vmap
      integer(c_int), intent(in) :: hwidth
      type(ADCL_Vmap), intent(out) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Vmap_halo_allocate_generic(ndims, lwidths, rwidths, vmap, ierror) &
      bind(C, name='adcl_f_vmap_halo_allocate_generic')
      import :: c_int, ADCL_Vmap
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: lwidths, rwidths
      type(ADCL_Vmap), intent(out) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    !> The grid points are counted from 1 in the order of the vector's elements, each with its nc entries.
    subroutine ADCL_Vmap_graph_allocate(nsend, scounts, sindices, nrecv, rcounts, rindices, vmap, ierror) &
      bind(C, name='adcl_f_vmap_graph_allocate')
      import :: c_int, ADCL_Vmap
      integer(c_int), intent(in) :: nsend, nrecv
      integer(c_int), dimension(..), intent(in) :: scounts, sindices, rcounts, rindices
      type(ADCL_Vmap), intent(out) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Vmap_free(vmap, ierror) bind(C, name='adcl_f_vmap_free')
      import :: c_int, ADCL_Vmap
      type(ADCL_Vmap), intent(inout) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface
    integer(c_int) function shim_initialized(flag) bind(C, name='adcl_f_initialized')
      import :: c_int
      integer(c_int), intent(out) :: flag
    end function

    type(c_ptr) function shim_error_string(code, length) bind(C, name='adcl_f_error_string')
      import :: c_int, c_ptr
      integer(c_int), intent(in) :: code
      integer(c_int), intent(out) :: length
    end function

    type(c_ptr) function shim_last_error(length) bind(C, name='adcl_f_last_error')
      import :: c_int, c_ptr
      integer(c_int), intent(out) :: length
    end function
  end interface

contains

  subroutine ADCL_Initialized(flag, ierror)
    logical, intent(out) :: flag
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: flag_c, code
    code = shim_initialized(flag_c)
    flag = flag_c /= 0
    if (present(ierror)) ierror = code
  end subroutine

  !> A short English text for a result code.
  function ADCL_Error_string(code) result(text)
    integer(c_int), intent(in) :: code
    character(len=:), allocatable :: text
    integer(c_int) :: length
    type(c_ptr) :: address
    address = shim_error_string(code, length)
    text = text_at(address, length)
  end function

  !> What the last failed call of this thread objected to; empty when none failed.
  function ADCL_Last_error() result(text)
    character(len=:), allocatable :: text
    integer(c_int) :: length
    type(c_ptr) :: address
    address = shim_last_error(length)
    text = text_at(address, length)
  end function

  function text_at(address, length) result(text)
    type(c_ptr), intent(in) :: address
    integer(c_int), intent(in) :: length
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    call c_f_pointer(address, characters, [length])
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function

end module adcl_environment
