!> Transposes two directions: lines along the first direction are whole before, and lines along the second direction
!> after. The third direction does not change.
module transposes
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use decomposition
  use exchange
  implicit none
  private
  public :: make_transpose, pack_lines, unpack_lines

  integer, parameter :: tile = 16  !< points; lines of a tile fit into the cache during the transposition

  type, public :: transposition
    integer :: whole(2)        !< points along both directions, of all processes of the part
    integer :: here(2)         !< points along both directions, of this process
    integer :: third           !< points of the third direction
    integer :: steps(2, 2)     !< distances along the second and third direction, before (1), after (2)
    logical :: apart = .true.  !< points are on several processes; otherwise the transposition is local
    type(all_to_all) :: messages
  end type

contains

  !> Transposes \p directions, which process coordinate \p p divides in turn. In memory, the \p third points lie between
  !> the two directions if \p between, otherwise after them.
  subroutine make_transpose(this, grid, p, directions, third, between)
    type(transposition), intent(out) :: this
    type(process_grid), intent(in) :: grid
    integer, intent(in) :: p, directions(2), third
    logical, intent(in) :: between
    integer :: i
    this%whole = grid%class%points(directions)
    this%here = [(points_along(grid, directions(i), p), i=1, 2)]
    this%third = third
    do i = 1, 2  ! whole(1) x here(2) before, whole(2) x here(1) after
      this%steps(:, i) = merge([this%whole(i)*third, this%whole(i)], [this%whole(i), this%whole(i)*this%here(3 - i)], between)
    end do
    associate (m => this%messages, n => grid%processes(p), here => this%here)
      m%comm = grid%parts(p)
      m%even = is_even(grid, p, directions)
      m%sent = third*here(2)*block_size(this%whole(1), n, [(i, i=0, n - 1)])
      m%received = third*here(1)*block_size(this%whole(2), n, [(i, i=0, n - 1)])
      m%sent_at = third*here(2)*block_first(this%whole(1), n, [(i, i=0, n - 1)])
      m%received_at = third*here(1)*block_first(this%whole(2), n, [(i, i=0, n - 1)])
    end associate
  end subroutine

  !> Packs messages: for each process its part of all lines.
  subroutine pack_lines(this, points, buffer)
    type(transposition), intent(in) :: this
    complex(real64), contiguous, intent(in) :: points(:)
    complex(real64), contiguous, intent(inout) :: buffer(:)
    integer(int64) :: from, at
    integer :: process, length, first, second, third
    at = 0
    first = 0
    do process = 1, size(this%messages%sent)
      length = this%messages%sent(process)/(this%third*this%here(2))
      do third = 0, this%third - 1
        do second = 0, this%here(2) - 1
          from = int(this%steps(1, 1), int64)*second + int(this%steps(2, 1), int64)*third + first
          buffer(at + 1:at + length) = points(from + 1:from + length)
          at = at + length
        end do
      end do
      first = first + length
    end do
  end subroutine

  !> Unpacks the messages of \ref pack_lines from all processes.
  subroutine unpack_lines(this, buffer, points)
    type(transposition), intent(in) :: this
    complex(real64), contiguous, intent(in) :: buffer(:)
    complex(real64), contiguous, intent(inout) :: points(:)
    integer(int64) :: from, into
    integer :: process, length, second, third
    from = 0
    second = 0
    do process = 1, size(this%messages%received)
      length = this%messages%received(process)/(this%third*this%here(1))
      do third = 0, this%third - 1
        into = second + int(this%steps(2, 2), int64)*third
        call turn(buffer(from + 1:), points(into + 1:), this%here(1), length, this%steps(1, 2))
        from = from + int(this%here(1), int64)*length
      end do
      second = second + length
    end do
  end subroutine

  !> points(j, i) = buffer(i, j) for i to \p m and j to \p n; \p step is the distance between columns of \p points.
  subroutine turn(buffer, points, m, n, step)
    integer, intent(in) :: m, n, step
    complex(real64), intent(in) :: buffer(m, *)
    complex(real64), intent(inout) :: points(step, *)
    integer :: i, j, i0, j0
    do j0 = 1, n, tile
      do i0 = 1, m, tile
        do i = i0, min(i0 + tile - 1, m)
          do j = j0, min(j0 + tile - 1, n)
            points(j, i) = buffer(i, j)
          end do
        end do
      end do
    end do
  end subroutine

end module transposes
