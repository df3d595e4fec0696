! ranks: 1 3
!> Vectors of any type and rank are registered without a copy; an invalid array is an error with a message.
module vector_cases
  use, intrinsic :: iso_c_binding
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  type :: particle
    real(8) :: position(3)
    integer :: kind
  end type

contains

  !> Checks that the registered address is the array's address.
  subroutine check_address(vec, wanted, ierror, what)
    type(ADCL_Vector), intent(inout) :: vec
    type(c_ptr), intent(in) :: wanted
    integer, intent(in) :: ierror
    character(len=*), intent(in) :: what
    type(c_ptr) :: data
    integer(MPI_ADDRESS_KIND) :: address
    integer :: code
    call check_ok(ierror, what)
    if (ierror /= ADCL_SUCCESS) return
    call ADCL_Vector_get_data(vec, data, code)
    call check_ok(code, what)
    call check(c_associated(data, wanted), what//': the address differs')
    call ADCL_Vector_get_data(vec, address, code)
    call check(address == transfer(wanted, address), what//': the address as an integer differs')
    call ADCL_Vector_deregister(vec, code)
    call check_ok(code, what)
    call check(vec == ADCL_VECTOR_NULL, what//': the handle is null after deregistration')
  end subroutine

  subroutine any_type_and_rank()
    integer(1), target :: bytes(7)
    logical, target :: logicals(3, 4)
    complex(8), target :: waves(2, 3, 4)
    character(len=5), target :: words(6)
    real(4), target :: rank5(2, 2, 2, 2, 2), single
    real(8), allocatable, target :: field(:, :, :, :)
    real(8), pointer :: part(:, :, :, :)
    type(particle), target :: particles(10)
    type(ADCL_Vector) :: vec
    type(MPI_Datatype) :: particle_type
    integer :: ierror

    call ADCL_Vector_register(1, [7], 0, MPI_INTEGER1, bytes, vec, ierror)
    call check_address(vec, c_loc(bytes), ierror, 'bytes')
    call ADCL_Vector_register(2, [3, 4], 0, MPI_LOGICAL, logicals, vec, ierror)
    call check_address(vec, c_loc(logicals), ierror, 'logicals')
    call ADCL_Vector_register(2, [3, 4], 2, MPI_DOUBLE_COMPLEX, waves, vec, ierror)
    call check_address(vec, c_loc(waves), ierror, 'complex numbers')
    call ADCL_Vector_register(1, 6, 5, MPI_CHARACTER, words, vec, ierror)
    call check_address(vec, c_loc(words), ierror, 'words')
    call ADCL_Vector_register(4, [2, 2, 2, 2], 2, MPI_REAL, rank5, vec, ierror)
    call check_address(vec, c_loc(rank5), ierror, 'rank 5')
    call ADCL_Vector_register(1, 1, 0, MPI_REAL, single, vec, ierror)
    call check_address(vec, c_loc(single), ierror, 'a scalar')
    call MPI_Type_contiguous(storage_size(particles)/8, MPI_BYTE, particle_type)
    call MPI_Type_commit(particle_type)
    call ADCL_Vector_register(1, [10], 0, particle_type, particles, vec, ierror)
    call check_address(vec, c_loc(particles), ierror, 'a derived type')
    call MPI_Type_free(particle_type)

    allocate (field(5, 0:4, -1:4, 4))
    call ADCL_Vector_register_generic(3, [5, 6, 4], 5, MPI_DOUBLE_PRECISION, field, vec, ierror)
    call check_address(vec, c_loc(field), ierror, 'an allocatable array')
    call ADCL_Vector_register_generic(3, [5, 6, 2], 5, MPI_DOUBLE_PRECISION%MPI_VAL, field(:, :, :, 2:3), vec, ierror)
    call check_address(vec, c_loc(field(1, 0, -1, 2)), ierror, 'a contiguous section')
    part => field(:, :, :, 3:)
    call ADCL_Vector_register(3, [5, 6, 2], 5, MPI_DOUBLE_PRECISION, part, vec, ierror)
    call check_address(vec, c_loc(field(1, 0, -1, 3)), ierror, 'a pointer')
    call ADCL_Vector_register(3, [5, 6, 2], 5, MPI_DOUBLE_PRECISION, field(1, 0, -1, 3), vec, ierror)
    call check_address(vec, c_loc(field(1, 0, -1, 3)), ierror, 'the first element of a part')
    call ADCL_Vector_register(2, [30, 20], 0, MPI_DOUBLE_PRECISION%MPI_VAL, field, vec, ierror)
    call check_address(vec, c_loc(field), ierror, 'Fortran order')
    call register_assumed_size(field, c_loc(field))
  end subroutine

  subroutine register_assumed_size(array, wanted)
    real(8), intent(inout), target :: array(5, 5, *)
    type(c_ptr), intent(in) :: wanted
    type(ADCL_Vector) :: vec
    integer :: ierror
    call ADCL_Vector_register(2, [5, 24], 5, MPI_DOUBLE_PRECISION, array, vec, ierror)
    call check_address(vec, wanted, ierror, 'an assumed-size array')
  end subroutine

  !> Extents in every form of an integer argument.
  subroutine any_form_of_extents()
    real(8), target :: data(4, 6)
    integer, parameter :: BOTH(2) = [4, 6]
    integer :: spread_out(4), square(1, 2), ierror
    type(ADCL_Vector) :: vec
    spread_out = [4, -1, 6, -1]
    square(1, :) = BOTH
    call ADCL_Vector_register(2, BOTH, 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call check_address(vec, c_loc(data), ierror, 'constant extents')
    call ADCL_Vector_register(2, spread_out(1:3:2), 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call check_address(vec, c_loc(data), ierror, 'extents with a stride')
    call ADCL_Vector_register(2, square, 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call check_address(vec, c_loc(data), ierror, 'extents of rank 2')
    call ADCL_Vector_register(1, 24, 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call check_address(vec, c_loc(data), ierror, 'a scalar extent')
  end subroutine

  subroutine refuse(ierror, wanted, words, vec, what)
    integer, intent(in) :: ierror, wanted
    character(len=*), intent(in) :: words, what
    type(ADCL_Vector), intent(in) :: vec
    call check_refused(ierror, wanted, words, what)
    call check(vec == ADCL_VECTOR_NULL, what//': no vector was created')
  end subroutine

  !> Another array can replace the registered array only if it has the same size and shape.
  subroutine rebound()
    real(8), target :: data(4, 6), other(4, 7), small(4, 5), turned(6, 4), storage(24)
    type(ADCL_Vector) :: vec
    integer :: ierror
    call ADCL_Vector_register(2, shape(data), 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call ADCL_Vector_rebind(vec, small, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, '160 bytes', 'a smaller array')
    call ADCL_Vector_rebind(vec, turned, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'shape 6 x 4', 'an array of another shape')
    call ADCL_Vector_rebind(vec, other(:, 1:7:2), ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'array section', 'a section that is not contiguous')
    call ADCL_Vector_rebind(vec, storage, ierror)
    call check_ok(ierror, 'storage of the same size')
    call ADCL_Vector_rebind(vec, other, ierror)
    call check_ok(ierror, 'a longer last dimension')
    call ADCL_Vector_rebind(vec, other(:, 2:), ierror)
    call check_address(vec, c_loc(other(1, 2)), ierror, 'a contiguous section')
    call ADCL_Vector_deregister(vec)
  end subroutine

  !> An array from C is described by its first element; its replacement must have the shape in C order.
  subroutine in_c_order()
    real(8), target :: data(4, 6), turned(6, 4), entries(2, 4, 6), turned_entries(2, 6, 4)
    type(ADCL_Vector) :: vec
    integer :: ierror
    call ADCL_Vector_register(2, [6, 4], 0, MPI_DOUBLE_PRECISION, data(1, 1), vec, ierror)
    call check_ok(ierror, 'the first element')
    call ADCL_Vector_set_order(vec, 7, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'order', 'an unknown order')
    call ADCL_Vector_set_order(vec, ADCL_ORDER_C, ierror)
    call check_ok(ierror, 'C order')
    call ADCL_Vector_rebind(vec, turned, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'shape 6 x 4', 'an array in Fortran order')
    call ADCL_Vector_rebind(vec, data, ierror)
    call check_address(vec, c_loc(data), ierror, 'an array in C order')
    call ADCL_Vector_register(2, [6, 4], 2, MPI_DOUBLE_PRECISION, turned_entries, vec, ierror)
    call ADCL_Vector_set_order(vec, ADCL_ORDER_C, ierror)
    call ADCL_Vector_set_order(vec, ADCL_ORDER_C, ierror)
    call ADCL_Vector_rebind(vec, turned_entries, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'shape 2 x 6 x 4', 'entries in Fortran order')
    call ADCL_Vector_rebind(vec, entries, ierror)
    call check_address(vec, c_loc(entries), ierror, 'entries in C order')
    call ADCL_Vector_register(1, 24, 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call ADCL_Vector_deregister(vec)
    call ADCL_Vector_set_order(vec, ADCL_ORDER_C, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vector_set_order', 'the null vector')
  end subroutine

  subroutine bad_arguments()
    real(8), target :: data(4, 6)
    real(8), allocatable, target :: unallocated(:)
    type(ADCL_Vector) :: vec, freed
    type(MPI_Datatype) :: uncommitted
    type(c_ptr) :: address
    integer :: ierror

    call ADCL_Vector_register(2, [2, 6], 0, MPI_DOUBLE_PRECISION, data(1:2, :), vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'array section', vec, 'a section that is not contiguous')
    call ADCL_Vector_register(2, [4, 3], 0, MPI_DOUBLE_PRECISION, data(:, ::2), vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'array section', vec, 'every second column')
    call ADCL_Vector_register(2, [4, 6], 0, MPI_DOUBLE_PRECISION, data(:, 6:1:-1), vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'array section', vec, 'columns in reverse')
    allocate (unallocated(1))
    deallocate (unallocated)
    call ADCL_Vector_register(1, 1, 0, MPI_DOUBLE_PRECISION, unallocated, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'not allocated', vec, 'an array that is not allocated')

    call ADCL_Vector_register(2, [4, 7], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, '192 bytes', vec, 'more columns than there are')
    call ADCL_Vector_register(2, [4, 6], 2, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, '384 bytes', vec, 'more entries per grid point than there are')
    call ADCL_Vector_register(2, [6, 4], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'shape 4 x 6, but dims and nc describe the shape 6 x 4', vec, &
                'extents in the wrong order')
    call ADCL_Vector_register(2, [3, 6], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'shape 4 x 6', vec, 'a part whose columns are shorter')
    call ADCL_Vector_register(1, [6], 3, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'the shape 3 x 6', vec, 'another nc')
    call ADCL_Vector_register(3, [100000, 100000, 100000], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call check(ierror == ADCL_ERR_ARGUMENT .and. vec == ADCL_VECTOR_NULL, 'more elements than integers count')
    call ADCL_Vector_register(3, [4, 6], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'dims has 2 elements where 3', vec, 'fewer extents than dimensions')
    call ADCL_Vector_register(0, [4, 6], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'ndims', vec, 'no dimensions')
    call ADCL_Vector_register(-3, [4, 6], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'ndims', vec, 'a negative number of dimensions')
    call ADCL_Vector_register(2, [4, 0], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'dims', vec, 'an extent of zero')
    call ADCL_Vector_register(2, [4, 6], -1, MPI_DOUBLE_PRECISION, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_ARGUMENT, 'nc', vec, 'a negative nc')
    call ADCL_Vector_register(2, [4, 6], 0, MPI_DATATYPE_NULL, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_TYPE, 'type', vec, 'no type')
    call MPI_Type_contiguous(2, MPI_INTEGER, uncommitted)
    call ADCL_Vector_register(2, [4, 6], 0, uncommitted, data, vec, ierror)
    call refuse(ierror, ADCL_ERR_TYPE, 'commit', vec, 'a type that is not committed')
    call MPI_Type_free(uncommitted)

    call ADCL_Vector_deregister(vec, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vector_deregister', 'a null vector')
    call ADCL_Vector_register(2, [4, 6], 0, MPI_DOUBLE_PRECISION, data, vec, ierror)
    freed = vec
    call ADCL_Vector_free(vec, ierror)
    call check_refused(ierror, ADCL_ERR_STATE, 'ADCL_Vector_free', 'a registered vector is not freed')
    call ADCL_Vector_deregister(vec, ierror)
    call check_ok(ierror, 'deregistration')
    call ADCL_Vector_deregister(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vector_deregister', 'a vector deregistered before')
    call ADCL_Vector_get_data(freed, address, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vector_get_data', 'the data of a vector deregistered before')
    freed%ADCL_VAL = -1
    call ADCL_Vector_deregister(freed, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vector_deregister', 'an integer that was never a vector')
  end subroutine

  !> Two arrays that are swapped after every step; an error on one rank returns the same code on all ranks.
  subroutine rebinding()
    real(8), allocatable, target :: here(:, :), there(:)
    real(8), target :: matrix(4, 4)
    type(MPI_Comm) :: ring
    type(ADCL_Request) :: request
    type(ADCL_Vector) :: vec, also
    integer :: rank, ranks, step, ierror
    ranks = world_size()
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    call MPI_Comm_rank(ring, rank)
    allocate (here(2, 5), there(10))
    call ADCL_Halo_init(here, 1, 5, 2, 1, MPI_DOUBLE_PRECISION%MPI_VAL, ring%MPI_VAL, request, ierror)
    call check_ok(ierror, 'ADCL_Halo_init')
    call ADCL_Request_get_field(request, 1, vec, also, ierror)
    if (ierror == ADCL_SUCCESS) call ADCL_Request_free(request)

    call make_ring_request(here, ring, vec, request)
    do step = 1, 20
      here = -1
      there = -1
      if (mod(step, 2) == 1) then
        call ADCL_Vector_rebind(vec, there, ierror)
        there(3:8) = 100*rank + [3, 4, 5, 6, 7, 8]
      else
        call ADCL_Vector_rebind(vec, here, ierror)
        here(:, 2:4) = 100*rank + reshape([3, 4, 5, 6, 7, 8], [2, 3])
      end if
      call check_ok(ierror, 'ADCL_Vector_rebind')
      call ADCL_Request_start(request, ierror)
      call check_ok(ierror, 'a start')
      if (mod(step, 2) == 0) there = reshape(here, [10])
      call check(all(nint(there([1, 2])) == 100*modulo(rank - 1, ranks) + [7, 8]), 'the left halo')
      call check(all(nint(there([9, 10])) == 100*modulo(rank + 1, ranks) + [3, 4]), 'the right halo')
    end do

    if (rank == ranks - 1) then
      call ADCL_Vector_rebind(vec, matrix(1:2, :), ierror)
      call check_refused(ierror, ADCL_ERR_ARGUMENT, 'array section', 'a section on the last rank')
    else
      call ADCL_Vector_rebind(vec, there, ierror)
      call check(ierror == ADCL_ERR_ARGUMENT, 'a section on another rank')
    end if
    call ADCL_Request_start(request, ierror)
    call check_ok(ierror, 'a refused rebind does not change the request')
    call ADCL_Request_free(request)
    call ADCL_Vector_deregister(vec)
    call MPI_Comm_free(ring)
  end subroutine

  subroutine make_ring_request(array, ring, vec, request)
    real(8), intent(inout), target :: array(:, :)
    type(MPI_Comm), intent(in) :: ring
    type(ADCL_Vector), intent(out) :: vec
    type(ADCL_Request), intent(out) :: request
    type(ADCL_Vmap) :: vmap
    type(ADCL_Topology) :: topo
    integer :: ierror
    call ADCL_Vector_register(1, size(array, 2), size(array, 1), MPI_DOUBLE_PRECISION, array, vec, ierror)
    call ADCL_Vmap_halo_allocate(1, vmap, ierror)
    call ADCL_Topology_create(ring, topo, ierror)
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check_ok(ierror, 'a request on a ring')
    call ADCL_Topology_free(topo)
    call ADCL_Vmap_free(vmap)
  end subroutine

end module vector_cases

program vectors
  use vector_cases
  implicit none
  call MPI_Init()
  call ADCL_Init()
  call any_type_and_rank()
  call any_form_of_extents()
  call rebound()
  call in_c_order()
  call bad_arguments()
  call rebinding()
  call ADCL_Finalize()
  call finish()
end program vectors
