! ranks: 1 2 3
!> Collectives in one call, with handles of mpi_f08: in and out of place, and from vectors and vmaps.
program collectives
  use adcl
  use checks
  use mpi_f08
  implicit none
  integer, parameter :: block = 3, starts = 40
  integer, target, allocatable :: sent(:), received(:)
  integer, target :: own(block), total(block), others(block), sums(block)
  integer, allocatable :: counts(:), displs(:)
  type(ADCL_Request) :: exchange, reduction, stays, everything, gathered
  type(ADCL_Vector) :: svec, rvec
  type(ADCL_Vmap) :: each
  type(ADCL_Topology) :: topo
  integer :: n, rank, i, start, ierr
  call MPI_Init()
  call ADCL_Init(ierr)
  call check_ok(ierr, 'ADCL_Init')
  n = world_size()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate (sent(n*block), received(n*block), counts(n), displs(n))
  counts = block
  displs = [(i*block, i=0, n - 1)]

  call ADCL_Alltoall_init(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, exchange, ierr)
  call check_ok(ierr, 'ADCL_Alltoall_init')
  call ADCL_Allreduce_init(own, total, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, reduction, ierr)
  call check_ok(ierr, 'ADCL_Allreduce_init')
  call ADCL_Allreduce_init(MPI_IN_PLACE, total, block, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, stays, ierr)
  call check_ok(ierr, 'ADCL_Allreduce_init in place')
  call ADCL_Gatherv_init(own, block, MPI_INTEGER, received, counts, displs, MPI_INTEGER, n - 1, MPI_COMM_WORLD, &
                         gathered, ierr)
  call check_ok(ierr, 'ADCL_Gatherv_init')
  do start = 1, starts
    sent = [(100*start + 10*rank + i, i=1, n*block)]
    received = 0
    call ADCL_Request_start(exchange)
    call check(all(received == [((100*start + 10*(i/block) + rank*block + modulo(i, block) + 1), i=0, n*block - 1)]), &
               'the result of ADCL_Alltoall_init')
    own = [(start + rank*i, i=1, block)]
    call ADCL_Request_start(reduction)
    call check(all(total == [(n*start + i*(n*(n - 1))/2, i=1, block)]), 'the sums of ADCL_Allreduce_init')
    total = own
    call ADCL_Request_start(stays)
    call check(all(total == [(start + (n - 1)*i, i=1, block)]), 'the maxima of ADCL_Allreduce_init in place')
    received = 0
    call ADCL_Request_start(gathered)
    if (rank == n - 1) then
      call check(all(received == [(start + (i/block)*(modulo(i, block) + 1), i=0, n*block - 1)]), 'ADCL_Gatherv_init')
    end if
  end do
  ! Run the same requests with other arrays.
  do start = 1, starts
    others = [(start + rank*i, i=1, block)]
    call ADCL_Request_start_with(reduction, others, sums, ierr)
    call check_ok(ierr, 'ADCL_Request_start_with')
    call check(all(sums == [(n*start + i*(n*(n - 1))/2, i=1, block)]), 'the sums of ADCL_Request_start_with')
    call ADCL_Request_init_with(stays, others, others, ierr)
    call check_ok(ierr, 'ADCL_Request_init_with')
    call ADCL_Request_wait(stays)
    call check(all(others == [(start + (n - 1)*i, i=1, block)]), 'the maxima of ADCL_Request_init_with in place')
  end do
  call overlapped()

  call ADCL_Request_free(gathered)
  call ADCL_Request_free(stays)
  call ADCL_Request_free(reduction)
  call ADCL_Request_free(exchange)

  ! Create the request like thesis Fig. 4.1.
  call ADCL_Vector_register(1, [n*block], 0, MPI_INTEGER, sent, svec)
  call ADCL_Vector_register(1, [n*block], 0, MPI_INTEGER, received, rvec)
  call ADCL_Vmap_alltoall_allocate(block, block, each)
  call ADCL_Topology_create(MPI_COMM_WORLD, 0, topo)
  call ADCL_Request_create_generic(svec, each, rvec, each, topo, ADCL_FNCTSET_ALLTOALL, everything, ierr)
  call check_ok(ierr, 'ADCL_Request_create_generic')
  received = 0
  call ADCL_Request_init(everything)
  call ADCL_Request_wait(everything)
  call check(all(received == [((100*starts + 10*(i/block) + rank*block + modulo(i, block) + 1), i=0, n*block - 1)]), &
             'the result of ADCL_Request_create_generic')
  call ADCL_Request_free(everything)

  call ADCL_Bcast_init(own(1:block:2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, exchange, ierr)
  call check(ierr == ADCL_ERR_ARGUMENT, 'an array section is an error')
  call ADCL_Finalize()
  call finish()

contains

  !> Nonblocking collectives: started, advanced in two loops, completed.
  subroutine overlapped()
    type(ADCL_Request) :: requests(5)
    integer, target :: mine(block), sum_at_root(block), sum_of_all(block), spread(block), all_of(n*block), exchanged(n*block)
    integer :: r, outer, inner
    call ADCL_Ibcast_init(spread, block, MPI_INTEGER, n - 1, MPI_COMM_WORLD, requests(1), ierr)
    call check_ok(ierr, 'ADCL_Ibcast_init')
    call ADCL_Iallgather_init(mine, block, MPI_INTEGER, all_of, block, MPI_INTEGER, MPI_COMM_WORLD, requests(2), ierr)
    call check_ok(ierr, 'ADCL_Iallgather_init')
    call ADCL_Ialltoall_init(MPI_IN_PLACE, block, MPI_INTEGER, exchanged, block, MPI_INTEGER, MPI_COMM_WORLD, &
                             requests(3), ierr)
    call check_ok(ierr, 'ADCL_Ialltoall_init in place')
    call ADCL_Ireduce_init(mine, sum_at_root, block, MPI_INTEGER, MPI_SUM, n - 1, MPI_COMM_WORLD, requests(4), ierr)
    call check_ok(ierr, 'ADCL_Ireduce_init')
    call ADCL_Iallreduce_init(mine, sum_of_all, block, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(5), ierr)
    call check_ok(ierr, 'ADCL_Iallreduce_init')
    do start = 1, starts
      mine = [(start + rank*i, i=1, block)]
      spread = merge(start, 0, rank == n - 1)
      exchanged = [((start + 10*rank + i), i=0, n*block - 1)]
      do r = 1, size(requests)
        call ADCL_Request_init(requests(r), ierr)
        call check_ok(ierr, 'ADCL_Request_init')
        do outer = 1, 2
          call ADCL_Request_progress(requests(r), 0)
          do inner = 1, 2
            call ADCL_Request_progress(requests(r), 1)
          end do
        end do
        call ADCL_Request_wait(requests(r), ierr)
        call check_ok(ierr, 'ADCL_Request_wait')
      end do
      call check(all(spread == start), 'the result of ADCL_Ibcast_init')
      call check(all(all_of == [(start + (i/block)*(modulo(i, block) + 1), i=0, n*block - 1)]), 'ADCL_Iallgather_init')
      call check(all(exchanged == [(start + 10*(i/block) + rank*block + modulo(i, block), i=0, n*block - 1)]), &
                 'the result of ADCL_Ialltoall_init in place')
      if (rank == n - 1) then
        call check(all(sum_at_root == [(n*start + i*(n*(n - 1))/2, i=1, block)]), 'the sums of ADCL_Ireduce_init')
      end if
      call check(all(sum_of_all == [(n*start + i*(n*(n - 1))/2, i=1, block)]), 'the sums of ADCL_Iallreduce_init')
    end do
    do r = 1, size(requests)
      call ADCL_Request_free(requests(r))
    end do
  end subroutine overlapped
end program collectives
