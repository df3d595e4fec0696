! ranks: 1 3
!> Every call of module adcl works without its last argument.
module plain_cases
  use, intrinsic :: iso_c_binding
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  integer :: runs = 0

contains

  subroutine run(request)
    type(ADCL_Request), intent(in) :: request
    integer :: values(1)
    runs = runs + 1
    values = 0
    call ADCL_Request_get_attribute_values(request, 1, values)
    call check(any(values(1) == [1, 2, 0]), 'the attribute value')
  end subroutine

  subroutine environment()
    logical :: flag
    integer :: version(3)
    character(len=20) :: value
    call ADCL_Initialized(flag)
    call check(.not. flag, 'ADCL is not yet initialized')
    call ADCL_Init()
    call ADCL_Initialized(flag)
    call check(flag, 'ADCL is initialized')
    call ADCL_Get_version(version(1), version(2), version(3))
    call check(all(version == [ADCL_VERSION_MAJOR, ADCL_VERSION_MINOR, ADCL_VERSION_PATCH]), 'the version')
    call ADCL_Option_set('ADCL_MEASUREMENTS', '1')
    call ADCL_Option_get('ADCL_MEASUREMENTS', value)
    call check(value == '1', 'the option')
  end subroutine

  subroutine data_and_topologies(cart)
    type(MPI_Comm), intent(in) :: cart
    type(ADCL_Vmap) :: vmap
    type(ADCL_Vector) :: vec
    type(ADCL_Topology) :: topo
    type(MPI_Comm) :: graph
    integer, target :: numbers(4, 4)
    type(c_ptr) :: data
    integer :: left, right
    call ADCL_Vmap_halo_allocate_generic(1, [1], [2], vmap)
    call check(vmap /= ADCL_VMAP_NULL, 'ADCL_Vmap_halo_allocate_generic')
    call ADCL_Vmap_free(vmap)
    call check(vmap == ADCL_VMAP_NULL, 'ADCL_Vmap_free')
    call ADCL_Vmap_graph_allocate(1, [1], [1], 1, [1], [2], vmap)
    call check(vmap /= ADCL_VMAP_NULL, 'ADCL_Vmap_graph_allocate')
    call ADCL_Vmap_free(vmap)
    call ADCL_Vector_register(2, [4, 4], 0, MPI_INTEGER, numbers, vec)
    call check(vec /= ADCL_VECTOR_NULL, 'ADCL_Vector_register')
    call ADCL_Vector_set_order(vec, ADCL_ORDER_C)
    call ADCL_Vector_free(vec)
    call check(vec /= ADCL_VECTOR_NULL, 'ADCL_Vector_free of a registered vector')
    call ADCL_Vector_deregister(vec)
    call ADCL_Vector_register_generic(1, 4, 0, MPI_INTEGER, numbers, vec)
    call ADCL_Vector_rebind(vec, numbers(:, 2))
    call ADCL_Vector_get_data(vec, data)
    call check(c_associated(data, c_loc(numbers(1, 2))), 'ADCL_Vector_rebind')
    call ADCL_Vector_deregister(vec)
    call check(vec == ADCL_VECTOR_NULL, 'ADCL_Vector_deregister')
    call MPI_Cart_shift(cart, 0, 1, left, right)
    call ADCL_Topology_create_generic(1, left, right, direction=ADCL_DIRECTION_BOTH, comm=cart, topo=topo)
    call check(topo /= ADCL_TOPOLOGY_NULL, 'ADCL_Topology_create_generic')
    call ADCL_Topology_free(topo)
    call check(topo == ADCL_TOPOLOGY_NULL, 'ADCL_Topology_free')
    call ADCL_Topology_create_extended(cart, topo)
    call check(topo /= ADCL_TOPOLOGY_NULL, 'ADCL_Topology_create_extended')
    call ADCL_Topology_free(topo)
    call ADCL_Topology_create(cart, 0, topo)
    call check(topo /= ADCL_TOPOLOGY_NULL, 'ADCL_Topology_create')
    call ADCL_Topology_free(topo)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [0], MPI_UNWEIGHTED, 0, [0], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph)
    call ADCL_Topology_create(graph, topo=topo)
    call check(topo /= ADCL_TOPOLOGY_NULL, 'ADCL_Topology_create of a graph')
    call ADCL_Topology_free(topo)
    call MPI_Comm_free(graph)
  end subroutine

  subroutine requests(cart)
    type(MPI_Comm), intent(in) :: cart
    integer, target :: cells(3)
    type(ADCL_Vmap) :: vmap
    type(ADCL_Vector) :: vec, also
    type(ADCL_Topology) :: topo
    type(ADCL_Request) :: request
    type(MPI_Comm) :: comm
    type(c_ptr) :: context
    character(len=ADCL_MAX_NAME) :: name
    integer :: left, right, rank, num, state
    logical :: flag
    call MPI_Comm_rank(cart, rank)
    call MPI_Cart_shift(cart, 0, 1, left, right)
    call ADCL_Vector_register(1, 3, 0, MPI_INTEGER, cells, vec)
    call ADCL_Vmap_halo_allocate(1, vmap)
    call ADCL_Topology_create(cart, topo)
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request)
    call ADCL_Request_free(request)
    call check(request == ADCL_REQUEST_NULL, 'ADCL_Request_free')
    call ADCL_Request_create_generic(vec, vmap, vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request)
    call ADCL_Request_set_context(request, c_loc(cells))
    call ADCL_Request_get_context(request, context)
    call check(c_associated(context, c_loc(cells)), 'ADCL_Request_get_context')
    cells = rank
    call ADCL_Request_init(request)
    call ADCL_Request_progress(request, 0)
    call ADCL_Request_wait(request)
    call check(all(cells == [left, rank, right]), 'ADCL_Request_wait')
    cells = rank
    call ADCL_Request_init(request)
    flag = .false.
    do while (.not. flag)
      call ADCL_Request_test(request, flag)
    end do
    call check(all(cells == [left, rank, right]), 'ADCL_Request_test')
    runs = 0
    call ADCL_Request_start_overlap(request, run, run, run)
    call check(runs == 1 .or. runs == 2, 'ADCL_Request_start_overlap')
    cells = rank
    call ADCL_Request_start(request)
    call check(all(cells == [left, rank, right]), 'ADCL_Request_start')
    call ADCL_Request_update(request, 1d-3)
    call ADCL_Request_verify(request)
    call ADCL_Request_get_functions_num(request, num)
    call check(num >= 1, 'ADCL_Request_get_functions_num')
    call ADCL_Request_get_state(request, state)
    call check(any(state == [ADCL_STATE_SEARCH, ADCL_STATE_PRODUCTION]), 'ADCL_Request_get_state')
    call ADCL_Request_get_curr_function(request, name)
    call check(name /= ' ', 'ADCL_Request_get_curr_function')
    call ADCL_Request_get_winner(request, name)
    call check((name /= ' ') .eqv. (state == ADCL_STATE_PRODUCTION), 'ADCL_Request_get_winner')
    call ADCL_Request_get_fsname(request, name)
    call check(name /= ' ', 'ADCL_Request_get_fsname')
    call ADCL_Request_get_statistics(request, num, name)
    call check(name /= ' ', 'ADCL_Request_get_statistics')
    call ADCL_Request_get_comm(request, comm)
    call check(comm /= MPI_COMM_NULL, 'ADCL_Request_get_comm')
    call ADCL_Request_get_field(request, 1, vec, also)
    call check(vec == also, 'ADCL_Request_get_field')
    call status(request, num, vec, vmap, topo)
    call ADCL_Request_free(request)
    call ADCL_Topology_free(topo)
    call ADCL_Vmap_free(vmap)
    call ADCL_Vector_deregister(vec)
    call ADCL_Halo_init(cells, 1, 3, 0, 1, MPI_INTEGER, cart, request)
    call check(request /= ADCL_REQUEST_NULL, 'ADCL_Halo_init')
    call ADCL_Request_free(request)
  end subroutine

  subroutine status(request, num, vec, vmap, topo)
    type(ADCL_Request), intent(in) :: request
    integer, intent(in) :: num
    type(ADCL_Vector), intent(in) :: vec
    type(ADCL_Vmap), intent(in) :: vmap
    type(ADCL_Topology), intent(in) :: topo
    type(ADCL_Request) :: heir
    integer :: measurements(num), outliers(num), i, state
    real(8) :: mean_s(num), filtered_mean_s(num)
    measurements = -1
    call ADCL_Request_save_status(request, num, measurements, mean_s, filtered_mean_s, outliers)
    call check(all(measurements >= 0), 'ADCL_Request_save_status')
    call ADCL_Option_set('ADCL_MERGE_REQUESTS', '0')
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, heir)
    measurements = 1
    mean_s = [(1d-3*i, i=1, num)]
    outliers = 0
    call ADCL_Request_restore_status(heir, num, measurements, mean_s, mean_s, outliers)
    call ADCL_Request_start(heir)
    call ADCL_Request_start(heir)
    call ADCL_Request_get_state(heir, state)
    call check(state == ADCL_STATE_PRODUCTION, 'ADCL_Request_restore_status')
    call ADCL_Request_free(heir)
    call ADCL_Option_set('ADCL_MERGE_REQUESTS', '1')
  end subroutine

  subroutine codelets()
    type(ADCL_Attribute) :: attribute
    type(ADCL_Attrset) :: attrset
    type(ADCL_Function) :: functions(2)
    type(ADCL_Fnctset) :: set
    type(ADCL_Request) :: request
    call ADCL_Attribute_create(2, [1, 2], ['a', 'b'], 'name', attribute)
    call ADCL_Attrset_create(1, attribute, attrset)
    call ADCL_Function_create(run, attrset, 1, 'first', functions(1))
    call ADCL_Function_create_async(run, run, attrset, 2, 'second', functions(2))
    call ADCL_Fnctset_create(2, functions, 'set', set)
    call check(set /= ADCL_FNCTSET_NULL, 'ADCL_Fnctset_create')
    call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, request)
    runs = 0
    call ADCL_Request_start(request)
    call check(runs == 1 .or. runs == 2, 'a codelet ran')
    call ADCL_Request_free(request)
    call ADCL_Fnctset_free(set)
    call check(set == ADCL_FNCTSET_NULL, 'ADCL_Fnctset_free')
    call ADCL_Fnctset_create_single(run, ADCL_NULL_FUNCTION, attrset, 'single', 0, 0, set)
    call check(set /= ADCL_FNCTSET_NULL, 'ADCL_Fnctset_create_single')
    call ADCL_Fnctset_free(set)
    call ADCL_Function_free(functions(1))
    call ADCL_Function_free(functions(2))
    call check(all(functions == ADCL_FUNCTION_NULL), 'ADCL_Function_free')
    call ADCL_Attrset_free(attrset)
    call check(attrset == ADCL_ATTRSET_NULL, 'ADCL_Attrset_free')
    call ADCL_Attribute_free(attribute)
    call check(attribute == ADCL_ATTRIBUTE_NULL, 'ADCL_Attribute_free')
  end subroutine

end module plain_cases

program without_ierror
  use plain_cases
  implicit none
  type(MPI_Comm) :: cart
  logical :: flag
  call MPI_Init()
  call environment()
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [world_size()], [.true.], .false., cart)
  call data_and_topologies(cart)
  call requests(cart)
  call codelets()
  call MPI_Comm_free(cart)
  call check(len(ADCL_Last_error()) > 0, 'the one failed call left a message')
  call ADCL_Finalize()
  call ADCL_Initialized(flag)
  call check(.not. flag, 'ADCL_Finalize')
  call finish()
end program without_ierror
