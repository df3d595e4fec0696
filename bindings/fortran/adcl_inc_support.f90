!> Work functions of programs with integer handles.
module adcl_inc_support
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_procpointer, c_funloc, c_funptr, c_int, c_null_funptr
  implicit none
  private
  public :: integer_work_function, work_address, work_caller

  abstract interface
    !> A work function in a program with integer handles.
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

!> Represents an absent work function, in programs with integer handles.
subroutine ADCL_NULL_FUNCTION(request)
  implicit none
  integer :: request
  if (request == 0) return
end subroutine
