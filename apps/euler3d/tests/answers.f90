! ranks: 1 2 3 4
! timeout: 120
!> With all exchanges, with and without overlap, and all codelets, the answer is bitwise identical to plain MPI's. A
!> single wrong received value is detected.
module answer_cases
  use adcl
  use app_checks
  use app_interface
  use messages, only: message_form
  use mpi_f08
  use simulation
  implicit none
  private
  public :: verify_exchanges, verify_layouts, verify_codelets, verify_detection

contains

  logical function is_correct(record)
    type(euler_record), intent(in) :: record
    is_correct = record%mass_error <= record%conservation_limit .and. &
                 record%energy_error <= record%conservation_limit .and. record%density_error <= record%error_limit
  end function

  !> \p all_tried: true if the searches are over.
  function run(kind, cells, settings, spoil, all_tried, form) result(record)
    integer, intent(in) :: kind, cells(3)
    type(app_settings), intent(in) :: settings
    logical, intent(in), optional :: spoil
    logical, intent(out), optional :: all_tried
    type(message_form), intent(in), optional :: form
    type(euler_record) :: record
    type(euler_simulation), target :: this
    character(len=ADCL_MAX_NAME) :: means, states
    logical :: good
    integer :: code
    call make_simulation(this, kind, cells, 0.1d0, settings, MPI_COMM_WORLD, good, form)
    call app_expect(good, 'not enough memory')
    if (present(spoil)) this%solver%spoil = spoil
    record = run_simulation(this)
    if (present(all_tried)) then
      call ADCL_Request_get_winner(this%solver%means%requests(1), means, code)
      call app_check(code)
      call ADCL_Request_get_winner(this%solver%states%requests(1), states, code)
      call app_check(code)
      all_tried = means /= ' ' .and. states /= ' '
    end if
    call free_simulation(this)
  end function

  subroutine verify_exchanges(kind, cells)
    integer, intent(in) :: kind, cells(3)
    type(euler_record) :: twin, record
    character(len=80) :: what
    integer :: by_adcl, joined, overlap
    twin = run(kind, cells, app_settings(12, 0, 1, APP_OVERLAP_NONE, 1))
    do by_adcl = 0, 1
      do joined = 0, 1
        do overlap = APP_OVERLAP_NONE, APP_OVERLAP_START
          if (by_adcl == 0 .and. overlap == APP_OVERLAP_START) cycle
          record = run(kind, cells, app_settings(12, by_adcl, joined, overlap, 1))
          write (what, '("case ", i0, ", adcl ", i0, ", joined ", i0, ", overlap ", i0)') kind, by_adcl, joined, overlap
          call app_expect(record%checksum == twin%checksum, trim(what)//': the answer differs')
          call app_expect(record%density_error <= record%error_limit, trim(what)//': wrong')
          call app_expect(kind == 2 .or. is_correct(record), trim(what)//': not conserved')
        end do
      end do
    end do
  end subroutine

  !> Both layouts of the states, with early and blocking receives.
  subroutine verify_layouts(kind, cells)
    integer, intent(in) :: kind, cells(3)
    type(euler_record) :: twin, record
    type(message_form) :: form
    character(len=80) :: what
    integer :: way, joined, overlap
    twin = run(kind, cells, app_settings(12, 0, 1, APP_OVERLAP_NONE, 1))
    do way = 1, 3
      form = message_form(pairs=way /= 1, blocking=way /= 2)
      do joined = 0, 1
        do overlap = APP_OVERLAP_NONE, APP_OVERLAP_INIT
          record = run(kind, cells, app_settings(12, 0, joined, overlap, 1), form=form)
          write (what, '("case ", i0, ", way ", i0, ", joined ", i0, ", overlap ", i0)') kind, way, joined, overlap
          call app_expect(record%checksum == twin%checksum, trim(what)//': the answer differs')
          call app_expect(record%density_error <= record%error_limit, trim(what)//': wrong')
        end do
      end do
    end do
  end subroutine

  !> Runs each codelet in turn; a wrong value would remain in the answer.
  subroutine verify_codelets(cells)
    integer, intent(in) :: cells(3)
    type(euler_record) :: twin, record
    logical :: all_tried
    integer :: joined
    twin = run(0, cells, app_settings(250, 0, 1, APP_OVERLAP_NONE, 1))
    do joined = 0, 1
      record = run(0, cells, app_settings(250, 1, joined, APP_OVERLAP_NONE, 1), all_tried=all_tried)
      call app_expect(all_tried, 'the search is not over')
      call app_expect(record%checksum == twin%checksum, 'the answer of a codelet differs')
    end do
  end subroutine

  subroutine verify_detection(cells)
    integer, intent(in) :: cells(3)
    integer :: by_adcl
    do by_adcl = 0, 1
      call app_expect(.not. is_correct(run(0, cells, app_settings(12, by_adcl, 1, APP_OVERLAP_NONE, 1), spoil=.true.)), &
                  'a modified value is not detected')
    end do
    call app_expect(.not. is_correct(run(0, cells, app_settings(12, 0, 0, APP_OVERLAP_NONE, 1), spoil=.true., &
                                         form=message_form(pairs=.true., blocking=.true.))), &
                    'pairs: a modified value is not detected')
  end subroutine

end module answer_cases

program answers
  use adcl
  use answer_cases
  use app_checks
  use mpi_f08
  implicit none
  integer :: kind
  call MPI_Init()
  do kind = 0, 2
    call verify_exchanges(kind, [7, 8, 9])
    call verify_layouts(kind, [7, 8, 9])
  end do
  call verify_exchanges(0, [1, 2, 3])
  call verify_layouts(0, [1, 2, 3])
  call verify_codelets([4, 5, 6])
  call verify_detection([6, 6, 6])
  call app_verdict()
end program answers
