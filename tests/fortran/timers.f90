! ranks: 1 2 3
!> Timers through the module and through ADCL.inc: the time between start and stop decides.
module timers_checked
  use checks
  implicit none
  integer, parameter :: cells = 6

contains

  !> The timed part is slow with all codelets except one.
  double precision function cost(name)
    character(len=*), intent(in) :: name
    cost = merge(1d-4, 3d-3, name == 'IsIr_aao_pack')
  end function

  subroutine by_module(cart)
    use adcl
    use mpi_f08, only: MPI_Comm, MPI_INTEGER
    integer, intent(in) :: cart
    integer, target, asynchronous :: lines(cells, 2)
    integer :: start, state, ierror
    character(len=ADCL_MAX_NAME) :: name
    type(ADCL_Request) :: requests(2)
    type(ADCL_Timer) :: timer
    type(MPI_Comm) :: comm
    comm%MPI_VAL = cart
    lines = 0
    call ADCL_Halo_init(lines(:, 1), 1, [cells], 0, 1, MPI_INTEGER, comm, requests(1), ierror)
    call ADCL_Halo_init(lines(:, 2), 1, [cells], 0, 1, MPI_INTEGER, comm, requests(2), ierror)
    call ADCL_Timer_create(3, requests, timer, ierror)
    call check(ierror /= ADCL_SUCCESS .and. timer == ADCL_TIMER_NULL, 'too few requests')
    call ADCL_Timer_create(1, requests, timer, ierror)
    call check_ok(ierror, 'ADCL_Timer_create')
    call ADCL_Timer_add_request(timer, requests(2), ierror)
    call check_ok(ierror, 'ADCL_Timer_add_request')
    call ADCL_Timer_start(timer, ierror)
    call check_refused(ierror, ADCL_ERR_STATE, 'ADCL_Timer_commit', 'not committed')
    call ADCL_Timer_remove_request(timer, requests(2), ierror)
    call check_ok(ierror, 'ADCL_Timer_remove_request')
    call ADCL_Timer_add_request(timer, requests(2))
    call ADCL_Timer_commit(timer, ierror)
    call check_ok(ierror, 'ADCL_Timer_commit')
    do start = 1, 200
      call ADCL_Timer_start(timer, ierror)
      call check_ok(ierror, 'ADCL_Timer_start')
      call ADCL_Request_start(requests(1))
      call ADCL_Request_start(requests(2))
      call ADCL_Request_get_curr_function(requests(2), name)
      call ADCL_Timer_stop(timer, ierror)
      call check_ok(ierror, 'ADCL_Timer_stop')
      call ADCL_Request_update(requests(2), cost(name))
      call ADCL_Timer_get_state(timer, state, ierror)
      if (state == ADCL_STATE_PRODUCTION) exit
    end do
    call check(state == ADCL_STATE_PRODUCTION .and. timer /= ADCL_TIMER_NULL, 'the module''s timer has decided')
    call ADCL_Request_get_winner(requests(1), name, ierror)
    call check(name == 'IsIr_aao_pack', 'the winner of the module''s timer')
    call ADCL_Timer_free(timer, ierror)
    call check_ok(ierror, 'ADCL_Timer_free')
    call ADCL_Timer_stop(timer, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Timer', 'a timer that was freed')
    call ADCL_Request_free(requests(1))
    call ADCL_Request_free(requests(2))
  end subroutine

  !> Passes a scalar as the list of requests, like Figure 6.5 of the thesis.
  subroutine by_include_file(cart)
    include 'mpif.h'
    include 'ADCL.inc'
    integer, intent(in) :: cart
    integer, target, asynchronous :: line(cells)
    integer :: request, timer, start, state, ierr
    character(len=ADCL_MAX_NAME) :: name
    line = 0
    call ADCL_Halo_init(line, 1, [cells], 0, 1, MPI_INTEGER, cart, request, ierr)
    call ADCL_Timer_create(1, request, timer, ierr)
    call check_ok(ierr, 'ADCL_Timer_create')
    call ADCL_Timer_remove_request(timer, request, ierr)
    call check_ok(ierr, 'ADCL_Timer_remove_request')
    call ADCL_Timer_add_request(timer, request, ierr)
    call check_ok(ierr, 'ADCL_Timer_add_request')
    call ADCL_Timer_commit(timer, ierr)
    call check_ok(ierr, 'ADCL_Timer_commit')
    do start = 1, 200
      call ADCL_Timer_start(timer, ierr)
      call ADCL_Request_start(request, ierr)
      call ADCL_Request_get_curr_function(request, name, ierr)
      call ADCL_Timer_stop(timer, ierr)
      call check_ok(ierr, 'ADCL_Timer_stop')
      call ADCL_Request_update(request, cost(name), ierr)
      call ADCL_Timer_get_state(timer, state, ierr)
      if (state == ADCL_STATE_PRODUCTION) exit
    end do
    call check(state == ADCL_STATE_PRODUCTION, 'the timer of ADCL.inc has decided')
    call ADCL_Request_get_winner(request, name, ierr)
    call check(name == 'IsIr_aao_pack', 'the winner of the timer of ADCL.inc')
    call ADCL_Timer_free(timer, ierr)
    call check(ierr == 0 .and. timer == ADCL_TIMER_NULL, 'freed')
    call ADCL_Request_free(request, ierr)
  end subroutine
end module timers_checked

program timers
  use timers_checked
  use adcl
  use mpi
  implicit none
  integer :: cart, ranks, ierror
  call MPI_Init(ierror)
  call ADCL_Init()
  call ADCL_Option_set('ADCL_CODELETS', 'neighborhood:IsIr_aao,IsIr_aao_pack,Sr_pair')
  call ADCL_Option_set('ADCL_SEARCH', 'brute_force')
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., cart, ierror)
  call by_module(cart)
  call by_include_file(cart)
  call MPI_Comm_free(cart, ierror)
  call ADCL_Finalize()
  call finish()
end program timers
