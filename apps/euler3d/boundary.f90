!> Ghost cells at the ends of the domain: walls reflect; ambient gas flows in at the lower ends and out at the upper
!> ends.
module boundary
  use, intrinsic :: iso_fortran_env, only: real64
  use block, only: case_walls, cell_block
  use gas, only: variables
  use mpi_f08, only: MPI_PROC_NULL
  use pulse, only: surroundings
  implicit none
  private
  public :: fill_ghosts

contains

  pure function ghost_of(kind, w, d, at_lower_end) result(ghost)
    integer, intent(in) :: kind, d
    real(real64), intent(in) :: w(variables)
    logical, intent(in) :: at_lower_end
    real(real64) :: ghost(variables)
    if (kind == case_walls) then
      ghost = w
      ghost(1 + d) = -w(1 + d)
    else if (at_lower_end) then
      ghost = surroundings(kind)
    else
      ghost = w
    end if
  end function

  !> Along direction \p d, sets the ghosts of field \p lower at the lower end from the adjacent cells of field \p upper,
  !> and the reverse at the upper end. For cell means both are the same field. For states at faces, \p upper has the
  !> states at the lower faces of cells, and \p lower the states at the upper faces.
  subroutine fill_ghosts(block, d, lower, upper)
    type(cell_block), intent(in) :: block
    integer, intent(in) :: d
    real(real64), pointer, intent(in) :: lower(:, :, :, :), upper(:, :, :, :)  !< variable, cell (3) from 0
    integer :: low(3), high(3), i, j, k, step(3)
    step = 0
    step(d) = 1
    low = 1
    high = block%cells
    high(d) = 1
    if (block%lower(d) == MPI_PROC_NULL) then
      do k = low(3), high(3)
        do j = low(2), high(2)
          do i = low(1), high(1)
            lower(:, i - step(1), j - step(2), k - step(3)) = ghost_of(block%kind, upper(:, i, j, k), d, .true.)
          end do
        end do
      end do
    end if
    low(d) = block%cells(d)
    high(d) = block%cells(d)
    if (block%upper(d) == MPI_PROC_NULL) then
      do k = low(3), high(3)
        do j = low(2), high(2)
          do i = low(1), high(1)
            upper(:, i + step(1), j + step(2), k + step(3)) = ghost_of(block%kind, lower(:, i, j, k), d, .false.)
          end do
        end do
      end do
    end if
  end subroutine

end module boundary
