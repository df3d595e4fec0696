!> One all-to-all exchange from array to array, by MPI or by an ADCL request: thesis Fig. 4.1 and 4.2.
module exchange
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use adcl
  use app_interface
  use mpi_f08
  implicit none
  private
  public :: make_exchange, free_exchange, start_exchange, exchange_by_mpi

  type, public :: all_to_all
    type(MPI_Comm) :: comm
    logical :: even = .true.  !< MPI_Alltoall, otherwise MPI_Alltoallv
    integer, allocatable :: sent(:), sent_at(:), received(:), received_at(:)  !< points of each process
    complex(real64), pointer, contiguous :: from(:) => null(), into(:) => null()
    type(c_ptr) :: timed = c_null_ptr  !< records the times, with or without ADCL
    type(ADCL_Request) :: request
    type(ADCL_Topology) :: topology
    type(ADCL_Vmap) :: vmaps(2)
    type(ADCL_Vector) :: vectors(2)
  end type

contains

  !> Requires sent, received and their displacements, comm and even. Collective over comm. The exchange and the arrays
  !> must not be moved.
  subroutine make_exchange(this, from, into, by_adcl)
    type(all_to_all), intent(inout), target :: this
    complex(real64), target, contiguous, intent(in) :: from(:), into(:)
    logical, intent(in) :: by_adcl
    this%from => from
    this%into => into
    if (by_adcl) then
      call make_request(this)
      this%timed = app_exchange_adcl(1_c_int, 1_c_int, [int(this%request%ADCL_VAL, c_intptr_t)], APP_OVERLAP_NONE)
    else
      this%timed = app_exchange_plain(1_c_int, 1_c_int, c_funloc(begin_exchange), c_null_funptr, c_loc(this), &
                                      APP_OVERLAP_NONE)
    end if
  end subroutine

  subroutine make_request(this)
    type(all_to_all), intent(inout), target :: this
    type(ADCL_Fnctset) :: set
    integer :: code
    call ADCL_Topology_create(this%comm, this%topology, code)
    call app_check(code)
    if (this%even) then
      set = ADCL_FNCTSET_ALLTOALL
      call ADCL_Vmap_alltoall_allocate(this%sent(1), this%received(1), this%vmaps(1), code)
    else
      set = ADCL_FNCTSET_ALLTOALLV
      call ADCL_Vmap_list_allocate(size(this%sent), this%sent, this%sent_at, this%vmaps(1), code)
      call app_check(code)
      call ADCL_Vmap_list_allocate(size(this%received), this%received, this%received_at, this%vmaps(2), code)
    end if
    call app_check(code)
    call ADCL_Vector_register(1, [sum(this%sent)], 0, MPI_DOUBLE_COMPLEX, this%from, this%vectors(1), code)
    call app_check(code)
    call ADCL_Vector_register(1, [sum(this%received)], 0, MPI_DOUBLE_COMPLEX, this%into, this%vectors(2), code)
    call app_check(code)
    call ADCL_Request_create_generic(this%vectors(1), this%vmaps(1), this%vectors(2), &
                                     this%vmaps(merge(1, 2, this%even)), this%topology, set, this%request, code)
    call app_check(code)
    call ADCL_Request_set_name(this%request, 'transpose', code)
    call app_check(code)
  end subroutine

  !> Collective.
  subroutine free_exchange(this)
    type(all_to_all), intent(inout) :: this
    integer :: i, code
    if (.not. c_associated(this%timed)) return
    call app_exchange_free(this%timed)  ! also frees the request, which it owns
    this%timed = c_null_ptr
    if (this%request == ADCL_REQUEST_NULL) return
    do i = 1, 2
      call ADCL_Vector_deregister(this%vectors(i), code)
      call app_check(code)
    end do
    do i = 1, merge(1, 2, this%even)
      call ADCL_Vmap_free(this%vmaps(i), code)
      call app_check(code)
    end do
    call ADCL_Topology_free(this%topology, code)
    call app_check(code)
    this%request = ADCL_REQUEST_NULL
  end subroutine

  !> Timed. Collective.
  subroutine start_exchange(this)
    type(all_to_all), intent(inout) :: this
    call app_exchange_run(this%timed, c_null_funptr, c_null_ptr)
  end subroutine

  subroutine begin_exchange(context, first, last) bind(C)
    type(c_ptr), value :: context
    integer(c_int), value :: first, last
    type(all_to_all), pointer :: this
    if (first >= last) return
    call c_f_pointer(context, this)
    call exchange_by_mpi(this, this%from, this%into)
  end subroutine

  !> Not timed. Collective.
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
