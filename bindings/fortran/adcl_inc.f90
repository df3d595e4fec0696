!> The external procedures behind ADCL.inc: where its interfaces cannot be bound to C directly.
module adcl_inc_support
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_procpointer, c_funloc, c_funptr, c_int, c_null_funptr
  implicit none
  private
  public :: integer_work_function, work_address, work_caller

  abstract interface
    !> A work function as programs with integer handles write it.
    subroutine integer_work_function(request)
      integer :: request
    end subroutine
  end interface

contains

  type(c_funptr) function work_address(fn)
    procedure(integer_work_function) :: fn
    procedure(integer_work_function) :: ADCL_NULL_FUNCTION
    work_address = c_funloc(fn)
    if (c_associated(work_address, c_funloc(ADCL_NULL_FUNCTION))) work_address = c_null_funptr
  end function

  type(c_funptr) function work_caller()
    work_caller = c_funloc(call_integer_work_function)
  end function

  subroutine call_integer_work_function(fn, request) bind(C, name='adcl_f_call_integer_work_function')
    type(c_funptr), value :: fn
    integer(c_int), intent(in) :: request
    procedure(integer_work_function), pointer :: work
    integer :: own_copy
    call c_f_procpointer(fn, work)
    own_copy = request
    call work(own_copy)
  end subroutine

end module adcl_inc_support

!> Stands for a work function that is not there.
subroutine ADCL_NULL_FUNCTION(request)
  implicit none
  integer :: request
  if (request == 0) return
end subroutine

subroutine ADCL_Initialized(flag, ierror)
  use adcl_environment, only: initialized => ADCL_Initialized
  implicit none
  logical, intent(out) :: flag
  integer, intent(out) :: ierror
  call initialized(flag, ierror)
end subroutine

function ADCL_Error_string(code) result(text)
  use adcl_environment, only: error_string => ADCL_Error_string
  implicit none
  integer, intent(in) :: code
  character(len=:), allocatable :: text
  text = error_string(code)
end function

function ADCL_Last_error() result(text)
  use adcl_environment, only: last_error => ADCL_Last_error
  implicit none
  character(len=:), allocatable :: text
  text = last_error()
end function

subroutine ADCL_Function_create(fn, attrset, values, name, func, ierror)
  use adcl_inc_support, only: integer_work_function, work_address, work_caller
  use adcl_work_shims, only: shim_function_create
  implicit none
  procedure(integer_work_function) :: fn
  integer, intent(in) :: attrset
  integer, dimension(..), intent(in) :: values
  character(len=*), intent(in) :: name
  integer, intent(out) :: func, ierror
  ierror = shim_function_create(work_address(fn), work_caller(), attrset, values, name, func)
end subroutine

subroutine ADCL_Function_create_async(init_fn, wait_fn, attrset, values, name, func, ierror)
  use adcl_inc_support, only: integer_work_function, work_address, work_caller
  use adcl_work_shims, only: shim_function_create_async
  implicit none
  procedure(integer_work_function) :: init_fn, wait_fn
  integer, intent(in) :: attrset
  integer, dimension(..), intent(in) :: values
  character(len=*), intent(in) :: name
  integer, intent(out) :: func, ierror
  ierror = shim_function_create_async(work_address(init_fn), work_address(wait_fn), work_caller(), attrset, values, &
                                      name, func)
end subroutine

subroutine ADCL_Fnctset_create_single(init_fn, wait_fn, attrset, name, excluded, nexcluded, set, ierror)
  use adcl_inc_support, only: integer_work_function, work_address, work_caller
  use adcl_work_shims, only: shim_fnctset_create_single
  implicit none
  procedure(integer_work_function) :: init_fn, wait_fn
  integer, intent(in) :: attrset
  character(len=*), intent(in) :: name
  integer, dimension(..), intent(in) :: excluded
  integer, intent(in) :: nexcluded
  integer, intent(out) :: set, ierror
  ierror = shim_fnctset_create_single(work_address(init_fn), work_address(wait_fn), work_caller(), attrset, name, &
                                      excluded, nexcluded, set)
end subroutine

subroutine ADCL_Request_test(req, flag, ierror)
  use adcl_work_shims, only: shim_request_test
  implicit none
  integer, intent(in) :: req
  logical, intent(out) :: flag
  integer, intent(out) :: ierror
  integer :: flag_c
  ierror = shim_request_test(req, flag_c)
  flag = flag_c /= 0
end subroutine

subroutine ADCL_Request_start_overlap(req, mid_fn, end_fn, total_fn, ierror)
  use adcl_inc_support, only: integer_work_function, work_address, work_caller
  use adcl_work_shims, only: shim_request_start_overlap
  implicit none
  integer, intent(in) :: req
  procedure(integer_work_function) :: mid_fn, end_fn, total_fn
  integer, intent(out) :: ierror
  ierror = shim_request_start_overlap(req, work_address(mid_fn), work_address(end_fn), work_address(total_fn), &
                                      work_caller())
end subroutine
