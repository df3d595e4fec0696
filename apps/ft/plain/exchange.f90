!> The exchange of ../exchange.f90 without ADCL: the same type and the same call of MPI.
module exchange
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  implicit none
  private
  public :: exchange_by_mpi

  type, public :: all_to_all
    type(MPI_Comm) :: comm
    logical :: even = .true.  !< MPI_Alltoall, otherwise MPI_Alltoallv
    integer, allocatable :: sent(:), sent_at(:), received(:), received_at(:)  !< points of each process
  end type

contains

  !> Collective over the communicator of the exchange.
  subroutine exchange_by_mpi(this, from, into)
    type(all_to_all), intent(in) :: this
    complex(real64), contiguous, intent(in) :: from(:)
    complex(real64), contiguous, intent(inout) :: into(:)
    if (this%even) then
      call MPI_Alltoall(from, this%sent(1), MPI_DOUBLE_COMPLEX, into, this%received(1), MPI_DOUBLE_COMPLEX, this%comm)
    else
      call MPI_Alltoallv(from, this%sent, this%sent_at, MPI_DOUBLE_COMPLEX, into, this%received, this%received_at, &
                         MPI_DOUBLE_COMPLEX, this%comm)
    end if
  end subroutine

end module exchange
