!> The exact solution: a Gaussian pulse in density that the flow transports, with the same velocity and pressure
!> everywhere. Values are means over cells.
module pulse
  use, intrinsic :: iso_fortran_env, only: real64
  use block, only: case_flow, case_walls, cell_block
  use gas, only: variables
  implicit none
  private
  public :: surroundings, pulse_density, pulse_mass

  real(real64), parameter :: amplitude = 0.5_real64, centre = 0.5_real64

contains

  !> The gas far from the pulse. Walls are at both ends of the second direction; nothing flows through them.
  pure function surroundings(kind) result(w)
    integer, intent(in) :: kind
    real(real64) :: w(variables)
    w = 1
    if (kind == case_walls) w(3) = 0
  end function

  !> Mean over the interval from \p low to \p high of a pulse of \p width at \p at.
  elemental function mean(low, high, at, width) result(value)
    real(real64), intent(in) :: low, high, at, width
    real(real64) :: value, scale
    scale = sqrt(2.0_real64)*width
    value = sqrt(acos(-1.0_real64))/2*scale*(erf((high - at)/scale) - erf((low - at)/scale))/(high - low)
  end function

  !> Profile along direction \p d. Walls reflect a pulse in the middle between them into its periodic image.
  function profile(this, d, time) result(values)
    type(cell_block), intent(in) :: this
    integer, intent(in) :: d
    real(real64), intent(in) :: time
    real(real64) :: values(this%cells(d))
    real(real64) :: flow(variables), at, low
    integer :: i, image, images
    flow = surroundings(this%kind)
    at = centre + time*flow(1 + d)
    images = 0
    if (this%kind /= case_flow) then
      at = at - floor(at)
      images = 2
    end if
    do i = 1, this%cells(d)
      low = (this%first(d) + i - 1)*this%widths(d)
      values(i) = 0
      do image = -images, images
        values(i) = values(i) + mean(low, low + this%widths(d), at + image, this%pulse)
      end do
    end do
  end function

  !> Mass that the pulse adds to the domain if it is completely inside.
  pure real(real64) function pulse_mass(this) result(mass)
    type(cell_block), intent(in) :: this
    mass = amplitude*(sqrt(2*acos(-1.0_real64))*this%pulse)**3
  end function

  subroutine pulse_density(this, time, density)
    type(cell_block), intent(in) :: this
    real(real64), intent(in) :: time
    real(real64), intent(out) :: density(this%cells(1), this%cells(2), this%cells(3))
    real(real64) :: x(this%cells(1)), y(this%cells(2)), z(this%cells(3)), flow(variables)
    integer :: j, k
    flow = surroundings(this%kind)
    x = profile(this, 1, time)
    y = profile(this, 2, time)
    z = profile(this, 3, time)
    do k = 1, this%cells(3)
      do j = 1, this%cells(2)
        density(:, j, k) = flow(1) + amplitude*x*(y(j)*z(k))
      end do
    end do
  end subroutine

end module pulse
