! ranks: 1 3
!> Collectives through ADCL.inc and mpif.h.
program collectives_inc
  use checks
  implicit none
  include 'mpif.h'
  include 'ADCL.inc'
  integer, target :: values(4), sums(4)
  integer, target :: other(4)
  integer :: sum_request, bcast_request, later_request, rank, n, i, start, ierr
  call MPI_Init(ierr)
  call ADCL_Init(ierr)
  n = world_size()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call ADCL_Scan_init(MPI_IN_PLACE, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, sum_request, ierr)
  call check_ok(ierr, 'ADCL_Scan_init')
  call ADCL_Bcast_init(values, 4, MPI_INTEGER, n - 1, MPI_COMM_WORLD, bcast_request, ierr)
  call check_ok(ierr, 'ADCL_Bcast_init')
  call ADCL_Iallreduce_init(MPI_IN_PLACE, other, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, later_request, ierr)
  call check_ok(ierr, 'ADCL_Iallreduce_init')
  do start = 1, 40
    other = start
    call ADCL_Request_init(later_request, ierr)
    call ADCL_Request_progress(later_request, 0, ierr)
    call ADCL_Request_wait(later_request, ierr)
    call check(all(other == n*start), 'the sums of ADCL_Iallreduce_init')
    sums = [(start + i, i=1, 4)]
    call ADCL_Request_start(sum_request, ierr)
    call check(all(sums == [((rank + 1)*(start + i), i=1, 4)]), 'the sums of ADCL_Scan_init')
    values = merge(start, 0, rank == n - 1)
    call ADCL_Request_start(bcast_request, ierr)
    call check(all(values == start), 'the result of ADCL_Bcast_init')
    other = merge(start, 0, rank == n - 1)
    call ADCL_Request_start_with(bcast_request, other, other, ierr)
    call check_ok(ierr, 'ADCL_Request_start_with')
    call check(all(other == start), 'the result of ADCL_Request_start_with')
  end do
  call ADCL_Request_free(sum_request, ierr)
  call ADCL_Request_free(bcast_request, ierr)
  call ADCL_Request_free(later_request, ierr)
  call ADCL_Finalize(ierr)
  call finish()
end program collectives_inc
