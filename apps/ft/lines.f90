!> Fourier transforms of lines of points by FFTW. One plan per length transforms each line separately, so a line's
!> result is bitwise independent of a rank's number of lines.
module lines
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use fftw
  implicit none
  private
  public :: make_transform, free_transform, transform_lines

  integer, parameter, public :: forward = 1, backward = 2

  type, public :: line_transform
    integer :: length = 0
    type(c_ptr) :: plans(2) = c_null_ptr
  end type

contains

  !> \p points is the array that will be transformed; its values do not change.
  subroutine make_transform(this, length, points)
    type(line_transform), intent(out) :: this
    integer, intent(in) :: length
    complex(real64), target, intent(inout) :: points(length)
    this%length = length
    ! Use estimated plans: measured plans may differ between ranks and runs, and then the last bits differ too.
    this%plans(forward) = fftw_plan_dft_1d(int(length, c_int), c_loc(points), c_loc(points), FFTW_FORWARD, &
                                            FFTW_ESTIMATE)
    this%plans(backward) = fftw_plan_dft_1d(int(length, c_int), c_loc(points), c_loc(points), FFTW_BACKWARD, &
                                            FFTW_ESTIMATE)
    if (.not. (c_associated(this%plans(forward)) .and. c_associated(this%plans(backward)))) then
      error stop 'FFTW has no plan for this length'
    end if
  end subroutine

  subroutine free_transform(this)
    type(line_transform), intent(inout) :: this
    integer :: i
    do i = 1, size(this%plans)
      if (c_associated(this%plans(i))) call fftw_destroy_plan(this%plans(i))
      this%plans(i) = c_null_ptr
    end do
  end subroutine

  !> Neither direction divides by the length. \p points are whole lines, one after the other. They need the same memory
  !> alignment as in make_transform.
  subroutine transform_lines(this, direction, points)
    type(line_transform), intent(in) :: this
    integer, intent(in) :: direction
    complex(real64), target, intent(inout), contiguous :: points(:)
    integer(int64) :: at
    do at = 1, size(points, kind=int64), this%length
      call fftw_execute_dft(this%plans(direction), c_loc(points(at)), c_loc(points(at)))
    end do
  end subroutine

end module lines
