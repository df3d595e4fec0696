! ranks: 1 2 3 4
!> Topologies from communicators of both MPI modules, from explicit neighbors, with diagonals and from graphs, and exchanges.
module topology_cases
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

contains

  subroutine all_creating_calls()
    type(ADCL_Topology) :: topos(12)
    type(MPI_Comm) :: cart, graph
    integer :: rank, ranks, left, right, codes(12), i
    ranks = world_size()
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., cart)
    call MPI_Comm_rank(cart, rank)
    call MPI_Cart_shift(cart, 0, 1, left, right)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, ranks)], MPI_UNWEIGHTED, 1, &
                                        [modulo(rank + 1, ranks)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
    call ADCL_Topology_create(cart, topos(1), codes(1))
    call ADCL_Topology_create(cart%MPI_VAL, topos(2), codes(2))
    call ADCL_Topology_create(cart, 0, topos(3), codes(3))
    call ADCL_Topology_create(cart%MPI_VAL, ranks - 1, topos(4), codes(4))
    call ADCL_Topology_create_generic(1, [left], [right], [rank], ADCL_DIRECTION_BOTH, cart, topos(5), codes(5))
    call ADCL_Topology_create_generic(1, left, right, rank, ADCL_DIRECTION_BOTH, cart%MPI_VAL, topos(6), codes(6))
    call ADCL_Topology_create_generic(1, [left], [right], direction=ADCL_DIRECTION_LEFT_TO_RIGHT, comm=cart, &
                                      topo=topos(7), ierror=codes(7))
    call ADCL_Topology_create_generic(1, left, right, direction=ADCL_DIRECTION_RIGHT_TO_LEFT, comm=cart%MPI_VAL, &
                                      topo=topos(8), ierror=codes(8))
    call ADCL_Topology_create_extended(cart, topos(9), codes(9))
    call ADCL_Topology_create_extended(cart%MPI_VAL, topos(10), codes(10))
    call ADCL_Topology_create(graph, topos(11), codes(11))
    call ADCL_Topology_create(graph%MPI_VAL, topos(12), codes(12))
    do i = 1, size(topos)
      call check_ok(codes(i), 'topology '//achar(iachar('a') + i - 1))
      call check(topos(i) /= ADCL_TOPOLOGY_NULL, 'a topology was created')
      call ADCL_Topology_free(topos(i), codes(i))
      call check_ok(codes(i), 'ADCL_Topology_free')
      call check(topos(i) == ADCL_TOPOLOGY_NULL, 'the handle of a freed topology is null')
    end do
    call MPI_Comm_free(graph)
    call MPI_Comm_free(cart)
  end subroutine

  subroutine bad_arguments()
    type(ADCL_Topology) :: topo
    type(MPI_Comm) :: cart
    integer :: left, right, rank, ranks, direction, ierror
    ranks = world_size()
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., cart)
    call MPI_Comm_rank(cart, rank)
    call MPI_Cart_shift(cart, 0, 1, left, right)
    call ADCL_Topology_create(MPI_COMM_NULL, topo, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Topology_create', 'no communicator')
    call ADCL_Topology_create(MPI_COMM_NULL%MPI_VAL, 0, topo, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Topology_create', 'no communicator, as an integer')
    call ADCL_Topology_create(cart, ranks, topo, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'root', 'a root that is no rank')
    call ADCL_Topology_create_extended(MPI_COMM_WORLD, topo, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Topology_create_extended', 'a communicator without a grid')
    direction = ADCL_DIRECTION_BOTH
    if (rank == 0) direction = 5
    call ADCL_Topology_create_generic(1, left, right, rank, direction, cart, topo, ierror)
    call check(ierror == ADCL_ERR_ARGUMENT, 'an unknown direction on rank 0')
    if (rank == 0) call check(index(ADCL_Last_error(), 'direction') > 0, 'the message names the direction')
    call check(topo == ADCL_TOPOLOGY_NULL, 'no topology was created')
    if (rank == ranks - 1) then
      call ADCL_Topology_create_generic(2, [left, left], [right], [rank, 0], ADCL_DIRECTION_BOTH, cart, topo, ierror)
      call check_refused(ierror, ADCL_ERR_ARGUMENT, 'rneighbors has 1 elements where 2', 'too few neighbors')
    else
      call ADCL_Topology_create_generic(2, [left, left], [right, right], [rank, 0], ADCL_DIRECTION_BOTH, cart, topo, &
                                        ierror)
      call check(ierror == ADCL_ERR_ARGUMENT, 'too few neighbors on another rank')
    end if
    call ADCL_Topology_free(topo, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Topology_free', 'a null topology')
    call MPI_Comm_free(cart)
  end subroutine

  !> A ring of explicit neighbors that sends only to the right: the right halo does not change.
  subroutine one_direction()
    integer, target :: data(6)
    type(ADCL_Vector) :: vec
    type(ADCL_Vmap) :: vmap
    type(ADCL_Topology) :: topo
    type(ADCL_Request) :: request
    integer :: rank, ranks, left, start, ierror
    rank = world_rank()
    ranks = world_size()
    left = modulo(rank - 1, ranks)
    call ADCL_Topology_create_generic(1, left, modulo(rank + 1, ranks), rank, ADCL_DIRECTION_LEFT_TO_RIGHT, &
                                      MPI_COMM_WORLD, topo)
    call ADCL_Vector_register(1, 6, 0, MPI_INTEGER, data, vec)
    call ADCL_Vmap_halo_allocate(1, vmap)
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check_ok(ierror, 'a request in one direction')
    do start = 1, 30
      data = [-1, 10*rank + 2, 10*rank + 3, 10*rank + 4, 10*rank + 5, -1]
      call ADCL_Request_start(request, ierror)
      call check_ok(ierror, 'a start in one direction')
      call check(data(1) == 10*left + 5 .and. data(6) == -1, 'data move to the right only')
    end do
    call ADCL_Request_free(request)
    call ADCL_Topology_free(topo)
    call ADCL_Vmap_free(vmap)
    call ADCL_Vector_deregister(vec)
  end subroutine

  !> A graph: every rank sends its elements 1 and 3 to the next rank, and element 3 to the rank after it. Elements are
  !> counted from 1; they arrive in elements 5, 6 and 7, the last elements of the array.
  subroutine graph()
    integer, target :: data(2, 7)
    type(MPI_Comm) :: comm
    type(ADCL_Vector) :: vec
    type(ADCL_Vmap) :: vmap
    type(ADCL_Topology) :: topo
    type(ADCL_Request) :: request
    integer :: rank, ranks, start, next(2), previous(2), i, ierror
    rank = world_rank()
    ranks = world_size()
    next = modulo(rank + [1, 2], ranks)
    previous = modulo(rank - [1, 2], ranks)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, previous, MPI_UNWEIGHTED, 2, next, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., comm)
    call ADCL_Topology_create(comm, topo=topo)
    call ADCL_Vector_register(1, 7, 2, MPI_INTEGER, data, vec)
    call ADCL_Vmap_graph_allocate(2, [2, 1], [1, 3, 3], 2, [2, 1], [6, 5, 7], vmap, ierror)
    call check_ok(ierror, 'ADCL_Vmap_graph_allocate')
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check_ok(ierror, 'a request on a graph')
    do start = 1, 30
      data = reshape([(100*rank + i, i=1, 14)], [2, 7])
      call ADCL_Request_start(request, ierror)
      call check_ok(ierror, 'a start on a graph')
      call check(all(data(:, 6) == 100*previous(1) + [1, 2]), 'element 1 of the previous rank is in 6')
      call check(all(data(:, 5) == 100*previous(1) + [5, 6]), 'element 3 of the previous rank is in 5')
      call check(all(data(:, 7) == 100*previous(2) + [5, 6]), 'element 3 of the rank before is in 7')
      call check(all(data(:, 1:4) == reshape([(100*rank + i, i=1, 8)], [2, 4])), 'nothing else changed')
    end do
    call ADCL_Request_free(request)
    call ADCL_Vmap_free(vmap)

    call ADCL_Vmap_graph_allocate(2, [2, 1], [1, 0, 3], 2, [2, 1], [6, 5, 7], vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'sindices(2) is 0; the first grid point is 1', 'an index of 0')
    call ADCL_Vmap_graph_allocate(2, [2, 1], [1, 3], 2, [2, 1], [6, 5, 7], vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'sindices has 2 elements where 3', 'too few indices')
    call ADCL_Vmap_graph_allocate(2, [2, -1], [1, 3, 3], 2, [2, 1], [6, 5, 7], vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'is -1', 'a negative count')
    call check(vmap == ADCL_VMAP_NULL, 'no vmap was created')
    call ADCL_Vmap_graph_allocate(0, [integer ::], [integer ::], 0, [integer ::], [integer ::], vmap, ierror)
    call check_ok(ierror, 'nothing to send')
    call ADCL_Vmap_free(vmap, ierror)
    call check_ok(ierror, 'ADCL_Vmap_free')
    call ADCL_Vmap_free(vmap, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vmap_free', 'a null vmap')
    call ADCL_Vmap_halo_allocate_generic(2, [1, 1], [1, -1], vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'rwidths', 'a negative width')
    call ADCL_Vmap_halo_allocate_generic(2, [1], [1, 1], vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'lwidths has 1 elements where 2', 'too few widths')
    call ADCL_Vector_deregister(vec)
    call ADCL_Topology_free(topo)
    call MPI_Comm_free(comm)
  end subroutine

end module topology_cases

program topologies
  use topology_cases
  implicit none
  call MPI_Init()
  call ADCL_Init()
  call ADCL_Option_set('ADCL_MEASUREMENTS', '1')
  call all_creating_calls()
  call bad_arguments()
  call one_direction()
  call graph()
  call ADCL_Finalize()
  call finish()
end program topologies
