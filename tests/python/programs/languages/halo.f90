!> Exchanges the halo of a block in Fortran order: see halo.c.
program halo_of_a_block
  use mpi_f08
  use adcl
  implicit none

  integer, parameter :: NX = 24, NY = 40, STEPS = 400
  real(8), target :: u(0:NX + 1, 0:NY + 1)
  real(8) :: next(NX, NY)
  integer :: dims(2), ranks, rank, step, i, j, unit
  character(len=64) :: first, winner
  character(len=4096) :: prefix
  character(len=12) :: suffix
  type(MPI_Comm) :: cart
  type(ADCL_Request) :: halo

  call MPI_Init()
  call ADCL_Init()
  dims = 0
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., cart)
  call MPI_Comm_rank(cart, rank)
  u = 0
  do j = 1, NY
    do i = 1, NX
      u(i, j) = 1.0d0/(1 + i + j*NX + rank*NX*NY)
    end do
  end do

  call ADCL_Halo_init(u, 2, shape(u), 0, 1, MPI_DOUBLE_PRECISION, cart, halo)
  if (halo == ADCL_REQUEST_NULL) error stop ADCL_Last_error()
  do step = 1, STEPS
    call ADCL_Request_start(halo)
    if (step == 1) call ADCL_Request_get_curr_function(halo, first)
    next = (u(0:NX - 1, 1:NY) + u(2:NX + 1, 1:NY) + u(1:NX, 0:NY - 1) + u(1:NX, 2:NY + 1))/3
    u(1:NX, 1:NY) = next
  end do
  call ADCL_Request_get_winner(halo, winner)
  if (rank == 0) print '(4a)', 'began with ', trim(first), ' decided for ', trim(winner)

  call get_command_argument(1, prefix)
  write (suffix, '(a, i0)') '.', rank
  open (newunit=unit, file=trim(prefix)//trim(suffix), access='stream', form='unformatted', status='replace')
  write (unit) u
  close (unit)
  call ADCL_Request_free(halo)
  call MPI_Comm_free(cart)
  call ADCL_Finalize()
  call MPI_Finalize()
end program
