! ranks: 1 2 3 4
!> Overlap of communication and computation: Jacobi sweeps over a ring of blocks relax the interior during the halo
!> exchange, first with init, progress and wait, then with start_overlap. Uses modules adcl and mpi_f08.
module jacobi
  use adcl
  use mpi_f08
  implicit none
  public

  integer, parameter :: N = 200, WIDTH = 60
  real(8), allocatable, target :: old(:, :)  !< one column of halo on each side
  real(8), allocatable :: new(:, :)

contains

  subroutine relax(first, last)
    integer, intent(in) :: first, last
    integer :: j
    do j = first, last
      new(2:N - 1, j) = 0.25d0*(old(1:N - 2, j) + old(3:N, j) + old(2:N - 1, j - 1) + old(2:N - 1, j + 1))
    end do
  end subroutine

  !> The work functions of start_overlap: the part that needs no halo, the rest, and both.
  subroutine relax_interior(request)
    type(ADCL_Request), intent(in) :: request
    if (request /= ADCL_REQUEST_NULL) call relax(2, WIDTH - 1)
  end subroutine

  subroutine relax_borders(request)
    type(ADCL_Request), intent(in) :: request
    if (request == ADCL_REQUEST_NULL) return
    call relax(1, 1)
    call relax(WIDTH, WIDTH)
  end subroutine

  subroutine relax_all(request)
    type(ADCL_Request), intent(in) :: request
    if (request /= ADCL_REQUEST_NULL) call relax(1, WIDTH)
  end subroutine

end module jacobi

program overlap
  use adcl
  use jacobi
  use mpi_f08
  implicit none

  integer, parameter :: SWEEPS = 50
  type(MPI_Comm) :: ring
  type(ADCL_Request) :: request
  real(8), allocatable :: reference(:, :), next(:, :)
  integer :: rank, ranks, first, sweep, j, wrong

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [1, ranks], [.false., .true.], .false., ring)
  call MPI_Comm_rank(ring, rank)
  call ADCL_Init()

  ! A halo of one layer in both dimensions. Only the second dimension is distributed and exchanged.
  allocate (old(0:N + 1, 0:WIDTH + 1), new(0:N + 1, 0:WIDTH + 1))
  allocate (reference(0:N + 1, 0:ranks*WIDTH + 1), next(0:N + 1, 0:ranks*WIDTH + 1))
  call ADCL_Halo_init(old, 2, shape(old), 0, 1, MPI_DOUBLE_PRECISION, ring, request)
  if (request == ADCL_REQUEST_NULL) error stop ADCL_Last_error()

  reference = 0
  reference(1:N, 1:ranks*WIDTH) = reshape([(mod(j*j, 97)/97d0, j=1, N*ranks*WIDTH)], [N, ranks*WIDTH])
  next = reference
  first = rank*WIDTH
  old = 0
  old(1:N, 1:WIDTH) = reference(1:N, first + 1:first + WIDTH)
  new = old

  do sweep = 1, 2*SWEEPS
    if (sweep <= SWEEPS) then
      call ADCL_Request_init(request)
      do j = 2, WIDTH - 1
        call relax(j, j)
        if (mod(j, 8) == 0) call ADCL_Request_progress(request, 0)
      end do
      call ADCL_Request_wait(request)
      call relax(1, 1)
      call relax(WIDTH, WIDTH)
    else
      call ADCL_Request_start_overlap(request, relax_interior, relax_borders, relax_all)
    end if
    old(:, 1:WIDTH) = new(:, 1:WIDTH)
    call sweep_reference()
    wrong = count(old(1:N, 1:WIDTH) /= reference(1:N, first + 1:first + WIDTH))
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, ring)
    if (wrong > 0) error stop 'a sweep with a halo differs from a sweep over the whole domain'
  end do
  if (rank == 0) print '(a)', 'every sweep equals a sweep over the whole domain'

  call ADCL_Request_free(request)
  call MPI_Comm_free(ring)
  call ADCL_Finalize()
  call MPI_Finalize()

contains

  !> Reference: every rank sweeps over the whole domain.
  subroutine sweep_reference()
    integer :: column
    reference(:, 0) = reference(:, ranks*WIDTH)
    reference(:, ranks*WIDTH + 1) = reference(:, 1)
    do column = 1, ranks*WIDTH
      next(2:N - 1, column) = 0.25d0*(reference(1:N - 2, column) + reference(3:N, column) &
                                      + reference(2:N - 1, column - 1) + reference(2:N - 1, column + 1))
    end do
    reference(1:N, 1:ranks*WIDTH) = next(1:N, 1:ranks*WIDTH)
  end subroutine

end program overlap
