! ranks: 1 2 3 4
! timeout: 120
!> The life of a request and its queries; uses the integers of module mpi where a type of mpi_f08 would also work.
module request_cases
  use, intrinsic :: iso_c_binding
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  integer :: work(3) = 0  !< calls of the work functions of start_overlap

  !> A ring on which two arrays are sent and received.
  type :: ring_t
    type(MPI_Comm) :: comm
    integer :: left, right, rank
    integer :: sent(6), received(6)
    type(ADCL_Vector) :: svec, rvec
    type(ADCL_Vmap) :: vmap
    type(ADCL_Topology) :: topo
  end type

contains

  subroutine make(ring)
    type(ring_t), intent(inout), target :: ring
    integer :: ierror
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [world_size()], [.true.], .false., ring%comm)
    call MPI_Comm_rank(ring%comm, ring%rank)
    call MPI_Cart_shift(ring%comm, 0, 1, ring%left, ring%right)
    call ADCL_Vector_register(1, 6, 0, MPI_INTEGER, ring%sent, ring%svec, ierror)
    call check_ok(ierror, 'the sent vector')
    call ADCL_Vector_register(1, 6, 0, MPI_INTEGER, ring%received, ring%rvec, ierror)
    call check_ok(ierror, 'the received vector')
    call ADCL_Vmap_halo_allocate(1, ring%vmap, ierror)
    call check_ok(ierror, 'ADCL_Vmap_halo_allocate')
    call ADCL_Topology_create(ring%comm, ring%topo, ierror)
    call check_ok(ierror, 'ADCL_Topology_create')
  end subroutine

  subroutine unmake(ring)
    type(ring_t), intent(inout) :: ring
    call ADCL_Topology_free(ring%topo)
    call ADCL_Vmap_free(ring%vmap)
    call ADCL_Vector_deregister(ring%svec)
    call ADCL_Vector_deregister(ring%rvec)
    call MPI_Comm_free(ring%comm)
  end subroutine

  subroutine fill(ring, start)
    type(ring_t), intent(inout) :: ring
    integer, intent(in) :: start
    integer :: i
    ring%sent = [(1000*start + 10*ring%rank + i, i=1, 6)]
    ring%received = -1
  end subroutine

  subroutine verify(ring, start, what)
    type(ring_t), intent(in) :: ring
    integer, intent(in) :: start
    character(len=*), intent(in) :: what
    call check(ring%received(1) == 1000*start + 10*ring%left + 5, what//': the left halo')
    call check(ring%received(6) == 1000*start + 10*ring%right + 2, what//': the right halo')
    call check(all(ring%received(2:5) == -1), what//': the interior')
  end subroutine

  subroutine middle(request)
    type(ADCL_Request), intent(in) :: request
    if (request /= ADCL_REQUEST_NULL) work(1) = work(1) + 1
  end subroutine

  subroutine ending(request)
    type(ADCL_Request), intent(in) :: request
    if (request /= ADCL_REQUEST_NULL) work(2) = work(2) + 1
  end subroutine

  subroutine everything(request)
    type(ADCL_Request), intent(in) :: request
    if (request /= ADCL_REQUEST_NULL) work(3) = work(3) + 1
  end subroutine

  subroutine every_mode()
    type(ring_t) :: ring
    type(ADCL_Request) :: request, overlapped
    logical :: flag
    integer :: start, polls, ierror
    call make(ring)
    call ADCL_Request_create_generic(ring%svec, ring%vmap, ring%rvec, ring%vmap, ring%topo, &
                                     ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check_ok(ierror, 'ADCL_Request_create_generic')
    call ADCL_Request_create_generic(ring%svec, ring%vmap, ring%rvec, ring%vmap, ring%topo, &
                                     ADCL_FNCTSET_NEIGHBORHOOD, overlapped, ierror)
    call check_ok(ierror, 'a second request')
    do start = 1, 40
      call fill(ring, start)
      call ADCL_Request_start(request, ierror)
      call check_ok(ierror, 'ADCL_Request_start')
      call verify(ring, start, 'start')
      call ADCL_Request_update(request, 1d-3*start, ierror)
      call check_ok(ierror, 'ADCL_Request_update')

      call fill(ring, start + 100)
      call ADCL_Request_init(overlapped, ierror)
      call check_ok(ierror, 'ADCL_Request_init')
      call ADCL_Request_progress(overlapped, 1, ierror)
      call check_ok(ierror, 'ADCL_Request_progress')
      call ADCL_Request_wait(overlapped, ierror)
      call check_ok(ierror, 'ADCL_Request_wait')
      call verify(ring, start + 100, 'wait')

      call fill(ring, start + 200)
      call ADCL_Request_init(overlapped, ierror)
      do polls = 1, 1000000
        call ADCL_Request_test(overlapped, flag, ierror)
        if (flag .or. ierror /= ADCL_SUCCESS) exit
      end do
      call check_ok(ierror, 'ADCL_Request_test')
      call check(flag, 'the operation ends in a test')
      call verify(ring, start + 200, 'test')

      call fill(ring, start + 300)
      work = 0
      call ADCL_Request_start_overlap(overlapped, middle, ending, everything, ierror)
      call check_ok(ierror, 'ADCL_Request_start_overlap')
      call verify(ring, start + 300, 'overlap')
      call check(all(work == [1, 1, 0]) .or. all(work == [0, 0, 1]), 'each work function ran once')
    end do
    call ADCL_Request_wait(overlapped, ierror)
    call check_refused(ierror, ADCL_ERR_STATE, 'ADCL_Request_wait', 'a wait without an init')
    call ADCL_Request_start_overlap(overlapped, ADCL_NULL_FUNCTION, ending, everything, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'mid', 'no work function')
    call ADCL_Request_update(request, -1d0, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'seconds', 'a negative time')
    call ADCL_Request_free(request, ierror)
    call check(ierror == ADCL_SUCCESS .and. request == ADCL_REQUEST_NULL, 'ADCL_Request_free')
    call ADCL_Request_free(overlapped)
    call unmake(ring)
  end subroutine

  subroutine request_queries()
    type(ring_t), target :: ring
    type(ADCL_Request) :: request
    type(ADCL_Vector) :: svec, rvec
    type(MPI_Comm) :: comm
    type(c_ptr) :: context
    character(len=ADCL_MAX_NAME) :: name
    real(8) :: mean_s, filtered_mean_s
    integer(MPI_ADDRESS_KIND) :: address
    integer :: state, num, i, measurements, outliers, rank, ranks, start, comm_int, result, ierror
    call make(ring)
    call ADCL_Request_create_generic(ring%svec, ring%vmap, ring%rvec, ring%vmap, ring%topo, &
                                     ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call ADCL_Request_get_fsname(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. len_trim(name) > 0, 'ADCL_Request_get_fsname')
    call ADCL_Request_set_name(request, 'pressure', ierror)
    call check_ok(ierror, 'ADCL_Request_set_name')
    call ADCL_Request_set_name(request, '  ', ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'name has 0 bytes', 'set_name')
    call ADCL_Request_get_winner(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. name == ' ', 'no winner while searching')
    call ADCL_Request_get_state(request, state, ierror)
    call check(ierror == ADCL_SUCCESS .and. state == ADCL_STATE_SEARCH, 'ADCL_Request_get_state')
    call ADCL_Request_get_functions_num(request, num, ierror)
    call check(ierror == ADCL_SUCCESS .and. num >= 2, 'ADCL_Request_get_functions_num')
    do start = 1, 2*num
      call ADCL_Request_start(request, ierror)
    end do
    call ADCL_Request_get_state(request, state, ierror)
    call check(state == ADCL_STATE_PRODUCTION, 'the search is over')
    call ADCL_Request_get_winner(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. len_trim(name) > 0, 'ADCL_Request_get_winner')
    call ADCL_Request_get_curr_function(request, name(1:100), ierror)
    call check_ok(ierror, 'ADCL_Request_get_curr_function')
    do i = 1, num
      call ADCL_Request_get_statistics(request, i, name, measurements, mean_s, filtered_mean_s, outliers, ierror)
      call check_ok(ierror, 'ADCL_Request_get_statistics')
      call check(len_trim(name) > 0 .and. measurements >= 1 .and. mean_s > 0 .and. filtered_mean_s > 0 &
                 .and. outliers >= 0, 'every candidate was measured')
      call ADCL_Request_get_statistics(request, i, mean_s=filtered_mean_s, ierror=ierror)
      call check(ierror == ADCL_SUCCESS .and. filtered_mean_s == mean_s, 'the mean alone')
    end do
    call ADCL_Request_get_statistics(request, 0, name, ierror=ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'i is 0; the candidates are 1 to', 'candidate 0')
    call ADCL_Request_get_statistics(request, num + 1, name, ierror=ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Request_get_statistics', 'an index beyond the candidates')

    call ADCL_Request_get_comm(request, comm, rank, ranks, ierror)
    call check_ok(ierror, 'ADCL_Request_get_comm')
    call check(rank == ring%rank, 'the rank')
    call check(ranks == world_size(), 'the number of ranks')
    call MPI_Comm_compare(comm, ring%comm, result)
    call check(result == MPI_CONGRUENT, 'the communicator is a duplicate')
    call ADCL_Request_get_comm(request, comm_int, ierror=ierror)
    call check(ierror == ADCL_SUCCESS .and. comm_int == comm%MPI_VAL, 'the communicator as an integer')
    call ADCL_Request_get_field(request, 1, svec, rvec, ierror)
    call check(ierror == ADCL_SUCCESS .and. svec == ring%svec .and. rvec == ring%rvec, 'ADCL_Request_get_field')
    call ADCL_Request_set_context(request, c_loc(ring), ierror)
    call check_ok(ierror, 'ADCL_Request_set_context')
    call ADCL_Request_get_context(request, context, ierror)
    call check(ierror == ADCL_SUCCESS .and. c_associated(context, c_loc(ring)), 'ADCL_Request_get_context')
    address = 4711
    call ADCL_Request_set_context(request, address, ierror)
    call check_ok(ierror, 'ADCL_Request_set_context with an integer')
    address = 0
    call ADCL_Request_get_context(request, address, ierror)
    call check(ierror == ADCL_SUCCESS .and. address == 4711, 'ADCL_Request_get_context with an integer')
    call status_is_restored(ring, request, num)
    call ADCL_Request_free(request)
    call unmake(ring)
  end subroutine

  !> The status of a search is restored in another request, which then does not search.
  subroutine status_is_restored(ring, request, num)
    type(ring_t), intent(inout) :: ring
    type(ADCL_Request), intent(in) :: request
    integer, intent(in) :: num
    type(ADCL_Request) :: heir
    integer :: measurements(num), outliers(2*num), state, start, ierror
    real(8) :: mean_s(num), filtered_mean_s(num)
    character(len=ADCL_MAX_NAME) :: winner, inherited
    outliers = -1
    call ADCL_Request_save_status(request, num, measurements, mean_s, filtered_mean_s, outliers(::2), ierror)
    call check_ok(ierror, 'ADCL_Request_save_status')
    call check(all(measurements >= 1) .and. all(mean_s > 0) .and. all(filtered_mean_s > 0), 'the status is complete')
    call check(all(outliers(::2) >= 0) .and. all(outliers(2::2) == -1), 'into an array with a stride')
    call ADCL_Request_save_status(request, num, measurements, mean_s(2:), filtered_mean_s, outliers, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'mean_s has', 'an array that is too short')
    call ADCL_Request_get_winner(request, winner, ierror)

    call ADCL_Option_set('ADCL_MERGE_REQUESTS', '0')
    call ADCL_Request_create_generic(ring%svec, ring%vmap, ring%rvec, ring%vmap, ring%topo, &
                                     ADCL_FNCTSET_NEIGHBORHOOD, heir, ierror)
    call check_ok(ierror, 'a request that restores a status')
    call ADCL_Option_set('ADCL_MERGE_REQUESTS', '1')
    if (ring%rank == 0) then
      call ADCL_Request_restore_status(heir, num, measurements(2:), mean_s, filtered_mean_s, outliers(::2), ierror)
      call check_refused(ierror, ADCL_ERR_ARGUMENT, 'measurements has', 'an array that is too short, on rank 0')
    else
      call ADCL_Request_restore_status(heir, num, measurements, mean_s, filtered_mean_s, outliers(::2), ierror)
      call check(ierror == ADCL_ERR_ARGUMENT, 'an array that is too short, on another rank')
    end if
    call ADCL_Request_restore_status(heir, num, measurements, mean_s, filtered_mean_s, outliers(::2), ierror)
    call check_ok(ierror, 'ADCL_Request_restore_status')
    do start = 1, 3
      call fill(ring, start)
      call ADCL_Request_start(heir, ierror)
      call check_ok(ierror, 'a start of the request with the restored status')
      call verify(ring, start, 'inherited')
    end do
    call ADCL_Request_get_state(heir, state, ierror)
    call check(state == ADCL_STATE_PRODUCTION, 'nothing is left to search')
    call ADCL_Request_get_winner(heir, inherited, ierror)
    call check(inherited == winner, 'the winner is '//trim(inherited)//' and not '//trim(winner))
    call ADCL_Request_free(heir)
  end subroutine

  !> Every function rejects a freed request; the message contains the function's name.
  subroutine freed_requests()
    type(ADCL_Request) :: request, freed
    type(ADCL_Vector) :: vec, also
    type(ring_t), target :: ring
    type(MPI_Comm) :: comm
    type(c_ptr) :: context
    character(len=20) :: name
    integer :: numbers(1), ierror
    logical :: flag
    real(8) :: times(1)
    call make(ring)
    call ADCL_Halo_init(ring%received, 1, 6, 0, 1, MPI_INTEGER, ring%comm, request, ierror)
    call check_ok(ierror, 'ADCL_Halo_init')
    freed = request
    call ADCL_Request_free(request)
    call ADCL_Request_start(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_start', 'start')
    call ADCL_Request_init(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_init', 'init')
    call ADCL_Request_wait(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_wait', 'wait')
    call ADCL_Request_test(freed, flag, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_test', 'test')
    call check(.not. flag, 'a refused test is not done')
    call ADCL_Request_progress(freed, 0, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_progress', 'progress')
    call ADCL_Request_start_overlap(freed, middle, ending, everything, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_start_overlap', 'start_overlap')
    call ADCL_Request_update(freed, 1d0, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_update', 'update')
    call ADCL_Request_verify(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_verify', 'verify')
    call ADCL_Request_get_state(freed, numbers(1), ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_state', 'get_state')
    call ADCL_Request_get_curr_function(freed, name, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_curr_function', 'get_curr_function')
    call ADCL_Request_get_winner(freed, name, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_winner', 'get_winner')
    call ADCL_Request_get_fsname(freed, name, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_fsname', 'get_fsname')
    call ADCL_Request_set_name(freed, 'pressure', ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_set_name', 'set_name')
    call ADCL_Request_get_functions_num(freed, numbers(1), ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_functions_num', 'get_functions_num')
    call ADCL_Request_get_statistics(freed, 1, name, ierror=ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get', 'get_statistics')
    call ADCL_Request_get_comm(freed, comm, ierror=ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_comm', 'get_comm')
    call check(comm == MPI_COMM_NULL, 'no communicator')
    call ADCL_Request_get_field(freed, 1, vec, also, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_field', 'get_field')
    call ADCL_Request_get_attribute_values(freed, 1, numbers, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_attribute_values', 'get_attribute_values')
    call ADCL_Request_set_context(freed, c_loc(ring), ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_set_context', 'set_context')
    call ADCL_Request_get_context(freed, context, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_get_context', 'get_context')
    call ADCL_Request_save_status(freed, 1, numbers, times, times, numbers, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_save_status', 'save_status')
    call ADCL_Request_restore_status(freed, 1, [1], [1d0], [1d0], [0], ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_restore_status', 'restore_status')
    call ADCL_Request_free(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Request_free', 'free')
    call unmake(ring)
  end subroutine

  !> If one rank passes a wrong argument, creation fails on all ranks.
  subroutine refused_creation()
    type(ring_t), target :: ring
    type(ADCL_Request) :: request
    integer :: dims, ierror
    call make(ring)
    call ADCL_Request_create(ADCL_VECTOR_NULL, ring%vmap, ring%topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check(ierror == ADCL_ERR_HANDLE .and. request == ADCL_REQUEST_NULL, 'a request without a vector')
    call ADCL_Request_create_generic(ring%svec, ring%vmap, ring%rvec, ADCL_VMAP_NULL, ring%topo, &
                                     ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check(ierror == ADCL_ERR_HANDLE .and. request == ADCL_REQUEST_NULL, 'a request without a vmap')
    call ADCL_Halo_init(ring%received, 1, 6, 0, 4, MPI_INTEGER, ring%comm, request, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Halo_init', 'a halo wider than the block')
    call ADCL_Halo_init(ring%received, 1, 6, 0, 1, MPI_INTEGER, MPI_COMM_NULL, request, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'communicator', 'no communicator')
    dims = 6
    if (ring%rank == 0) dims = 7
    call ADCL_Halo_init(ring%received, 1, dims, 0, 1, MPI_INTEGER, ring%comm, request, ierror)
    call check(ierror == ADCL_ERR_ARGUMENT .and. request == ADCL_REQUEST_NULL, 'an array too small on rank 0')
    if (ring%rank == 0) call check(index(ADCL_Last_error(), 'has 24 bytes') > 0, 'the message states its size')
    if (ring%rank == 0) then
      call ADCL_Halo_init(ring%received(::2), 1, 3, 0, 1, MPI_INTEGER, ring%comm, request, ierror)
    else
      call ADCL_Halo_init(ring%received, 1, 6, 0, 1, MPI_INTEGER, ring%comm, request, ierror)
    end if
    call check(ierror == ADCL_ERR_ARGUMENT .and. request == ADCL_REQUEST_NULL, 'a section on rank 0')
    if (ring%rank == 0) call check(index(ADCL_Last_error(), 'array section') > 0, 'the message names the section')
    call ADCL_Halo_init(ring%received, 2, 6, 0, 1, MPI_INTEGER, ring%comm, request, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'dims has 1 elements where 2', 'too few extents')
    call ADCL_Halo_init(ring%received, 1, 6, 0, 1, MPI_DATATYPE_NULL, ring%comm, request, ierror)
    call check(ierror == ADCL_ERR_TYPE .and. request == ADCL_REQUEST_NULL, 'no type')
    call unmake(ring)
  end subroutine

end module request_cases

program requests
  use request_cases
  implicit none
  call MPI_Init()
  call ADCL_Init()
  call ADCL_Option_set('ADCL_SEARCH', 'brute_force')
  call ADCL_Option_set('ADCL_MEASUREMENTS', '1')
  call every_mode()
  call request_queries()
  call freed_requests()
  call refused_creation()
  call ADCL_Finalize()
  call finish()
end program requests
