!> The program's own messages, without ADCL: fields are copied to buffers, exchanged with the two neighbors along one
!> direction after the other, and copied to the ghost cells. Other work can overlap the exchange of the first direction.
module messages
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use block, only: cell_block
  use gas, only: variables
  use mpi_f08
  implicit none
  private
  public :: make_messages, free_messages, begin_messages, end_messages

  integer, parameter :: tag = 700

  type, public :: own_messages
    type(cell_block) :: block
    real(real64), pointer, contiguous :: values(:, :, :, :, :) => null()
    real(real64), allocatable :: sent(:, :), received(:, :)  !< column 1: lower neighbor, column 2: upper neighbor
    type(MPI_Request) :: requests(4)
  end type

contains

  subroutine make_messages(this, block, values)
    type(own_messages), intent(out) :: this
    type(cell_block), intent(in) :: block
    real(real64), pointer, contiguous, intent(in) :: values(:, :, :, :, :)
    integer :: most
    this%block = block
    this%values => values
    most = variables*size(values, 5)*max(cells_of_face(this, 1), cells_of_face(this, 2), cells_of_face(this, 3))
    allocate (this%sent(most, 2), this%received(most, 2))
  end subroutine

  subroutine free_messages(this)
    type(own_messages), intent(inout) :: this
    if (allocated(this%sent)) deallocate (this%sent, this%received)
  end subroutine

  !> Cells of a face across direction \p d.
  pure integer function cells_of_face(this, d) result(cells)
    type(own_messages), intent(in) :: this
    integer, intent(in) :: d
    cells = product(this%block%cells, mask=[1, 2, 3] /= d)
  end function

  !> Bounds of the layer \p at along direction \p d.
  subroutine layer(this, d, at, low, high)
    type(own_messages), intent(in) :: this
    integer, intent(in) :: d, at
    integer, intent(out) :: low(3), high(3)
    low = 1
    high = this%block%cells
    low(d) = at
    high(d) = at
  end subroutine

  subroutine pack(this, d, at, first, last, buffer)
    type(own_messages), intent(in) :: this
    integer, intent(in) :: d, at, first, last
    real(real64), intent(inout), contiguous :: buffer(:)
    integer :: low(3), high(3), i, j, k, f, n
    call layer(this, d, at, low, high)
    n = 0
    do f = first, last
      do k = low(3), high(3)
        do j = low(2), high(2)
          do i = low(1), high(1)
            buffer(n + 1:n + variables) = this%values(:, i, j, k, f)
            n = n + variables
          end do
        end do
      end do
    end do
  end subroutine

  subroutine unpack(this, d, at, first, last, buffer)
    type(own_messages), intent(inout) :: this
    integer, intent(in) :: d, at, first, last
    real(real64), intent(in), contiguous :: buffer(:)
    integer :: low(3), high(3), i, j, k, f, n
    call layer(this, d, at, low, high)
    n = 0
    do f = first, last
      do k = low(3), high(3)
        do j = low(2), high(2)
          do i = low(1), high(1)
            this%values(:, i, j, k, f) = buffer(n + 1:n + variables)
            n = n + variables
          end do
        end do
      end do
    end do
  end subroutine

  subroutine start(this, d, first, last)
    type(own_messages), intent(inout), target, asynchronous :: this
    integer, intent(in) :: d, first, last
    integer :: count
    count = variables*(last - first + 1)*cells_of_face(this, d)
    associate (lower => this%block%lower(d), upper => this%block%upper(d), comm => this%block%comm)
      call MPI_Irecv(this%received(:, 1), count, MPI_DOUBLE_PRECISION, lower, tag + 2*d, comm, this%requests(1))
      call MPI_Irecv(this%received(:, 2), count, MPI_DOUBLE_PRECISION, upper, tag + 2*d + 1, comm, this%requests(2))
      call pack(this, d, this%block%cells(d), first, last, this%sent(:, 2))
      call MPI_Isend(this%sent(:, 2), count, MPI_DOUBLE_PRECISION, upper, tag + 2*d, comm, this%requests(3))
      call pack(this, d, 1, first, last, this%sent(:, 1))
      call MPI_Isend(this%sent(:, 1), count, MPI_DOUBLE_PRECISION, lower, tag + 2*d + 1, comm, this%requests(4))
    end associate
  end subroutine

  subroutine finish(this, d, first, last)
    type(own_messages), intent(inout), target, asynchronous :: this
    integer, intent(in) :: d, first, last
    call MPI_Waitall(4, this%requests, MPI_STATUSES_IGNORE)
    if (this%block%lower(d) /= MPI_PROC_NULL) call unpack(this, d, 0, first, last, this%received(:, 1))
    if (this%block%upper(d) /= MPI_PROC_NULL) then
      call unpack(this, d, this%block%cells(d) + 1, first, last, this%received(:, 2))
    end if
  end subroutine

  subroutine begin_messages(context, first, last) bind(C)
    type(c_ptr), value :: context
    integer(c_int), value :: first, last
    type(own_messages), pointer :: this
    call c_f_pointer(context, this)
    call start(this, 1, first + 1, last)
  end subroutine

  subroutine end_messages(context, first, last) bind(C)
    type(c_ptr), value :: context
    integer(c_int), value :: first, last
    type(own_messages), pointer :: this
    integer :: d
    call c_f_pointer(context, this)
    call finish(this, 1, first + 1, last)
    do d = 2, 3
      call start(this, d, first + 1, last)
      call finish(this, d, first + 1, last)
    end do
  end subroutine

end module messages
