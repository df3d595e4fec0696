! ranks: 2
! timeout: 120
!> With half the cell width the error decreases as in a scheme of second order, except for the limiter at the pulse's
!> peak.
program order
  use app_interface
  use mpi_f08
  use simulation
  implicit none
  double precision :: coarse, fine, reached
  call MPI_Init()
  coarse = error_with(32)
  fine = error_with(64)
  reached = log(coarse/fine)/log(2d0)
  call MPI_Finalize()
  if (.not. reached >= 1.8d0) then
    print '(a, f6.3)', 'order ', reached
    error stop 'the order is too low'
  end if

contains

  !> Error of a run on two ranks. The step is proportional to the cell width, so all runs end at the same time.
  double precision function error_with(cells) result(error)
    integer, intent(in) :: cells
    type(euler_simulation), target :: this
    type(euler_record) :: record
    logical :: good
    call make_simulation(this, 0, [cells/2, cells, cells], 0.2d0, app_settings(iterations=3*cells/8), MPI_COMM_WORLD, good)
    if (.not. good) error stop 'not enough memory'
    record = run_simulation(this)
    error = record%density_error
    call free_simulation(this)
  end function

end program order
