!> The heat equation in Fourier space: each wave after some steps, and the checksum of points.
module spectrum
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use decomposition
  use problem
  use random_numbers
  implicit none
  private
  public :: initial_points, evolve, sampled_sums, checksum_of

  real(real64), parameter :: alpha = 1e-6_real64, pi = 3.141592653589793238_real64
  integer, parameter :: samples = 1024

  !> Sums use integers, so that they do not depend on the order of the additions: real and imaginary parts in units of
  !> 2^-50, and the number of points that exceed the range.
  integer, parameter, public :: sums = 3
  real(real64), parameter :: unit = 2.0_real64**(-50), most = 8

contains

  !> Sets the initial points in the layout along x.
  subroutine initial_points(grid, points)
    type(process_grid), intent(in) :: grid
    complex(real64), contiguous, intent(inout) :: points(:)
    integer(int64) :: at, line
    integer :: y, z, first(2)
    associate (n => grid%class%points)
      first = block_first(n(2:3), grid%processes, grid%coordinates)
      at = 0
      do z = first(2), first(2) + points_along(grid, 3, 2) - 1
        do y = first(1), first(1) + points_along(grid, 2, 1) - 1
          line = y + int(n(2), int64)*z
          call random_fill(random_state(2*n(1)*line), points(at + 1:at + n(1)))
          at = at + n(1)
        end do
      end do
    end associate
  end subroutine

  !> exp(-4 alpha pi^2 k^2 step) for all waves of direction \p d, including those of other processes: exponentials in a
  !> vector loop and in its remainder may differ in the last bits.
  pure function decay(grid, d, step) result(factors)
    type(process_grid), intent(in) :: grid
    integer, intent(in) :: d, step
    real(real64) :: factors(0:grid%class%points(d) - 1)
    integer :: i, wave
    do i = 0, ubound(factors, 1)
      wave = merge(i, i - size(factors), i < size(factors)/2)
      factors(i) = exp(-4*alpha*pi**2*wave**2*step)
    end do
  end function

  !> Computes \p waves (in the layout along z) after \p step steps, divided by the number of points, as the backward
  !> transforms require.
  subroutine evolve(grid, step, waves, evolved)
    type(process_grid), intent(in) :: grid
    integer, intent(in) :: step
    complex(real64), contiguous, intent(in) :: waves(:)
    complex(real64), contiguous, intent(inout) :: evolved(:)
    real(real64) :: along_x(0:grid%class%points(1) - 1), along_y(0:grid%class%points(2) - 1)
    real(real64) :: along_z(grid%class%points(3))
    integer(int64) :: at
    integer :: x, y, nz, first(2)
    first = block_first(grid%class%points(1:2), grid%processes, grid%coordinates)
    nz = size(along_z)
    along_x = decay(grid, 1, step)
    along_y = decay(grid, 2, step)/real(points_of(grid%class), real64)
    along_z = decay(grid, 3, step)
    at = 0
    do y = first(2), first(2) + points_along(grid, 2, 2) - 1
      do x = first(1), first(1) + points_along(grid, 1, 1) - 1
        evolved(at + 1:at + nz) = waves(at + 1:at + nz)*(along_z*(along_x(x)*along_y(y)))
        at = at + nz
      end do
    end do
  end subroutine

  !> Sums over the local points (in the layout along x) among the 1024 points of the specification.
  pure function sampled_sums(grid, points) result(found)
    type(process_grid), intent(in) :: grid
    complex(real64), contiguous, intent(in) :: points(:)
    integer(int64) :: found(sums)
    complex(real64) :: point
    integer :: j, first(2), here(2), at(3)
    first = block_first(grid%class%points(2:3), grid%processes, grid%coordinates)
    here = [points_along(grid, 2, 1), points_along(grid, 3, 2)]
    found = 0
    do j = 1, samples
      at = mod([1, 3, 5]*j, grid%class%points)
      at(2:3) = at(2:3) - first
      if (any(at(2:3) < 0 .or. at(2:3) >= here)) cycle
      point = points(1 + at(1) + int(grid%class%points(1), int64)*(at(2) + int(here(1), int64)*at(3)))
      if (abs(real(point)) <= most .and. abs(aimag(point)) <= most) then
        found = found + [nint(real(point)/unit, int64), nint(aimag(point)/unit, int64), 0_int64]
      else
        found(3) = found(3) + 1  ! also counts values that are not a number
      end if
    end do
  end function

  !> Checksum from the sums of all processes; larger than any published checksum if a point exceeded the range.
  pure complex(real64) function checksum_of(total) result(checksum)
    integer(int64), intent(in) :: total(sums)
    checksum = cmplx(total(1), total(2), real64)*unit
    if (total(3) > 0) checksum = huge(unit)
  end function

end module spectrum
