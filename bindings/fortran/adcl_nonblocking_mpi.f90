!> Non-blocking collectives in one call, with integers as handles. Module adcl joins both kinds.
module adcl_nonblocking_mpi
  use, intrinsic :: iso_c_binding, only: c_int
  use adcl_types, only: ADCL_Request
  implicit none
  private
  public :: ADCL_Ibcast_init, ADCL_Iallgather_init, ADCL_Ialltoall_init, ADCL_Ireduce_init, ADCL_Iallreduce_init

  interface ADCL_Ibcast_init
    subroutine ibcast_init_mpi(buf, count, type, root, comm, req, ierror) &
      bind(C, name='adcl_f_ibcast_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(inout), target, asynchronous :: buf
      integer(c_int), intent(in) :: count, type, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Iallgather_init
    subroutine iallgather_init_mpi(sbuf, scount, stype, rbuf, rcount, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_iallgather_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Ialltoall_init
    subroutine ialltoall_init_mpi(sbuf, scount, stype, rbuf, rcount, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_ialltoall_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Ireduce_init
    subroutine ireduce_init_mpi(sbuf, rbuf, count, type, op, root, comm, req, ierror) &
      bind(C, name='adcl_f_ireduce_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count, type, op, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Iallreduce_init
    subroutine iallreduce_init_mpi(sbuf, rbuf, count, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_iallreduce_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count, type, op, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_nonblocking_mpi
