!> Timers: several requests tuned by the time of a part of the program.
module adcl_timers
  use, intrinsic :: iso_c_binding, only: c_int
  use adcl_types, only: ADCL_Request, ADCL_Timer
  implicit none
  private

  public :: ADCL_Timer_create, ADCL_Timer_free, ADCL_Timer_add_request, ADCL_Timer_remove_request, ADCL_Timer_commit
  public :: ADCL_Timer_start, ADCL_Timer_stop, ADCL_Timer_get_state

  interface
    subroutine ADCL_Timer_create(n, reqs, timer, ierror) bind(C, name='adcl_f_timer_create')
      import :: c_int, ADCL_Request, ADCL_Timer
      integer(c_int), intent(in) :: n
      type(ADCL_Request), dimension(..), intent(in) :: reqs
      type(ADCL_Timer), intent(out) :: timer
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_free(timer, ierror) bind(C, name='adcl_f_timer_free')
      import :: c_int, ADCL_Timer
      type(ADCL_Timer), intent(inout) :: timer
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_add_request(timer, req, ierror) bind(C, name='adcl_f_timer_add_request')
      import :: c_int, ADCL_Request, ADCL_Timer
      type(ADCL_Timer), intent(in) :: timer
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_remove_request(timer, req, ierror) bind(C, name='adcl_f_timer_remove_request')
      import :: c_int, ADCL_Request, ADCL_Timer
      type(ADCL_Timer), intent(in) :: timer
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_commit(timer, ierror) bind(C, name='adcl_f_timer_commit')
      import :: c_int, ADCL_Timer
      type(ADCL_Timer), intent(in) :: timer
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_start(timer, ierror) bind(C, name='adcl_f_timer_start')
      import :: c_int, ADCL_Timer
      type(ADCL_Timer), intent(in) :: timer
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_stop(timer, ierror) bind(C, name='adcl_f_timer_stop')
      import :: c_int, ADCL_Timer
      type(ADCL_Timer), intent(in) :: timer
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Timer_get_state(timer, state, ierror) bind(C, name='adcl_f_timer_get_state')
      import :: c_int, ADCL_Timer
      type(ADCL_Timer), intent(in) :: timer
      integer(c_int), intent(out) :: state
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_timers
