! ranks: 1 2 3 4
! timeout: 120
!> Every iteration has the published checksum. With all exchanges and all codelets, the answer is bitwise identical to
!> plain MPI's. A single wrong received value is detected.
module answer_cases
  use, intrinsic :: iso_fortran_env, only: int64
  use adcl
  use app_checks
  use app_interface
  use decomposition
  use mpi_f08
  use problem
  use simulation
  implicit none
  private
  public :: verify_ways, verify_codelets, verify_detection

contains

  !> \p all_tried: true if the searches of the transposes are over.
  function run(number, processes, way, iterations, spoil, all_tried) result(record)
    integer, intent(in) :: number, processes(2), way, iterations
    logical, intent(in), optional :: spoil
    logical, intent(out), optional :: all_tried
    type(ft_record) :: record
    type(ft_simulation), target :: this
    character(len=ADCL_MAX_NAME) :: winner
    logical :: good
    integer :: i, code
    call make_simulation(this, class_of(number), processes, way, MPI_COMM_WORLD, good)
    call app_expect(good, 'not enough memory')
    this%fold = .true.
    if (present(spoil)) this%spoil = spoil
    record = run_simulation(this, iterations)
    if (present(all_tried)) then
      all_tried = .true.
      do i = 1, merge(2, 1, this%back(2)%apart)
        call ADCL_Request_get_winner(this%back(i)%messages%request, winner, code)
        call app_check(code)
        all_tried = all_tried .and. winner /= ' '
      end do
    end if
    call free_simulation(this)
  end function

  !> Class S, all its steps and some of the second round: the results of all shapes are bitwise identical.
  subroutine verify_ways(processes, bits)
    integer, intent(in) :: processes(2)
    integer(int64), intent(inout) :: bits  !< hash, identical for all shapes; 0 before the first one
    type(ft_record) :: record
    character(len=80) :: what
    integer :: way
    if (.not. fits(class_of(1), processes)) return
    do way = by_adcl, by_mpi
      record = run(1, processes, way, 8)
      if (bits == 0) bits = record%bits
      write (what, '("processes ", i0, " x ", i0, ", way ", i0)') processes, way
      call app_expect(size(record%checksums) == 6 .and. record%error <= tolerance, trim(what)//': wrong')
      call app_expect(record%bits == bits, trim(what)//': the answer differs')
    end do
  end subroutine

  !> Runs each codelet in turn.
  subroutine verify_codelets(processes, iterations)
    integer, intent(in) :: processes(2), iterations
    type(ft_record) :: twin, record
    logical :: all_tried
    twin = run(1, processes, by_mpi, iterations)
    record = run(1, processes, by_adcl, iterations, all_tried=all_tried)
    call app_expect(all_tried, 'the search is not over')
    call app_expect(record%bits == twin%bits, 'the answer of a codelet differs')
    call app_expect(record%error <= tolerance, 'the answer of a codelet is wrong')
  end subroutine

  subroutine verify_detection(processes)
    integer, intent(in) :: processes(2)
    type(ft_record) :: record
    integer, parameter :: ways(2) = [by_mpi, by_adcl]
    integer :: i
    do i = 1, 2
      record = run(1, processes, ways(i), 2, spoil=.true.)
      call app_expect(.not. record%error <= tolerance, 'a modified value is not detected')
    end do
  end subroutine

end module answer_cases

program answers
  use, intrinsic :: iso_fortran_env, only: int64
  use adcl
  use answer_cases
  use app_checks
  use decomposition
  use mpi_f08
  implicit none
  integer(int64) :: bits
  integer :: ranks
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  bits = 0
  call verify_ways([1, ranks], bits)
  call verify_ways([ranks, 1], bits)
  call verify_ways(processes_for(pencils, ranks), bits)
  call verify_codelets(processes_for(pencils, ranks), 80)
  call verify_detection([1, ranks])
  call app_verdict()
end program answers
