!> This rank's part of the domain, a unit cube: a block of cells with one layer of ghost cells.
module block
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  implicit none
  private
  public :: make_block, free_block, place_of

  integer, parameter, public :: case_periodic = 0, case_walls = 1, case_flow = 2

  type, public :: cell_block
    type(MPI_Comm) :: comm
    integer :: kind            !< one of case_...
    integer :: cells(3)        !< cells of this rank
    integer :: all_cells(3)    !< cells of all ranks
    integer :: first(3)        !< cells of other ranks before this block
    integer :: lower(3), upper(3)  !< neighbors, or MPI_PROC_NULL
    real(real64) :: widths(3)  !< edge lengths of a cell
    real(real64) :: pulse      !< width of the pulse: its standard deviation
  end type

contains

  !> Collective over \p comm.
  function make_block(kind, cells, pulse, comm) result(made)
    integer, intent(in) :: kind, cells(3)
    real(real64), intent(in) :: pulse
    type(MPI_Comm), intent(in) :: comm
    type(cell_block) :: made
    integer :: ranks, rank, d, processes(3), coordinates(3)
    logical :: periods(3)
    call MPI_Comm_size(comm, ranks)
    processes = 0
    call MPI_Dims_create(ranks, 3, processes)
    periods = [kind /= case_flow, kind == case_periodic, kind /= case_flow]
    call MPI_Cart_create(comm, 3, processes, periods, .false., made%comm)
    call MPI_Comm_rank(made%comm, rank)
    call MPI_Cart_coords(made%comm, rank, 3, coordinates)
    do d = 1, 3
      call MPI_Cart_shift(made%comm, d - 1, 1, made%lower(d), made%upper(d))
    end do
    made%kind = kind
    made%pulse = pulse
    made%cells = cells
    made%all_cells = cells*processes
    made%first = cells*coordinates
    made%widths = 1/real(made%all_cells, real64)
  end function

  subroutine free_block(this)
    type(cell_block), intent(inout) :: this
    call MPI_Comm_free(this%comm)
  end subroutine

  !> Index of a cell among the cells of all ranks, from 0.
  pure integer(int64) function place_of(this, i, j, k) result(place)
    type(cell_block), intent(in) :: this
    integer, intent(in) :: i, j, k
    place = this%first(3) + k - 1
    place = place*this%all_cells(2) + this%first(2) + j - 1
    place = place*this%all_cells(1) + this%first(1) + i - 1
  end function

end module block
