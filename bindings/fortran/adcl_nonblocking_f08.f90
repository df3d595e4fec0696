!> Non-blocking collectives in one call, with the handles of module mpi_f08. Module adcl joins both kinds.
module adcl_nonblocking_f08
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op
  use adcl_types, only: ADCL_Request
  implicit none
  private
  public :: ADCL_Ibcast_init, ADCL_Iallgather_init, ADCL_Ialltoall_init, ADCL_Ireduce_init, ADCL_Iallreduce_init

  interface ADCL_Ibcast_init
    subroutine ibcast_init_f08(buf, count, type, root, comm, req, ierror) &
      bind(C, name='adcl_f_ibcast_init')
      import :: c_int, ADCL_Request, MPI_Comm, MPI_Datatype
      type(*), dimension(..), intent(inout), target, asynchronous :: buf
      integer(c_int), intent(in) :: count
      type(MPI_Datatype), intent(in) :: type
      integer(c_int), intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Iallgather_init
    subroutine iallgather_init_f08(sbuf, scount, stype, rbuf, rcount, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_iallgather_init')
      import :: c_int, ADCL_Request, MPI_Comm, MPI_Datatype
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount
      type(MPI_Datatype), intent(in) :: stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount
      type(MPI_Datatype), intent(in) :: rtype
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Ialltoall_init
    subroutine ialltoall_init_f08(sbuf, scount, stype, rbuf, rcount, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_ialltoall_init')
      import :: c_int, ADCL_Request, MPI_Comm, MPI_Datatype
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount
      type(MPI_Datatype), intent(in) :: stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount
      type(MPI_Datatype), intent(in) :: rtype
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Ireduce_init
    subroutine ireduce_init_f08(sbuf, rbuf, count, type, op, root, comm, req, ierror) &
      bind(C, name='adcl_f_ireduce_init')
      import :: c_int, ADCL_Request, MPI_Comm, MPI_Datatype, MPI_Op
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count
      type(MPI_Datatype), intent(in) :: type
      type(MPI_Op), intent(in) :: op
      integer(c_int), intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Iallreduce_init
    subroutine iallreduce_init_f08(sbuf, rbuf, count, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_iallreduce_init')
      import :: c_int, ADCL_Request, MPI_Comm, MPI_Datatype, MPI_Op
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count
      type(MPI_Datatype), intent(in) :: type
      type(MPI_Op), intent(in) :: op
      type(MPI_Comm), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_nonblocking_f08
