! ranks: 1 2 3 4
!> The code sample of the thesis (section 3.3.1) in Fortran: a self-tuning 2-D halo exchange with module adcl and
!> mpi_f08. It checks the received cells and stops with an error if a cell is wrong.
program halo_2d
  use mpi_f08
  use adcl
  implicit none

  integer, parameter :: DIM0 = 1000, DIM1 = 1000  ! extents of the data of one process
  integer, parameter :: HWIDTH = 1                ! layers of halo cells
  integer, parameter :: NIT = 150
  real(8), allocatable, target :: matrix(:, :)
  integer :: cart_dims(2), coords(2), i, rank, size
  type(MPI_Comm) :: cart_comm
  type(ADCL_Vector) :: vec
  type(ADCL_Vmap) :: vmap
  type(ADCL_Topology) :: topo
  type(ADCL_Request) :: request
  character(len=ADCL_MAX_NAME) :: winner

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call ADCL_Init()

  ! Describe the matrix; its first dimension is contiguous in Fortran.
  allocate (matrix(1 - HWIDTH:DIM0 + HWIDTH, 1 - HWIDTH:DIM1 + HWIDTH))
  call ADCL_Vector_register(2, shape(matrix), 0, MPI_DOUBLE_PRECISION, matrix, vec)
  call ADCL_Vmap_halo_allocate(HWIDTH, vmap)

  ! Generate a 2-D process topology.
  cart_dims = 0
  call MPI_Dims_create(size, 2, cart_dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, cart_dims, [.false., .false.], .false., cart_comm)
  call MPI_Comm_rank(cart_comm, rank)
  call MPI_Cart_coords(cart_comm, rank, 2, coords)
  call ADCL_Topology_create(cart_comm, topo)

  ! Combine the data, the halo (vmap), the topology and the predefined function set.
  call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request)
  if (request == ADCL_REQUEST_NULL) error stop ADCL_Last_error()

  do i = 1, NIT
    call fill(i)
    call ADCL_Request_start(request)
    call verify(i)
  end do

  call ADCL_Request_get_winner(request, winner)
  if (winner == ' ') winner = 'not yet known'
  if (rank == 0) print '(a)', 'the halo of every iteration was right; winner: '//trim(winner)

  call ADCL_Request_free(request)
  call ADCL_Topology_free(topo)
  call ADCL_Vmap_free(vmap)
  call ADCL_Vector_deregister(vec)
  call MPI_Comm_free(cart_comm)
  call ADCL_Finalize()
  call MPI_Finalize()

contains

  !> Value of a cell of the whole domain in one iteration; -1 outside the domain.
  elemental real(8) function cell(row, column, iteration)
    integer, intent(in) :: row, column, iteration
    integer :: rows, columns, global_row, global_column
    rows = cart_dims(1)*DIM0
    columns = cart_dims(2)*DIM1
    global_row = coords(1)*DIM0 + row
    global_column = coords(2)*DIM1 + column
    cell = (real(iteration, 8)*rows + global_row)*columns + global_column
    if (global_row < 1 .or. global_row > rows .or. global_column < 1 .or. global_column > columns) cell = -1
  end function

  !> Sets new values in the outermost cells, but not in the halo.
  subroutine fill(iteration)
    integer, intent(in) :: iteration
    integer :: k
    if (iteration == 1) matrix = -1
    matrix([1, DIM0], 1:DIM1) = reshape([(cell([1, DIM0], k, iteration), k=1, DIM1)], [2, DIM1])
    matrix(1:DIM0, 1) = cell([(k, k=1, DIM0)], 1, iteration)
    matrix(1:DIM0, DIM1) = cell([(k, k=1, DIM0)], DIM1, iteration)
    matrix([0, DIM0 + 1], :) = -1
    matrix(:, [0, DIM1 + 1]) = -1
  end subroutine

  !> Checks that each halo cell has its neighbor's value. Cells outside the domain and in corners are not exchanged.
  subroutine verify(iteration)
    integer, intent(in) :: iteration
    integer :: k, wrong
    wrong = count(matrix([0, DIM0 + 1], [0, DIM1 + 1]) /= -1)
    do k = 1, DIM1
      wrong = wrong + count(matrix([0, DIM0 + 1], k) /= cell([0, DIM0 + 1], k, iteration))
    end do
    do k = 1, DIM0
      wrong = wrong + count(matrix(k, [0, DIM1 + 1]) /= cell(k, [0, DIM1 + 1], iteration))
    end do
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, cart_comm)
    if (wrong > 0) error stop 'a halo is wrong'
  end subroutine

end program halo_2d
