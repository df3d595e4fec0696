!> An ideal gas in the primitive variables density, velocity (3) and pressure, and its flux through a face. The
!> conserved variables are density, momentum (3) and energy, all per volume.
module gas
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: conserved_of, primitive_of, limited, time_derivative, roe_flux, signal_speed

  integer, parameter, public :: variables = 5
  real(real64), parameter, public :: gamma = 1.4_real64

contains

  pure function conserved_of(w) result(u)
    real(real64), intent(in) :: w(variables)
    real(real64) :: u(variables)
    u(1) = w(1)
    u(2:4) = w(1)*w(2:4)
    u(5) = w(5)/(gamma - 1) + 0.5_real64*w(1)*(w(2)*w(2) + w(3)*w(3) + w(4)*w(4))
  end function

  pure function primitive_of(u) result(w)
    real(real64), intent(in) :: u(variables)
    real(real64) :: w(variables)
    w(1) = u(1)
    w(2:4) = u(2:4)/u(1)
    w(5) = (gamma - 1)*(u(5) - 0.5_real64*(u(2)*w(2) + u(3)*w(3) + u(4)*w(4)))
  end function

  !> Sweby's limiter of two slopes.
  elemental function limited(a, b) result(slope)
    real(real64), intent(in) :: a, b
    real(real64) :: slope
    real(real64), parameter :: phi = 1.5_real64
    slope = 0
    if (a*b > 0) slope = sign(max(min(abs(a), phi*abs(b)), min(phi*abs(a), abs(b))), a)
  end function

  !> Cauchy-Kovalevskaya: the equations, solved for the time derivative. Column d of the slopes is the derivative along
  !> d.
  pure function time_derivative(w, slopes) result(rate)
    real(real64), intent(in) :: w(variables), slopes(variables, 3)
    real(real64) :: rate(variables)
    real(real64) :: divergence
    divergence = slopes(2, 1) + slopes(3, 2) + slopes(4, 3)
    rate = -(w(2)*slopes(:, 1) + w(3)*slopes(:, 2) + w(4)*slopes(:, 3))
    rate(1) = rate(1) - w(1)*divergence
    rate(2:4) = rate(2:4) - slopes(5, :)/w(1)
    rate(5) = rate(5) - gamma*w(5)*divergence
  end function

  !> Sum over the directions of the fastest signal speed divided by the cell width; its inverse limits the time step.
  pure function signal_speed(w, widths) result(speed)
    real(real64), intent(in) :: w(variables), widths(3)
    real(real64) :: speed
    real(real64) :: sound
    sound = sqrt(gamma*w(5)/w(1))
    speed = (abs(w(2)) + sound)/widths(1) + (abs(w(3)) + sound)/widths(2) + (abs(w(4)) + sound)/widths(3)
  end function

  !> Roe's flux along \p d between the states left and right of a face.
  pure subroutine roe_flux(left, right, d, flux)
    real(real64), intent(in) :: left(variables), right(variables)
    integer, intent(in) :: d
    real(real64), intent(out) :: flux(variables)
    real(real64) :: energy_l, energy_r, root_l, root_r, share, u, v, w, enthalpy, square, sound
    real(real64) :: jump(variables), rest, a1, a2, a3, a4, a5
    integer :: n, t, s
    n = 1 + d
    t = 2 + mod(d, 3)
    s = 2 + mod(d + 1, 3)
    energy_l = left(5)/(gamma - 1) + 0.5_real64*left(1)*(left(n)*left(n) + left(t)*left(t) + left(s)*left(s))
    energy_r = right(5)/(gamma - 1) + 0.5_real64*right(1)*(right(n)*right(n) + right(t)*right(t) + right(s)*right(s))
    root_l = sqrt(left(1))
    root_r = sqrt(right(1))
    share = 1/(root_l + root_r)
    u = (root_l*left(n) + root_r*right(n))*share
    v = (root_l*left(t) + root_r*right(t))*share
    w = (root_l*left(s) + root_r*right(s))*share
    enthalpy = ((energy_l + left(5))/root_l + (energy_r + right(5))/root_r)*share
    square = u*u + v*v + w*w
    sound = sqrt((gamma - 1)*(enthalpy - 0.5_real64*square))

    jump(1) = right(1) - left(1)
    jump(2) = right(1)*right(n) - left(1)*left(n)
    jump(3) = right(1)*right(t) - left(1)*left(t)
    jump(4) = right(1)*right(s) - left(1)*left(s)
    jump(5) = energy_r - energy_l
    a3 = jump(3) - v*jump(1)
    a4 = jump(4) - w*jump(1)
    rest = jump(5) - a3*v - a4*w
    a2 = (gamma - 1)/(sound*sound)*(jump(1)*(enthalpy - u*u) + u*jump(2) - rest)
    a1 = 0.5_real64/sound*(jump(1)*(u + sound) - jump(2) - sound*a2)
    a5 = jump(1) - a1 - a2
    a1 = a1*abs(u - sound)
    a2 = a2*abs(u)
    a3 = a3*abs(u)
    a4 = a4*abs(u)
    a5 = a5*abs(u + sound)

    flux(1) = 0.5_real64*(left(1)*left(n) + right(1)*right(n) - (a1 + a2 + a5))
    flux(n) = 0.5_real64*(left(1)*left(n)*left(n) + left(5) + right(1)*right(n)*right(n) + right(5) &
                          - (a1*(u - sound) + a2*u + a5*(u + sound)))
    flux(t) = 0.5_real64*(left(1)*left(n)*left(t) + right(1)*right(n)*right(t) - ((a1 + a2 + a5)*v + a3))
    flux(s) = 0.5_real64*(left(1)*left(n)*left(s) + right(1)*right(n)*right(s) - ((a1 + a2 + a5)*w + a4))
    flux(5) = 0.5_real64*(left(n)*(energy_l + left(5)) + right(n)*(energy_r + right(5)) &
                          - (a1*(enthalpy - u*sound) + a2*0.5_real64*square + a3*v + a4*w + a5*(enthalpy + u*sound)))
  end subroutine

end module gas
