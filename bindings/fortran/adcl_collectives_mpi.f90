!> Collectives in one call, with the handles of module mpi and mpif.h: integers. Module adcl joins them with the other ones.
module adcl_collectives_mpi
  use, intrinsic :: iso_c_binding, only: c_int
  use adcl_types, only: ADCL_Request, ADCL_Vmap
  implicit none
  private
  public :: ADCL_Barrier_init, ADCL_Bcast_init, ADCL_Gather_init, ADCL_Gatherv_init
  public :: ADCL_Scatter_init, ADCL_Scatterv_init, ADCL_Allgather_init, ADCL_Allgatherv_init
  public :: ADCL_Alltoall_init, ADCL_Alltoallv_init, ADCL_Alltoallw_init, ADCL_Reduce_init
  public :: ADCL_Allreduce_init, ADCL_Reduce_scatter_block_init, ADCL_Reduce_scatter_init, ADCL_Scan_init
  public :: ADCL_Exscan_init, ADCL_Vmap_reduce_allocate, ADCL_Vmap_listw_allocate, ADCL_Vmap_redscatter_allocate

  interface ADCL_Barrier_init
    subroutine barrier_init_mpi(comm, req, ierror) &
      bind(C, name='adcl_f_barrier_init')
      import :: c_int, ADCL_Request
      integer(c_int), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Bcast_init
    subroutine bcast_init_mpi(buf, count, type, root, comm, req, ierror) &
      bind(C, name='adcl_f_bcast_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(inout), target, asynchronous :: buf
      integer(c_int), intent(in) :: count, type, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Gather_init
    subroutine gather_init_mpi(sbuf, scount, stype, rbuf, rcount, rtype, root, comm, req, ierror) &
      bind(C, name='adcl_f_gather_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Gatherv_init
    subroutine gatherv_init_mpi(sbuf, scount, stype, rbuf, rcounts, displs, rtype, root, comm, req, ierror) &
      bind(C, name='adcl_f_gatherv_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), dimension(..), intent(in) :: rcounts, displs
      integer(c_int), intent(in) :: rtype, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Scatter_init
    subroutine scatter_init_mpi(sbuf, scount, stype, rbuf, rcount, rtype, root, comm, req, ierror) &
      bind(C, name='adcl_f_scatter_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Scatterv_init
    subroutine scatterv_init_mpi(sbuf, scounts, displs, stype, rbuf, rcount, rtype, root, comm, req, ierror) &
      bind(C, name='adcl_f_scatterv_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), dimension(..), intent(in) :: scounts, displs
      integer(c_int), intent(in) :: stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Allgather_init
    subroutine allgather_init_mpi(sbuf, scount, stype, rbuf, rcount, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_allgather_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Allgatherv_init
    subroutine allgatherv_init_mpi(sbuf, scount, stype, rbuf, rcounts, displs, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_allgatherv_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), dimension(..), intent(in) :: rcounts, displs
      integer(c_int), intent(in) :: rtype, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Alltoall_init
    subroutine alltoall_init_mpi(sbuf, scount, stype, rbuf, rcount, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_alltoall_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), intent(in) :: scount, stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, rtype, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Alltoallv_init
    subroutine alltoallv_init_mpi(sbuf, scounts, sdispls, stype, rbuf, rcounts, rdispls, rtype, comm, req, ierror) &
      bind(C, name='adcl_f_alltoallv_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), dimension(..), intent(in) :: scounts, sdispls
      integer(c_int), intent(in) :: stype
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), dimension(..), intent(in) :: rcounts, rdispls
      integer(c_int), intent(in) :: rtype, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Alltoallw_init
    subroutine alltoallw_init_mpi(sbuf, scounts, sdispls, stypes, rbuf, rcounts, rdispls, rtypes, comm, req, ierror) &
      bind(C, name='adcl_f_alltoallw_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      integer(c_int), dimension(..), intent(in) :: scounts, sdispls, stypes
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), dimension(..), intent(in) :: rcounts, rdispls, rtypes
      integer(c_int), intent(in) :: comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Reduce_init
    subroutine reduce_init_mpi(sbuf, rbuf, count, type, op, root, comm, req, ierror) &
      bind(C, name='adcl_f_reduce_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count, type, op, root, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Allreduce_init
    subroutine allreduce_init_mpi(sbuf, rbuf, count, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_allreduce_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count, type, op, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Reduce_scatter_block_init
    subroutine reduce_scatter_block_init_mpi(sbuf, rbuf, rcount, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_reduce_scatter_block_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: rcount, type, op, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Reduce_scatter_init
    subroutine reduce_scatter_init_mpi(sbuf, rbuf, rcounts, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_reduce_scatter_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), dimension(..), intent(in) :: rcounts
      integer(c_int), intent(in) :: type, op, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Scan_init
    subroutine scan_init_mpi(sbuf, rbuf, count, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_scan_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count, type, op, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Exscan_init
    subroutine exscan_init_mpi(sbuf, rbuf, count, type, op, comm, req, ierror) &
      bind(C, name='adcl_f_exscan_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(in) :: count, type, op, comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Vmap_reduce_allocate
    subroutine vmap_reduce_allocate_mpi(count, op, vmap, ierror) bind(C, name='adcl_f_vmap_reduce_allocate')
      import :: c_int, ADCL_Vmap
      integer(c_int), intent(in) :: count, op
      type(ADCL_Vmap), intent(out) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Vmap_listw_allocate
    subroutine vmap_listw_allocate_mpi(size, counts, displs, types, vmap, ierror) bind(C, name='adcl_f_vmap_listw_allocate')
      import :: c_int, ADCL_Vmap
      integer(c_int), intent(in) :: size
      integer(c_int), dimension(..), intent(in) :: counts, displs, types
      type(ADCL_Vmap), intent(out) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Vmap_redscatter_allocate
    subroutine vmap_redscatter_allocate_mpi(size, counts, op, vmap, ierror) bind(C, name='adcl_f_vmap_redscatter_allocate')
      import :: c_int, ADCL_Vmap
      integer(c_int), intent(in) :: size
      integer(c_int), dimension(..), intent(in) :: counts
      integer(c_int), intent(in) :: op
      type(ADCL_Vmap), intent(out) :: vmap
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_collectives_mpi
