!> The program's own messages, without ADCL: fields are copied to buffers, exchanged with the two neighbors along one
!> direction after the other, and copied to the ghost cells. Other work can overlap the exchange of the first direction.
!> Field 2d - 1 of six has the states at the lower faces along direction d, and field 2d the states at the upper faces.
module messages
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use block, only: cell_block
  use gas, only: variables
  use mpi_f08
  implicit none
  private
  public :: make_messages, free_messages, begin_messages, end_messages, face_of, direction_of

  integer, parameter :: tag = 700

  !> Storage of the states at faces, and order of the calls. ADCL requires the defaults.
  type, public :: message_form
    logical :: pairs = .false.     !< one array for both faces, with the face as first dimension; else separate arrays
    logical :: blocking = .false.  !< MPI_Recv after the sends; else MPI_Irecv before them
  end type

  type, public :: own_messages
    type(cell_block) :: block
    type(message_form) :: form
    real(real64), pointer, contiguous :: values(:, :, :, :, :) => null()    !< variable, cell (3), field
    real(real64), pointer, contiguous :: pairs(:, :, :, :, :, :) => null()  !< face, variable, cell (3), direction
    integer :: fields = 0
    real(real64), allocatable :: sent(:, :), received(:, :)  !< column 1: lower neighbor, column 2: upper neighbor
    type(MPI_Request) :: requests(4)
  end type

contains

  !> Face of field \p f: 1 is the lower face, 2 the upper face.
  pure integer function face_of(f) result(face)
    integer, intent(in) :: f
    face = 2 - mod(f, 2)
  end function

  pure integer function direction_of(f) result(direction)
    integer, intent(in) :: f
    direction = (f + 1)/2
  end function

  !> Exactly one of \p values and \p pairs is associated.
  subroutine make_messages(this, block, form, values, pairs)
    type(own_messages), intent(out) :: this
    type(cell_block), intent(in) :: block
    type(message_form), intent(in) :: form
    real(real64), pointer, contiguous, intent(in) :: values(:, :, :, :, :), pairs(:, :, :, :, :, :)
    integer :: most
    this%block = block
    this%form = form
    this%values => values
    this%pairs => pairs
    if (associated(pairs)) then
      this%fields = 2*size(pairs, 6)
    else
      this%fields = size(values, 5)
    end if
    most = variables*this%fields*max(cells_of_face(this, 1), cells_of_face(this, 2), cells_of_face(this, 3))
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
            if (associated(this%pairs)) then
              buffer(n + 1:n + variables) = this%pairs(face_of(f), :, i, j, k, direction_of(f))
            else
              buffer(n + 1:n + variables) = this%values(:, i, j, k, f)
            end if
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
            if (associated(this%pairs)) then
              this%pairs(face_of(f), :, i, j, k, direction_of(f)) = buffer(n + 1:n + variables)
            else
              this%values(:, i, j, k, f) = buffer(n + 1:n + variables)
            end if
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
      if (.not. this%form%blocking) then
        call MPI_Irecv(this%received(:, 1), count, MPI_DOUBLE_PRECISION, lower, tag + 2*d, comm, this%requests(1))
        call MPI_Irecv(this%received(:, 2), count, MPI_DOUBLE_PRECISION, upper, tag + 2*d + 1, comm, this%requests(2))
      end if
      call pack(this, d, this%block%cells(d), first, last, this%sent(:, 2))
      call MPI_Isend(this%sent(:, 2), count, MPI_DOUBLE_PRECISION, upper, tag + 2*d, comm, this%requests(3))
      call pack(this, d, 1, first, last, this%sent(:, 1))
      call MPI_Isend(this%sent(:, 1), count, MPI_DOUBLE_PRECISION, lower, tag + 2*d + 1, comm, this%requests(4))
    end associate
  end subroutine

  subroutine finish(this, d, first, last)
    type(own_messages), intent(inout), target, asynchronous :: this
    integer, intent(in) :: d, first, last
    integer :: count
    if (this%form%blocking) then
      count = variables*(last - first + 1)*cells_of_face(this, d)
      associate (lower => this%block%lower(d), upper => this%block%upper(d), comm => this%block%comm)
        call MPI_Recv(this%received(:, 1), count, MPI_DOUBLE_PRECISION, lower, tag + 2*d, comm, MPI_STATUS_IGNORE)
        call MPI_Recv(this%received(:, 2), count, MPI_DOUBLE_PRECISION, upper, tag + 2*d + 1, comm, MPI_STATUS_IGNORE)
      end associate
      this%requests(1:2) = MPI_REQUEST_NULL
    end if
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
