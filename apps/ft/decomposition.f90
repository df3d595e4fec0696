!> Distribution of the points of a grid over the processes. In each layout one direction is not divided, so that its
!> lines can be transformed. The processes form a grid, processes(1) x processes(2), which divides the other two
!> directions:
!>
!>   layout     array               divided by processes(1)   by processes(2)
!>   along x    a(x, y, z)          y                         z
!>   along y    b(y, x, z)          x                         z
!>   along z    c(z, x, y)          x                         y
!>
!> With processes(1) = 1 these are slabs: x and y are transposed within a process.
module decomposition
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use problem
  implicit none
  private
  public :: processes_for, fits, make_grid, free_grid, block_size, block_first, points_along, is_even

  integer, parameter, public :: slabs = 0, pencils = 1

  type, public :: process_grid
    type(problem_class) :: class
    integer :: processes(2), coordinates(2)
    type(MPI_Comm) :: all
    type(MPI_Comm) :: parts(2)  !< the processes that differ only in this coordinate
  end type

contains

  !> The shape of the process grid for \p ranks ranks.
  function processes_for(kind, ranks) result(processes)
    integer, intent(in) :: kind, ranks
    integer :: processes(2)
    processes = [1, ranks]
    if (kind == pencils) then
      processes = 0
      call MPI_Dims_create(ranks, 2, processes)
    end if
  end function

  !> True if each process gets points in each layout.
  pure logical function fits(class, processes)
    type(problem_class), intent(in) :: class
    integer, intent(in) :: processes(2)
    fits = processes(1) <= minval(class%points(1:2)) .and. processes(2) <= minval(class%points(2:3))
  end function

  !> Collective over \p comm, whose size is the product of \p processes.
  subroutine make_grid(this, class, processes, comm)
    type(process_grid), intent(out) :: this
    type(problem_class), intent(in) :: class
    integer, intent(in) :: processes(2)
    type(MPI_Comm), intent(in) :: comm
    integer :: rank
    this%class = class
    this%processes = processes
    call MPI_Cart_create(comm, 2, processes, [.false., .false.], .false., this%all)
    call MPI_Comm_rank(this%all, rank)
    call MPI_Cart_coords(this%all, rank, 2, this%coordinates)
    call MPI_Cart_sub(this%all, [.true., .false.], this%parts(1))
    call MPI_Cart_sub(this%all, [.false., .true.], this%parts(2))
  end subroutine

  subroutine free_grid(this)
    type(process_grid), intent(inout) :: this
    call MPI_Comm_free(this%parts(2))
    call MPI_Comm_free(this%parts(1))
    call MPI_Comm_free(this%all)
  end subroutine

  !> Number of the \p points that belong to process \p coordinate of \p processes. If the points cannot be divided
  !> evenly, the first processes have one more point.
  elemental integer function block_size(points, processes, coordinate) result(size)
    integer, intent(in) :: points, processes, coordinate
    size = points/processes
    if (coordinate < mod(points, processes)) size = size + 1
  end function

  !> Number of points on the processes before this process.
  elemental integer function block_first(points, processes, coordinate) result(first)
    integer, intent(in) :: points, processes, coordinate
    first = coordinate*(points/processes) + min(coordinate, mod(points, processes))
  end function

  !> Points of direction \p d on process coordinate \p p.
  pure integer function points_along(this, d, p) result(points)
    type(process_grid), intent(in) :: this
    integer, intent(in) :: d, p
    points = block_size(this%class%points(d), this%processes(p), this%coordinates(p))
  end function

  !> True if both \p directions, which process coordinate \p p divides in turn, have equal blocks on all processes.
  pure logical function is_even(this, p, directions)
    type(process_grid), intent(in) :: this
    integer, intent(in) :: p, directions(2)
    is_even = all(mod(this%class%points(directions), this%processes(p)) == 0)
  end function

end module decomposition
