! ranks: 1 2 3 4
! not smpi: its ranks are threads of one process
!> Arrays of ADCL_Vector_allocate: an array pointer is created from their address, and Shm_direct exchanges their halos.
module allocated_cases
  use, intrinsic :: iso_c_binding
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  integer, parameter :: nc = 2, nx = 7, ny = 5

contains

  !> A value that identifies a component of a cell of a rank; columns go around the ring of ranks.
  real(8) function number(component, i, j, rank, step)
    integer, intent(in) :: component, i, j, rank, step
    number = 1d6*step + 1d4*rank + 1d2*j + 1d1*i + component
  end function

  !> Columns 1 to ny are the rank's own; columns 0 and ny + 1 are the neighbors'.
  subroutine exchange(ring)
    type(MPI_Comm), intent(in) :: ring
    real(8), pointer :: u(:, :, :)
    type(c_ptr) :: address
    type(ADCL_Vector) :: vec
    type(ADCL_Vmap) :: vmap
    type(ADCL_Topology) :: topo
    type(ADCL_Request) :: request
    character(len=ADCL_MAX_NAME) :: name
    integer :: ierror, rank, ranks, i, j, component, step, left, right, wrong

    call MPI_Comm_rank(ring, rank)
    call MPI_Comm_size(ring, ranks)
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call ADCL_Vector_allocate(2, [nx, ny + 2], nc, MPI_DOUBLE_PRECISION, address, vec, ierror)
    call check_ok(ierror, 'allocate')
    call check(c_associated(address), 'the address is null')
    call c_f_pointer(address, u, [nc, nx, ny + 2])
    call check(all(u == 0), 'the memory is not zeroed')

    call ADCL_Vmap_halo_allocate_generic(2, [0, 1], [0, 1], vmap, ierror)
    call check_ok(ierror, 'vmap')
    call ADCL_Topology_create(ring, topo, ierror=ierror)
    call check_ok(ierror, 'topology')
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check_ok(ierror, 'request')

    wrong = 0
    do step = 1, 5
      u = -1
      do j = 1, ny
        do i = 1, nx
          u(:, i, j + 1) = [(number(component, i, j, rank, step), component=1, nc)]
        end do
      end do
      call ADCL_Request_start(request, ierror)
      call check_ok(ierror, 'start')
      do i = 1, nx
        do component = 1, nc
          if (u(component, i, 1) /= number(component, i, ny, left, step)) wrong = wrong + 1
          if (u(component, i, ny + 2) /= number(component, i, 1, right, step)) wrong = wrong + 1
        end do
      end do
    end do
    call check(wrong == 0, 'a halo is wrong')
    call ADCL_Request_get_winner(request, name, ierror)
    call check(name == 'Shm_direct', 'the codelet is '//trim(name))

    call ADCL_Request_free(request, ierror)
    call ADCL_Topology_free(topo, ierror)
    call ADCL_Vmap_free(vmap, ierror)
    call ADCL_Vector_deregister(vec, ierror)
    call check_refused(ierror, ADCL_ERR_STATE, 'ADCL_Vector_free', 'deregistration of an allocated vector')
    call ADCL_Vector_free(vec, ierror)
    call check_ok(ierror, 'free')
    call check(vec == ADCL_VECTOR_NULL, 'the handle is null after freeing')
  end subroutine

  subroutine mistakes()
    type(ADCL_Vector) :: vec
    type(c_ptr) :: address
    integer(MPI_ADDRESS_KIND) :: number_of_address
    integer :: ierror

    call ADCL_Vector_allocate(2, [3], 0, MPI_INTEGER, address, vec, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'dims', 'dims that are too short')
    call check(.not. c_associated(address) .and. vec == ADCL_VECTOR_NULL, 'a failed call leaves null values')
    call ADCL_Vector_allocate_generic(1, [-1], 0, MPI_INTEGER, address, vec, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'dims', 'a negative extent')
    call ADCL_Vector_allocate_generic(1, [3], 0, MPI_INTEGER, number_of_address, vec, ierror)
    call check_ok(ierror, 'an address as an integer')
    call check(number_of_address /= 0, 'the integer is 0')
    call ADCL_Vector_free(vec, ierror)
    call check_ok(ierror, 'free')
  end subroutine

end module allocated_cases

program allocated
  use allocated_cases
  implicit none
  type(MPI_Comm) :: ring
  integer :: ierror

  call MPI_Init()
  call ADCL_Init(ierror)
  call check_ok(ierror, 'init')
  ! A grid of one column of blocks, so that only the second dimension has neighbors.
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [1, world_size()], [.false., .true.], .false., ring)
  call ADCL_Option_set('ADCL_CODELETS', 'neighborhood:Shm_direct', ierror)
  call check_ok(ierror, 'option')
  call exchange(ring)
  call mistakes()
  call MPI_Comm_free(ring)
  call ADCL_Finalize(ierror)
  call check_ok(ierror, 'finalize')
  call finish()
end program
