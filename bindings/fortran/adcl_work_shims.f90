!> The C side of the calls that take work functions or return a logical; both interfaces of the library stand on it.
module adcl_work_shims
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int
  implicit none
  private :: c_char, c_funptr, c_int

  interface
    integer(c_int) function shim_function_create(fn, caller, attrset, values, name, func) &
      bind(C, name='adcl_f_function_create')
      import :: c_char, c_funptr, c_int
      type(c_funptr), value :: fn, caller
      integer(c_int), intent(in) :: attrset
      integer(c_int), dimension(..), intent(in) :: values
      character(len=*, kind=c_char), intent(in) :: name
      integer(c_int), intent(out) :: func
    end function

    integer(c_int) function shim_function_create_async(init_fn, wait_fn, caller, attrset, values, name, func) &
      bind(C, name='adcl_f_function_create_async')
      import :: c_char, c_funptr, c_int
      type(c_funptr), value :: init_fn, wait_fn, caller
      integer(c_int), intent(in) :: attrset
      integer(c_int), dimension(..), intent(in) :: values
      character(len=*, kind=c_char), intent(in) :: name
      integer(c_int), intent(out) :: func
    end function

    integer(c_int) function shim_fnctset_create_single(init_fn, wait_fn, caller, attrset, name, excluded, nexcluded, &
                                                       set) bind(C, name='adcl_f_fnctset_create_single')
      import :: c_char, c_funptr, c_int
      type(c_funptr), value :: init_fn, wait_fn, caller
      integer(c_int), intent(in) :: attrset
      character(len=*, kind=c_char), intent(in) :: name
      integer(c_int), dimension(..), intent(in) :: excluded
      integer(c_int), intent(in) :: nexcluded
      integer(c_int), intent(out) :: set
    end function

    integer(c_int) function shim_request_start_overlap(request, mid_fn, end_fn, total_fn, caller) &
      bind(C, name='adcl_f_request_start_overlap')
      import :: c_funptr, c_int
      integer(c_int), intent(in) :: request
      type(c_funptr), value :: mid_fn, end_fn, total_fn, caller
    end function

    integer(c_int) function shim_request_test(request, flag) bind(C, name='adcl_f_request_test')
      import :: c_int
      integer(c_int), intent(in) :: request
      integer(c_int), intent(out) :: flag
    end function
  end interface
end module adcl_work_shims
