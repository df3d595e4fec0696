!> Counts what fails in a test in Fortran.
module app_checks
  use mpi_f08
  implicit none
  private
  public :: app_expect, app_verdict

  integer, save :: failures = 0

contains

  !> Local; says \p what is wrong, on the rank where it is.
  subroutine app_expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failures = failures + 1
    print '(a)', what
  end subroutine

  !> Collective; ends MPI, and the program with an error when something failed on any rank.
  subroutine app_verdict()
    call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (failures > 0) error stop 'failed'
  end subroutine

end module app_checks
