!> Counts failures in a Fortran test.
module app_checks
  use mpi_f08
  implicit none
  private
  public :: app_expect, app_verdict

  integer, save :: failures = 0

contains

  !> Prints \p what if \p good is false. Local.
  subroutine app_expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failures = failures + 1
    print '(a)', what
  end subroutine

  !> Finalizes MPI; ends the program with an error if a check failed on any rank. Collective.
  subroutine app_verdict()
    call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (failures > 0) error stop 'failed'
  end subroutine

end module app_checks
