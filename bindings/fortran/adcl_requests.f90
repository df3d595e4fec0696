!> Requests: making, running and freeing them.
module adcl_requests
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_intptr_t, c_ptr
  use mpi_f08, only: MPI_Comm, MPI_Datatype
  use adcl_functions, only: work_address, work_caller
  use adcl_types, only: ADCL_Fnctset, ADCL_Request, ADCL_Topology, ADCL_Vector, ADCL_Vmap, ADCL_work_function
  use adcl_work_shims, only: shim_request_start_overlap, shim_request_test
  implicit none
  private
  public :: ADCL_Request_create, ADCL_Request_create_generic, ADCL_Request_create_several, ADCL_Halo_init
  public :: ADCL_Request_free
  public :: ADCL_Request_start, ADCL_Request_init, ADCL_Request_start_with, ADCL_Request_init_with
  public :: ADCL_Request_wait, ADCL_Request_test, ADCL_Request_progress
  public :: ADCL_Request_start_overlap, ADCL_Request_update, ADCL_Request_verify
  public :: ADCL_Request_set_context, ADCL_Request_get_context

  interface
    subroutine ADCL_Request_create(vec, vmap, topo, set, req, ierror) bind(C, name='adcl_f_request_create')
      import :: c_int, ADCL_Fnctset, ADCL_Request, ADCL_Topology, ADCL_Vector, ADCL_Vmap
      type(ADCL_Vector), intent(in) :: vec
      type(ADCL_Vmap), intent(in) :: vmap
      type(ADCL_Topology), intent(in) :: topo
      type(ADCL_Fnctset), intent(in) :: set
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_create_generic(svec, svmap, rvec, rvmap, topo, set, req, ierror) &
      bind(C, name='adcl_f_request_create_generic')
      import :: c_int, ADCL_Fnctset, ADCL_Request, ADCL_Topology, ADCL_Vector, ADCL_Vmap
      type(ADCL_Vector), intent(in) :: svec
      type(ADCL_Vmap), intent(in) :: svmap
      type(ADCL_Vector), intent(in) :: rvec
      type(ADCL_Vmap), intent(in) :: rvmap
      type(ADCL_Topology), intent(in) :: topo
      type(ADCL_Fnctset), intent(in) :: set
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_create_several(n, svecs, svmaps, rvecs, rvmaps, topo, set, req, ierror) &
      bind(C, name='adcl_f_request_create_several')
      import :: c_int, ADCL_Fnctset, ADCL_Request, ADCL_Topology, ADCL_Vector, ADCL_Vmap
      integer(c_int), intent(in) :: n
      type(ADCL_Vector), dimension(..), intent(in) :: svecs
      type(ADCL_Vmap), dimension(..), intent(in) :: svmaps
      type(ADCL_Vector), dimension(..), intent(in) :: rvecs
      type(ADCL_Vmap), dimension(..), intent(in) :: rvmaps
      type(ADCL_Topology), intent(in) :: topo
      type(ADCL_Fnctset), intent(in) :: set
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_free(req, ierror) bind(C, name='adcl_f_request_free')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(inout) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_start(req, ierror) bind(C, name='adcl_f_request_start')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_init(req, ierror) bind(C, name='adcl_f_request_init')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_start_with(req, sbuf, rbuf, ierror) bind(C, name='adcl_f_request_start_with')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_init_with(req, sbuf, rbuf, ierror) bind(C, name='adcl_f_request_init_with')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      type(*), dimension(..), intent(in), target, asynchronous :: sbuf
      type(*), dimension(..), intent(inout), target, asynchronous :: rbuf
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_wait(req, ierror) bind(C, name='adcl_f_request_wait')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_progress(req, depth, ierror) bind(C, name='adcl_f_request_progress')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(in) :: depth
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_update(req, seconds, ierror) bind(C, name='adcl_f_request_update')
      import :: c_double, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      real(c_double), intent(in) :: seconds
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_verify(req, ierror) bind(C, name='adcl_f_request_verify')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> As ADCL_Vector_register, a vmap of \p hwidth layers, the topology of \p cart_comm and ADCL_Request_create in one.
  interface ADCL_Halo_init
    subroutine halo_init_f08(buf, ndims, dims, nc, hwidth, type, cart_comm, req, ierror) &
      bind(C, name='adcl_f_halo_init')
      import :: c_int, ADCL_Request, MPI_Comm, MPI_Datatype
      type(*), dimension(..), intent(inout), target, asynchronous :: buf
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: dims
      integer(c_int), intent(in) :: nc, hwidth
      type(MPI_Datatype), intent(in) :: type
      type(MPI_Comm), intent(in) :: cart_comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine halo_init_mpi(buf, ndims, dims, nc, hwidth, type, cart_comm, req, ierror) &
      bind(C, name='adcl_f_halo_init')
      import :: c_int, ADCL_Request
      type(*), dimension(..), intent(inout), target, asynchronous :: buf
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: dims
      integer(c_int), intent(in) :: nc, hwidth
      integer(c_int), intent(in) :: type
      integer(c_int), intent(in) :: cart_comm
      type(ADCL_Request), intent(out) :: req
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> The address of the application's own data, as type(c_ptr) or as an integer of kind MPI_ADDRESS_KIND.
  interface ADCL_Request_set_context
    subroutine set_context_pointer(req, context, ierror) bind(C, name='adcl_f_request_set_context')
      import :: c_int, c_ptr, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      type(c_ptr), intent(in) :: context
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine set_context_address(req, context, ierror) bind(C, name='adcl_f_request_set_context')
      import :: c_int, c_intptr_t, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_intptr_t), intent(in) :: context
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface ADCL_Request_get_context
    subroutine get_context_pointer(req, context, ierror) bind(C, name='adcl_f_request_get_context')
      import :: c_int, c_ptr, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      type(c_ptr), intent(out) :: context
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine get_context_address(req, context, ierror) bind(C, name='adcl_f_request_get_context')
      import :: c_int, c_intptr_t, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_intptr_t), intent(out) :: context
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

contains

  subroutine ADCL_Request_test(req, flag, ierror)
    type(ADCL_Request), intent(in) :: req
    logical, intent(out) :: flag
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: flag_c, code
    code = shim_request_test(req%ADCL_VAL, flag_c)
    flag = flag_c /= 0
    if (present(ierror)) ierror = code
  end subroutine

  subroutine ADCL_Request_start_overlap(req, mid_fn, end_fn, total_fn, ierror)
    type(ADCL_Request), intent(in) :: req
    procedure(ADCL_work_function) :: mid_fn, end_fn, total_fn
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code
    code = shim_request_start_overlap(req%ADCL_VAL, work_address(mid_fn), work_address(end_fn), &
                                      work_address(total_fn), work_caller())
    if (present(ierror)) ierror = code
  end subroutine

end module adcl_requests
