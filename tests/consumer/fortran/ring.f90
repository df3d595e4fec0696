!> A program that uses the installed ADCL: module adcl on a periodic ring.
program ring
  use adcl
  use mpi_f08
  implicit none
  integer, target :: cells(4)
  type(MPI_Comm) :: comm
  type(ADCL_Request) :: request
  integer :: rank, ranks, left, right, start, wrong
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Cart_shift(comm, 0, 1, left, right)
  call ADCL_Init()
  call ADCL_Halo_init(cells, 1, 4, 0, 1, MPI_INTEGER, comm, request)
  if (request == ADCL_REQUEST_NULL) error stop ADCL_Last_error()
  wrong = 0
  do start = 1, 30
    cells = [-1, 100*rank + start, 100*rank - start, -1]
    call ADCL_Request_start(request)
    if (cells(1) /= 100*left - start .or. cells(4) /= 100*right + start) wrong = wrong + 1
  end do
  call ADCL_Request_free(request)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, comm)
  call MPI_Comm_free(comm)
  call ADCL_Finalize()
  call MPI_Finalize()
  if (wrong > 0) stop 1
end program ring
