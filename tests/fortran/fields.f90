! ranks: 1 2 3 4
!> Several vectors in one request: arrays of different types, ranks and halo widths.
module field_cases
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  integer, parameter :: N = 6
  integer, target :: counts(N, 5)          !< one halo layer around 4 x 3
  double precision, target :: speeds(3, N + 2, 7)  !< three entries per point, two halo layers

contains

  integer function global(rank, component, i, j)
    integer, intent(in) :: rank, component, i, j
    global = ((rank*4 + component)*16 + i)*16 + j
  end function

  !> Fills the interior with the values of rank \p rank, and the halo with -1.
  subroutine fill(rank, start)
    integer, intent(in) :: rank, start
    integer :: i, j, c
    counts = -1
    speeds = -1
    do j = 1, 3
      do i = 1, 4
        counts(1 + i, 1 + j) = start + global(rank, 0, i, j)
        do c = 1, 3
          speeds(c, 2 + i, 2 + j) = start + 0.5d0 + global(rank, c, i, j)
        end do
      end do
    end do
  end subroutine

  !> The grid is a periodic ring of all processes along the first dimension, and one process along the second dimension.
  subroutine verify(left, right, me, start, what)
    integer, intent(in) :: left, right, me, start
    character(len=*), intent(in) :: what
    integer :: i, j, c, wrong
    wrong = 0
    do j = 1, 3
      if (counts(1, 1 + j) /= start + global(left, 0, 4, j)) wrong = wrong + 1
      if (counts(6, 1 + j) /= start + global(right, 0, 1, j)) wrong = wrong + 1
      do c = 1, 3
        do i = 1, 2
          if (int(speeds(c, i, 2 + j)) /= start + global(left, c, 2 + i, j)) wrong = wrong + 1
          if (int(speeds(c, 6 + i, 2 + j)) /= start + global(right, c, i, j)) wrong = wrong + 1
        end do
      end do
    end do
    do i = 1, 4
      if (counts(1 + i, 1) /= start + global(me, 0, i, 3)) wrong = wrong + 1
      if (counts(1 + i, 5) /= start + global(me, 0, i, 1)) wrong = wrong + 1
      if (int(speeds(2, 2 + i, 2)) /= start + global(me, 2, i, 3)) wrong = wrong + 1
      if (int(speeds(2, 2 + i, 7)) /= start + global(me, 2, i, 2)) wrong = wrong + 1
    end do
    call check(wrong == 0, what)
  end subroutine

  subroutine with_module(cart, left, right, me)
    type(MPI_Comm), intent(in) :: cart
    integer, intent(in) :: left, right, me
    type(ADCL_Vector) :: vecs(2), first, second
    type(ADCL_Vmap) :: vmaps(2)
    type(ADCL_Topology) :: topo
    type(ADCL_Request) :: request
    integer :: start, fields, ierror
    call ADCL_Vector_register(2, shape(counts), 0, MPI_INTEGER, counts, vecs(1))
    call ADCL_Vector_register(2, [N + 2, 7], 3, MPI_DOUBLE_PRECISION, speeds, vecs(2))
    call ADCL_Vmap_halo_allocate(1, vmaps(1))
    call ADCL_Vmap_halo_allocate(2, vmaps(2))
    call ADCL_Topology_create(cart, topo)
    call ADCL_Request_create_several(2, vecs, vmaps, vecs, vmaps, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check_ok(ierror, 'ADCL_Request_create_several')
    call ADCL_Request_get_fields_num(request, fields, ierror)
    call check(ierror == ADCL_SUCCESS .and. fields == 2, 'ADCL_Request_get_fields_num')
    call ADCL_Request_get_field(request, 2, first, second, ierror)
    call check(ierror == ADCL_SUCCESS .and. first == vecs(2) .and. second == vecs(2), 'the second field is number 2')
    call ADCL_Request_get_field(request, 0, first, second, ierror)
    call check(ierror == ADCL_ERR_ARGUMENT, 'there is no field 0')
    do start = 1, 60
      call fill(me, 10000*start)
      call ADCL_Request_start(request, ierror)
      call check_ok(ierror, 'ADCL_Request_start')
      call verify(left, right, me, 10000*start, 'the fields after a start')
    end do
    call ADCL_Request_free(request)
    call ADCL_Request_create_several(0, vecs, vmaps, vecs, vmaps, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check(ierror == ADCL_ERR_ARGUMENT .and. request == ADCL_REQUEST_NULL, 'no field')
    call ADCL_Request_create_several(3, vecs, vmaps, vecs, vmaps, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierror)
    call check(ierror == ADCL_ERR_ARGUMENT .and. request == ADCL_REQUEST_NULL, 'arrays that are too short')
    call check(index(ADCL_Last_error(), 'svecs has 2') > 0, 'the message names the array')
    call ADCL_Topology_free(topo)
    call ADCL_Vmap_free(vmaps(1))
    call ADCL_Vmap_free(vmaps(2))
    call ADCL_Vector_deregister(vecs(1))
    call ADCL_Vector_deregister(vecs(2))
  end subroutine

end module field_cases

program fields
  use field_cases
  implicit none
  type(MPI_Comm) :: cart
  integer :: left, right, me
  call MPI_Init()
  call ADCL_Init()
  call ADCL_Option_set('ADCL_SEARCH', 'brute_force')
  call ADCL_Option_set('ADCL_MEASUREMENTS', '1')
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [world_size(), 1], [.true., .true.], .false., cart)
  call MPI_Comm_rank(cart, me)
  call MPI_Cart_shift(cart, 0, 1, left, right)
  call with_module(cart, left, right, me)
  call MPI_Comm_free(cart)
  call ADCL_Finalize()
  call finish()
end program fields
