!> Fields with ghost cells, which are exchanged by ADCL or by the program's own messages.
module halo
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use adcl
  use app_interface
  use block, only: cell_block
  use gas, only: variables
  use messages
  use mpi_f08
  implicit none
  private
  public :: make_halo, free_halo, field_of

  type, public :: field_halo
    !> Either the fields, or with `message_form%pairs` the states at faces.
    real(real64), pointer, contiguous :: values(:, :, :, :, :) => null()    !< variable, cell (3), field
    real(real64), pointer, contiguous :: pairs(:, :, :, :, :, :) => null()  !< face, variable, cell (3), direction
    type(c_ptr) :: exchange = c_null_ptr
    type(own_messages) :: own
    type(ADCL_Vmap) :: vmap
    type(ADCL_Vector), allocatable :: vectors(:)
    type(ADCL_Request), allocatable :: requests(:)  !< the exchange owns them
  end type

contains

  !> Collective. \p good is false if this rank lacks the memory; then call only \ref free_halo.
  subroutine allocate_halo(this, block, fields, pairs, good)
    type(field_halo), intent(inout) :: this
    type(cell_block), intent(in) :: block
    integer, intent(in) :: fields
    logical, intent(in) :: pairs
    logical, intent(out) :: good
    integer :: status
    associate (n => block%cells)
      if (pairs) then
        allocate (this%pairs(2, variables, 0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1, fields/2), stat=status)
      else
        allocate (this%values(variables, 0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1, fields), stat=status)
      end if
    end associate
    good = status == 0
    call MPI_Allreduce(MPI_IN_PLACE, good, 1, MPI_LOGICAL, MPI_LAND, block%comm)
    if (.not. good) return
    if (pairs) then
      this%pairs = 1
    else
      this%values = 1
    end if
  end subroutine

  !> Field \p f: variable, cell (3) with ghost cells from 0. Its elements are not contiguous in pairs.
  function field_of(this, f) result(field)
    type(field_halo), intent(in) :: this
    integer, intent(in) :: f
    real(real64), pointer :: field(:, :, :, :)
    if (associated(this%pairs)) then
      field(1:, 0:, 0:, 0:) => this%pairs(face_of(f), :, :, :, :, direction_of(f))
    else
      field(1:, 0:, 0:, 0:) => this%values(:, :, :, :, f)
    end if
  end function

  !> Collective. The halo must not be moved. \p form is for a halo without ADCL; a single field has no pairs.
  subroutine make_halo(this, block, fields, form, settings, topology, good)
    type(field_halo), intent(inout), target :: this
    type(cell_block), intent(in) :: block
    integer, intent(in) :: fields
    type(message_form), intent(in) :: form
    type(app_settings), intent(in) :: settings
    type(ADCL_Topology), intent(in) :: topology
    logical, intent(out) :: good
    call allocate_halo(this, block, fields, form%pairs .and. fields > 1, good)
    if (.not. good) return
    if (settings%adcl == 1) then
      call make_requests(this, block, settings, topology)
    else
      call make_messages(this%own, block, form, this%values, this%pairs)
      this%exchange = app_exchange_plain(int(fields, c_int), settings%joined, c_funloc(begin_messages), &
                                         c_funloc(end_messages), c_loc(this%own), settings%overlap)
    end if
  end subroutine

  !> One request for all fields, or one for each field.
  subroutine make_requests(this, block, settings, topology)
    type(field_halo), intent(inout), target :: this
    type(cell_block), intent(in) :: block
    type(app_settings), intent(in) :: settings
    type(ADCL_Topology), intent(in) :: topology
    type(ADCL_Vmap) :: vmaps(size(this%values, 5))
    integer :: fields, f, n, code
    fields = size(this%values, 5)
    call ADCL_Vmap_halo_allocate(1, this%vmap, code)
    call app_check(code)
    vmaps = this%vmap
    allocate (this%vectors(fields))
    do f = 1, fields
      call ADCL_Vector_register(3, block%cells + 2, variables, MPI_DOUBLE_PRECISION, this%values(:, :, :, :, f), &
                                this%vectors(f), code)
      call app_check(code)
    end do
    n = merge(1, fields, settings%joined == 1)
    allocate (this%requests(n))
    if (settings%joined == 1) then
      call ADCL_Request_create_several(fields, this%vectors, vmaps, this%vectors, vmaps, topology, &
                                       ADCL_FNCTSET_NEIGHBORHOOD, this%requests(1), code)
      call app_check(code)
    else
      do f = 1, fields
        call ADCL_Request_create(this%vectors(f), this%vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &
                                 this%requests(f), code)
        call app_check(code)
      end do
    end if
    ! In C a handle is a pointer with the same value.
    this%exchange = app_exchange_adcl(int(fields, c_int), int(n, c_int), int(this%requests%ADCL_VAL, c_intptr_t), &
                                      settings%overlap)
  end subroutine

  !> Collective.
  subroutine free_halo(this)
    type(field_halo), intent(inout) :: this
    integer :: f, code
    if (c_associated(this%exchange)) call app_exchange_free(this%exchange)
    this%exchange = c_null_ptr
    if (allocated(this%vectors)) then
      do f = 1, size(this%vectors)
        call ADCL_Vector_deregister(this%vectors(f), code)
        call app_check(code)
      end do
      call ADCL_Vmap_free(this%vmap, code)
      call app_check(code)
      deallocate (this%vectors, this%requests)
    end if
    call free_messages(this%own)
    if (associated(this%values)) deallocate (this%values)
    if (associated(this%pairs)) deallocate (this%pairs)
  end subroutine

end module halo
