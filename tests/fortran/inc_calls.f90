! ranks: 1 2 3
! Every call through ADCL.inc, with integer handles. This source is
! compiled in fixed and in free form, by the same rules as ADCL.inc.
      module inc_cases
        use, intrinsic :: iso_c_binding
        use checks
        implicit none
        public
        include 'mpif.h'
        include 'ADCL.inc'
        integer :: cart, left, right, rank, ranks, runs = 0, waits = 0
        integer, target :: cells(6), others(6), work(3) = 0

      contains

        subroutine check_cells(array, what)
          integer, intent(in) :: array(6)
          character(len=*), intent(in) :: what
          call check(array(1) == 10*left + 5, what//': left')
          call check(array(6) == 10*right + 2, what//': right')
        end subroutine

        subroutine environment()
          logical :: flag
          integer :: major, minor, patch, ierr
          character(len=40) :: text
          call ADCL_Initialized(flag, ierr)
          call check(ierr == 0 .and. .not. flag, 'not yet initialized')
          call ADCL_Init(ierr)
          call check_ok(ierr, 'ADCL_Init')
          call ADCL_Initialized(flag, ierr)
          call check(ierr == 0 .and. flag, 'initialized')
          call ADCL_Get_version(major, minor, patch, ierr)
          call check_ok(ierr, 'ADCL_Get_version')
          call check(major == ADCL_VERSION_MAJOR, 'the version')
          call check(minor == ADCL_VERSION_MINOR, 'the minor version')
          call check(patch == ADCL_VERSION_PATCH, 'the patch')
          call ADCL_Option_set('ADCL_SEARCH', 'brute_force', ierr)
          call check_ok(ierr, 'ADCL_Option_set')
          call ADCL_Option_get('ADCL_SEARCH', text, ierr)
          call check_ok(ierr, 'ADCL_Option_get')
          call check(text == 'brute_force', 'the option')
          call ADCL_Option_set('ADCL_MEASUREMENTS', '1', ierr)
          call ADCL_Option_set('ADCL_SEARCHES', '1', ierr)
          call check(ierr == ADCL_ERR_OPTION, 'an unknown option')
          text = ADCL_Last_error()
          call check(index(text, 'ADCL_Option_set') > 0, 'the message')
          text = ADCL_Error_string(ADCL_ERR_OPTION)
          call check(text /= ' ', 'the text of a code')
        end subroutine

        subroutine make_ring()
          integer :: ierr
          logical :: periods(1)
          ranks = world_size()
          periods = .true.
          call MPI_Cart_create(MPI_COMM_WORLD, 1, ranks, periods,       &
     &        .false., cart, ierr)
          call MPI_Comm_rank(cart, rank, ierr)
          call MPI_Cart_shift(cart, 0, 1, left, right, ierr)
        end subroutine

        subroutine topologies()
          integer :: graph, topo, ierr
          call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, [0],   &
     &        MPI_UNWEIGHTED, 0, [0], MPI_UNWEIGHTED, MPI_INFO_NULL,    &
     &        .false., graph, ierr)
          call ADCL_Topology_create(cart, 0, topo, ierr)
          call check_ok(ierr, 'ADCL_Topology_create with a root')
          call ADCL_Topology_free(topo, ierr)
          call check_ok(ierr, 'ADCL_Topology_free')
          call check(topo == ADCL_TOPOLOGY_NULL, 'a freed topology')
          call ADCL_Topology_create(cart, topo, ierr)
          call check_ok(ierr, 'ADCL_Topology_create without a root')
          call ADCL_Topology_free(topo, ierr)
          call ADCL_Topology_create_generic(1, left, right, rank,       &
     &        ADCL_DIRECTION_BOTH, cart, topo, ierr)
          call check_ok(ierr, 'ADCL_Topology_create_generic')
          call ADCL_Topology_free(topo, ierr)
          call ADCL_Topology_create_extended(cart, topo, ierr)
          call check_ok(ierr, 'ADCL_Topology_create_extended')
          call ADCL_Topology_free(topo, ierr)
          call ADCL_Topology_create(graph, 0, topo, ierr)
          call check_ok(ierr, 'ADCL_Topology_create of a graph')
          call ADCL_Topology_free(topo, ierr)
          call ADCL_Topology_create(MPI_COMM_NULL, topo, ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT, 'communicator',   &
     &        'no communicator')
          call MPI_Comm_free(graph, ierr)
        end subroutine

        subroutine vmaps()
          integer :: vmap, ierr
          call ADCL_Vmap_halo_allocate_generic(2, [1, 0], [0, 2], vmap, &
     &        ierr)
          call check_ok(ierr, 'ADCL_Vmap_halo_allocate_generic')
          call ADCL_Vmap_free(vmap, ierr)
          call check_ok(ierr, 'ADCL_Vmap_free')
          call ADCL_Vmap_graph_allocate(1, 1, 2, 1, 1, 1, vmap, ierr)
          call check_ok(ierr, 'ADCL_Vmap_graph_allocate')
          call ADCL_Vmap_free(vmap, ierr)
          call ADCL_Vmap_graph_allocate(1, 1, 0, 1, 1, 1, vmap, ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT,                   &
     &        'sindices(1) is 0', 'grid point 0')
        end subroutine

        subroutine vectors()
          integer :: vec, ierr
          real(8), target :: field(3, 4, 5), both(3, 4, 10)
          type(c_ptr) :: pointer
          integer(MPI_ADDRESS_KIND) :: address
          call ADCL_Vector_register_generic(2, [4, 5], 3,               &
     &        MPI_DOUBLE_PRECISION, field, vec, ierr)
          call check_ok(ierr, 'ADCL_Vector_register_generic')
          call ADCL_Vector_get_data(vec, pointer, ierr)
          call check(c_associated(pointer, c_loc(field)), 'the address')
          call ADCL_Vector_get_data(vec, address, ierr)
          call check(address == transfer(pointer, address),             &
     &        'the integer')
          call ADCL_Vector_rebind(vec, field(:, :, 2), ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT, '96', 'too small')
          call ADCL_Vector_rebind(vec, both(:, :, 6:), ierr)
          call check_ok(ierr, 'ADCL_Vector_rebind')
          call ADCL_Vector_get_data(vec, pointer, ierr)
          call check(c_associated(pointer, c_loc(both(1, 1, 6))),       &
     &        'rebound')
          call ADCL_Vector_free(vec, ierr)
          call check(ierr == ADCL_ERR_STATE, 'a registered vector')
          call ADCL_Vector_set_order(vec, ADCL_ORDER_C, ierr)
          call check_ok(ierr, 'ADCL_Vector_set_order')
          call ADCL_Vector_deregister(vec, ierr)
          call check_ok(ierr, 'ADCL_Vector_deregister')
          call ADCL_Vector_register(1, 61, 0, MPI_DOUBLE_PRECISION,     &
     &        field, vec, ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT, '488 bytes',      &
     &        'an array too small')
          call ADCL_Vector_register(1, 2, 0, MPI_DOUBLE_PRECISION,      &
     &        field(1:3:2, 1, 1), vec, ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT, 'section',        &
     &        'a section')
        end subroutine

        subroutine halos()
          integer :: req, num, i, state, measurements, outliers, ierr
          integer :: comm, my_rank, my_size, svec, rvec, start
          character(len=ADCL_MAX_NAME) :: name
          real(8) :: mean_s, filtered_mean_s
          logical :: flag
          type(c_ptr) :: context
          integer(MPI_ADDRESS_KIND) :: address
          external inc_middle, inc_ending, inc_everything
          call ADCL_Halo_init(cells, 1, 6, 0, 1, MPI_INTEGER, cart, req,&
     &        ierr)
          call check_ok(ierr, 'ADCL_Halo_init')
          call ADCL_Request_get_functions_num(req, num, ierr)
          call check(ierr == 0 .and. num >= 2,                          &
     &        'ADCL_Request_get_functions_num')
          do start = 1, 2*num
            cells = [(10*rank + i, i=1, 6)]
            call ADCL_Request_start(req, ierr)
            call check_ok(ierr, 'ADCL_Request_start')
            call check_cells(cells, 'start')
            call ADCL_Request_update(req, 1d-3*start, ierr)
            call check_ok(ierr, 'ADCL_Request_update')
          end do
          call ADCL_Request_get_state(req, state, ierr)
          call check(state == ADCL_STATE_PRODUCTION, 'the state')
          call ADCL_Request_get_curr_function(req, name, ierr)
          call check(ierr == 0 .and. name /= ' ', 'the function')
          call ADCL_Request_get_winner(req, name, ierr)
          call check(ierr == 0 .and. name /= ' ', 'the winner')
          call ADCL_Request_get_fsname(req, name, ierr)
          call check(ierr == 0 .and. name /= ' ', 'the set')
          do i = 1, num
            call ADCL_Request_get_statistics(req, i, name, measurements,&
     &          mean_s, filtered_mean_s, outliers, ierr)
            call check_ok(ierr, 'ADCL_Request_get_statistics')
            call check(measurements > 0 .and. mean_s > 0, 'statistics')
          end do
          call ADCL_Request_get_statistics(req, 0, name, measurements,  &
     &        mean_s, filtered_mean_s, outliers, ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT, 'i is 0',         &
     &        'candidate 0')
          call ADCL_Request_get_comm(req, comm, my_rank, my_size, ierr)
          call check_ok(ierr, 'ADCL_Request_get_comm')
          call check(my_rank == rank .and. my_size == ranks, 'ranks')
          call ADCL_Request_verify(req, ierr)
          call check_ok(ierr, 'ADCL_Request_verify')
          call MPI_Comm_compare(comm, cart, i, ierr)
          call check(i == MPI_CONGRUENT, 'the communicator')
          call ADCL_Request_get_field(req, 1, svec, rvec, ierr)
          call ADCL_Request_set_context(req, c_loc(cells), ierr)
          call check_ok(ierr, 'ADCL_Request_set_context')
          call ADCL_Request_get_context(req, context, ierr)
          call check(c_associated(context, c_loc(cells)), 'the context')
          address = 42
          call ADCL_Request_set_context(req, address, ierr)
          address = 0
          call ADCL_Request_get_context(req, address, ierr)
          call check(address == 42, 'the integer context')

          call ADCL_Request_free(req, ierr)
          call check(ierr == 0 .and. req == ADCL_REQUEST_NULL, 'freed')
          call ADCL_Halo_init(cells, 1, 6, 0, 1, MPI_INTEGER, cart, req,&
     &        ierr)
          cells = [(10*rank + i, i=1, 6)]
          call ADCL_Request_init(req, ierr)
          call check_ok(ierr, 'ADCL_Request_init')
          call ADCL_Request_progress(req, 0, ierr)
          call check_ok(ierr, 'ADCL_Request_progress')
          call ADCL_Request_wait(req, ierr)
          call check_ok(ierr, 'ADCL_Request_wait')
          call check_cells(cells, 'wait')
          cells = [(10*rank + i, i=1, 6)]
          call ADCL_Request_init(req, ierr)
          do i = 1, 1000000
            call ADCL_Request_test(req, flag, ierr)
            if (flag .or. ierr /= 0) exit
          end do
          call check(ierr == 0 .and. flag, 'ADCL_Request_test')
          call check_cells(cells, 'test')
          cells = [(10*rank + i, i=1, 6)]
          call ADCL_Request_start_overlap(req, inc_middle, inc_ending,  &
     &        inc_everything, ierr)
          call check_ok(ierr, 'ADCL_Request_start_overlap')
          call check_cells(cells, 'overlap')
          call check(all(work == [1, 1, 0]) .or. all(work == [0, 0, 1]),&
     &        'each work function ran once')
          call ADCL_Request_free(req, ierr)
          call ADCL_Request_start(req, ierr)
          call check_refused(ierr, ADCL_ERR_HANDLE,                     &
     &        'ADCL_Request_start', 'a null request')
        end subroutine

        subroutine two_vectors()
          integer :: svec, rvec, vmap, topo, req, heir, num, i, ierr
          integer :: first, second, state
          integer :: measurements(99), outliers(99)
          real(8) :: mean_s(99), filtered_mean_s(99)
          call ADCL_Vector_register(1, 6, 0, MPI_INTEGER, cells, svec,  &
     &        ierr)
          call check_ok(ierr, 'ADCL_Vector_register')
          call ADCL_Vector_register(1, [6], 0, MPI_INTEGER, others,     &
     &        rvec, ierr)
          call ADCL_Vmap_halo_allocate(1, vmap, ierr)
          call check_ok(ierr, 'ADCL_Vmap_halo_allocate')
          call ADCL_Topology_create(cart, topo, ierr)
          call ADCL_Request_create(svec, vmap, topo,                    &
     &        ADCL_FNCTSET_NEIGHBORHOOD, req, ierr)
          call check_ok(ierr, 'ADCL_Request_create')
          call ADCL_Request_free(req, ierr)
          call ADCL_Request_create_generic(svec, vmap, rvec, vmap, topo,&
     &        ADCL_FNCTSET_NEIGHBORHOOD, req, ierr)
          call check_ok(ierr, 'ADCL_Request_create_generic')
          call ADCL_Request_get_field(req, 1, first, second, ierr)
          call check(ierr == 0 .and. first == svec, 'the sent vector')
          call check(second == rvec, 'the received vector')
          call ADCL_Request_get_functions_num(req, num, ierr)
          do i = 1, 2*num
            cells = 10*rank + [1, 2, 3, 4, 5, 6]
            others = -1
            call ADCL_Request_start(req, ierr)
            call check_cells(others, 'two vectors')
          end do
          call ADCL_Request_save_status(req, num, measurements, mean_s, &
     &        filtered_mean_s, outliers, ierr)
          call check_ok(ierr, 'ADCL_Request_save_status')
          call check(all(measurements(1:num) > 0), 'the status')
          call ADCL_Option_set('ADCL_MERGE_REQUESTS', '0', ierr)
          call ADCL_Request_create_generic(svec, vmap, rvec, vmap, topo,&
     &        ADCL_FNCTSET_NEIGHBORHOOD, heir, ierr)
          call ADCL_Request_restore_status(heir, num, measurements,     &
     &        mean_s, filtered_mean_s, outliers, ierr)
          call check_ok(ierr, 'ADCL_Request_restore_status')
          call ADCL_Request_start(heir, ierr)
          call ADCL_Request_start(heir, ierr)
          call ADCL_Request_get_state(heir, state, ierr)
          call check(state == ADCL_STATE_PRODUCTION,                    &
     &        'nothing to search')
          call ADCL_Option_set('ADCL_MERGE_REQUESTS', '1', ierr)
          call ADCL_Request_free(heir, ierr)
          call ADCL_Request_free(req, ierr)
          call ADCL_Topology_free(topo, ierr)
          call ADCL_Vmap_free(vmap, ierr)
          call ADCL_Vector_deregister(svec, ierr)
          call ADCL_Vector_deregister(rvec, ierr)
        end subroutine

        subroutine codelets()
          integer :: attr, attrset, funcs(2), set, single, req, i, ierr
          external inc_run, inc_wait
          call ADCL_Attribute_create(2, [3, 4], ['run ', 'wait'], 'way',&
     &        attr, ierr)
          call check_ok(ierr, 'ADCL_Attribute_create')
          call ADCL_Attrset_create(1, attr, attrset, ierr)
          call check_ok(ierr, 'ADCL_Attrset_create')
          call ADCL_Function_create(inc_run, attrset, 3, 'run',         &
     &        funcs(1), ierr)
          call check_ok(ierr, 'ADCL_Function_create')
          call ADCL_Function_create_async(inc_run, inc_wait, attrset, 4,&
     &        'wait', funcs(2), ierr)
          call check_ok(ierr, 'ADCL_Function_create_async')
          call ADCL_Fnctset_create(2, funcs, 'two', set, ierr)
          call check_ok(ierr, 'ADCL_Fnctset_create')
          call ADCL_Fnctset_set_sharing(set, 1, ierr)
          call check_ok(ierr, 'ADCL_Fnctset_set_sharing')
          call ADCL_Fnctset_create_single(inc_run, ADCL_NULL_FUNCTION,  &
     &        attrset, 'single', 4, 1, single, ierr)
          call check_ok(ierr, 'ADCL_Fnctset_create_single')
          call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL,    &
     &        ADCL_TOPOLOGY_NULL, set, req, ierr)
          call check_ok(ierr, 'a request of the set')
          do i = 1, 20
            call ADCL_Request_start(req, ierr)
          end do
          call check(runs == 20, 'every start ran a codelet')
          call check(waits > 0 .and. waits < 20, 'one has two parts')
          call ADCL_Request_free(req, ierr)
          call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL,    &
     &        ADCL_TOPOLOGY_NULL, single, req, ierr)
          call ADCL_Request_get_functions_num(req, i, ierr)
          call check(ierr == 0 .and. i == 1, 'one is excluded')
          call ADCL_Request_free(req, ierr)
          call ADCL_Function_create(ADCL_NULL_FUNCTION, attrset, 3,     &
     &        'none', i, ierr)
          call check_refused(ierr, ADCL_ERR_ARGUMENT, 'fn',             &
     &        'no function')
          call ADCL_Fnctset_free(single, ierr)
          call check_ok(ierr, 'ADCL_Fnctset_free')
          call ADCL_Fnctset_free(set, ierr)
          call ADCL_Function_free(funcs(1), ierr)
          call check_ok(ierr, 'ADCL_Function_free')
          call ADCL_Function_free(funcs(2), ierr)
          call ADCL_Attrset_free(attrset, ierr)
          call check_ok(ierr, 'ADCL_Attrset_free')
          call ADCL_Attribute_free(attr, ierr)
          call check_ok(ierr, 'ADCL_Attribute_free')
        end subroutine

      end module inc_cases

      subroutine inc_run(request)
        use inc_cases
        implicit none
        integer request
        integer values(1), ierr
        call ADCL_Request_get_attribute_values(request, 1, values, ierr)
        call check(ierr == 0, 'ADCL_Request_get_attribute_values')
        call check(values(1) == 3 .or. values(1) == 4, 'the value')
        runs = runs + 1
      end subroutine

      subroutine inc_wait(request)
        use inc_cases
        implicit none
        integer request
        if (request /= ADCL_REQUEST_NULL) waits = waits + 1
      end subroutine

      subroutine inc_middle(request)
        use inc_cases
        implicit none
        integer request
        if (request /= ADCL_REQUEST_NULL) work(1) = work(1) + 1
      end subroutine

      subroutine inc_ending(request)
        use inc_cases
        implicit none
        integer request
        if (request /= ADCL_REQUEST_NULL) work(2) = work(2) + 1
      end subroutine

      subroutine inc_everything(request)
        use inc_cases
        implicit none
        integer request
        if (request /= ADCL_REQUEST_NULL) work(3) = work(3) + 1
      end subroutine

      program inc_calls
        use inc_cases
        implicit none
        integer :: ierr
        call MPI_Init(ierr)
        call environment()
        call make_ring()
        call topologies()
        call vmaps()
        call vectors()
        call halos()
        call two_vectors()
        call codelets()
        call MPI_Comm_free(cart, ierr)
        call ADCL_Finalize(ierr)
        call check_ok(ierr, 'ADCL_Finalize')
        call finish()
      end program inc_calls
