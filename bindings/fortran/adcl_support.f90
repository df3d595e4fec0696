!> Helpers for the generated procedures: Fortran work functions and C strings.
module adcl_support
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_f_procpointer, c_funloc, c_funptr, &
                                         c_null_funptr, c_ptr, c_size_t
  use adcl_types, only: ADCL_Request
  implicit none
  private
  public :: ADCL_work_function, ADCL_NULL_FUNCTION, work_address, work_caller
  public :: text_at

  abstract interface
    !> A codelet, or another work function: an external or module procedure, because the library may call it after the
    !> program unit that passed it has returned.
    subroutine ADCL_work_function(request)
      import :: ADCL_Request
      type(ADCL_Request), intent(in) :: request
    end subroutine
  end interface

  interface
    integer(c_size_t) function c_strlen(text) bind(C, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface

contains

  !> Represents an absent work function.
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

  !> Returns the text of a null-terminated C string.
  function text_at(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i, length
    length = int(c_strlen(address))
    call c_f_pointer(address, characters, [length])
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function
end module adcl_support
