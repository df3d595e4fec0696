!> The part of FFTW 3 (fftw3.h) that this program uses. The interface that comes with FFTW declares input and output as
!> two arrays, which Fortran does not allow to be the same; the addresses here may be equal.
module fftw
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  implicit none
  private
  public :: fftw_plan_dft_1d, fftw_execute_dft, fftw_destroy_plan

  integer(c_int), parameter, public :: FFTW_FORWARD = -1, FFTW_BACKWARD = 1, FFTW_ESTIMATE = 64

  interface
    type(c_ptr) function fftw_plan_dft_1d(n, in, out, sign, flags) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: n, sign, flags
      type(c_ptr), value :: in, out
    end function
    subroutine fftw_execute_dft(plan, in, out) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan, in, out
    end subroutine
    subroutine fftw_destroy_plan(plan) bind(C)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
  end interface
end module fftw
