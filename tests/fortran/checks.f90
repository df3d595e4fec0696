!> Common code of the Fortran tests: checks that continue after a failure, and a result over all ranks.
module checks
  use adcl, only: ADCL_Error_string, ADCL_Last_error, ADCL_SUCCESS
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: check, check_ok, check_refused, finish, world_rank, world_size

  integer :: failures = 0

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    failures = failures + 1
    write (error_unit, '(a,i0,2a)') 'rank ', world_rank(), ' failed: ', what
  end subroutine

  !> Checks that the call succeeded.
  subroutine check_ok(code, what)
    integer, intent(in) :: code
    character(len=*), intent(in) :: what
    if (code == ADCL_SUCCESS) return
    call check(.false., what//': '//ADCL_Error_string(code)//': '//ADCL_Last_error())
  end subroutine

  !> Checks that the call failed with the code \p wanted, and that its message contains \p words.
  subroutine check_refused(code, wanted, words, what)
    integer, intent(in) :: code, wanted
    character(len=*), intent(in) :: words, what
    character(len=12) :: digits
    write (digits, '(i0)') code
    call check(code == wanted, what//': the code is '//trim(digits)//', '//ADCL_Error_string(code))
    if (code == ADCL_SUCCESS) return
    call check(index(ADCL_Last_error(), words) > 0, what//': the message lacks "'//words//'": '//ADCL_Last_error())
  end subroutine

  integer function world_rank()
    integer :: ierror
    call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, ierror)
  end function

  integer function world_size()
    integer :: ierror
    call MPI_Comm_size(MPI_COMM_WORLD, world_size, ierror)
  end function

  !> Finalizes MPI. The program fails on all ranks if a check failed on any rank.
  subroutine finish()
    integer :: total, ierror
    call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
    if (total > 0) stop 1
  end subroutine

end module checks
