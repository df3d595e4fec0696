! ranks: 1 2 3 4
!> Heat on a periodic plate: see examples/c/plate.c. The first dimension of the array is contiguous.
program plate
  use mpi_f08
  use adcl
  implicit none

  integer, parameter :: SIDE = 64, STEPS = 500
  real(8), allocatable, target :: u(:, :)
  real(8) :: next(SIDE, SIDE), sums(2)
  real(8), target :: change, largest
  integer :: dims(2), coords(2), ranks, rank, step
  logical :: lost
  type(MPI_Comm) :: cart
  type(ADCL_Request) :: halo, norm

  call MPI_Init()
  call ADCL_Init()

  dims = 0
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., cart)
  call MPI_Comm_rank(cart, rank)
  call MPI_Cart_coords(cart, rank, 2, coords)
  allocate (u(0:SIDE + 1, 0:SIDE + 1))
  call heat()
  sums = [sum(u(1:SIDE, 1:SIDE)), 0.0d0]

  ! Describe the two operations once.
  call ADCL_Halo_init(u, 2, shape(u), 0, 1, MPI_DOUBLE_PRECISION, cart, halo)
  if (halo == ADCL_REQUEST_NULL) error stop ADCL_Last_error()
  call ADCL_Allreduce_init(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cart, norm)
  if (norm == ADCL_REQUEST_NULL) error stop ADCL_Last_error()
  call ADCL_Request_set_name(halo, 'plate')

  do step = 1, STEPS
    call ADCL_Request_start(halo)  ! fills the halo of u
    next = (u(0:SIDE - 1, 1:SIDE) + u(2:SIDE + 1, 1:SIDE) + u(1:SIDE, 0:SIDE - 1) + u(1:SIDE, 2:SIDE + 1))/4
    change = maxval(abs(next - u(1:SIDE, 1:SIDE)))
    u(1:SIDE, 1:SIDE) = next
    call ADCL_Request_start(norm)  ! reads change, writes largest
  end do

  sums(2) = sum(u(1:SIDE, 1:SIDE))
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, cart)
  lost = abs(sums(2) - sums(1)) > 1d-9*sums(1)
  if (rank == 0) then
    print '(i0, a, i0, a, g0.17)', STEPS, ' steps on ', ranks, ' ranks: the last one changed a cell by ', largest
  end if
  if (lost) error stop 'heat was lost'

  call ADCL_Request_free(norm)
  call ADCL_Request_free(halo)
  call MPI_Comm_free(cart)
  call ADCL_Finalize()
  call MPI_Finalize()

contains

  !> Heats a quarter of the plate.
  subroutine heat()
    integer :: i, j
    u = 0
    do j = 1, SIDE
      do i = 1, SIDE
        if (2*(coords(1)*SIDE + i) <= dims(1)*SIDE .and. 2*(coords(2)*SIDE + j) <= dims(2)*SIDE) u(i, j) = 100
      end do
    end do
  end subroutine

end program plate
