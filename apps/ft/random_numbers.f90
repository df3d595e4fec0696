!> The random numbers of the NAS Parallel Benchmarks (report RNR-94-007, section 2.3): x' = 5^13 x mod 2^46. Pure.
module random_numbers
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: random_state, random_fill

  integer(int64), parameter :: seed = 314159265_int64, multiplier = 1220703125_int64
  integer(int64), parameter :: half = 2_int64**23, modulus = 2_int64**46

contains

  !> Product modulo 2^46 of two numbers below 2^46. Multiplies halves, because no product may exceed 2^63.
  elemental integer(int64) function times(a, b) result(c)
    integer(int64), intent(in) :: a, b
    integer(int64) :: middle
    middle = mod((a/half)*mod(b, half) + mod(a, half)*(b/half), half)
    c = mod(middle*half + mod(a, half)*mod(b, half), modulus)
  end function

  !> The state after \p count numbers.
  pure integer(int64) function random_state(count) result(state)
    integer(int64), intent(in) :: count
    integer(int64) :: power, left
    state = seed
    power = multiplier
    left = count
    do while (left > 0)
      if (mod(left, 2_int64) == 1) state = times(state, power)
      power = times(power, power)
      left = left/2
    end do
  end function

  !> The numbers that follow \p state, between 0 and 1; real parts come before imaginary parts.
  pure subroutine random_fill(state, numbers)
    integer(int64), intent(in) :: state
    complex(real64), intent(out) :: numbers(:)
    integer(int64) :: first, second
    integer :: i
    second = state
    do i = 1, size(numbers)
      first = times(second, multiplier)
      second = times(first, multiplier)
      numbers(i) = cmplx(first, second, real64)/real(modulus, real64)
    end do
  end subroutine

end module random_numbers
