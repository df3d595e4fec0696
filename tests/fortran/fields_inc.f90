! ranks: 1 3
!> Several vectors in one request through ADCL.inc, and the library's distance between problems.
program fields_inc
  use, intrinsic :: iso_c_binding, only: c_null_funptr
  use checks
  implicit none
  include 'mpif.h'
  include 'ADCL.inc'
  integer, target :: counts(6)
  double precision, target :: speeds(2, 8)
  integer :: vecs(2), vmaps(2), topo, request, first, second, fields, cart, rank, left, right, start, ierr, i
  logical :: periods(1)
  periods = .true.
  call MPI_Init(ierr)
  call ADCL_Init(ierr)
  call check_ok(ierr, 'ADCL_Init')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [world_size()], periods, .false., cart, ierr)
  call MPI_Comm_rank(cart, rank, ierr)
  call MPI_Cart_shift(cart, 0, 1, left, right, ierr)
  call ADCL_Vector_register(1, [6], 0, MPI_INTEGER, counts, vecs(1), ierr)
  call ADCL_Vector_register(1, [8], 2, MPI_DOUBLE_PRECISION, speeds, vecs(2), ierr)
  do i = 1, 2
    call ADCL_Vmap_halo_allocate(i, vmaps(i), ierr)
  end do
  call ADCL_Topology_create(cart, 0, topo, ierr)
  call ADCL_Fnctset_set_similarity(ADCL_FNCTSET_NEIGHBORHOOD, c_null_funptr, ierr)
  call check_ok(ierr, 'ADCL_Fnctset_set_similarity')
  call ADCL_Request_create_several(2, vecs, vmaps, vecs, vmaps, topo, ADCL_FNCTSET_NEIGHBORHOOD, request, ierr)
  call check_ok(ierr, 'ADCL_Request_create_several')
  call ADCL_Request_get_fields_num(request, fields, ierr)
  call check(ierr == ADCL_SUCCESS .and. fields == 2, 'ADCL_Request_get_fields_num')
  call ADCL_Request_get_field(request, 2, first, second, ierr)
  call check(ierr == ADCL_SUCCESS .and. first == vecs(2) .and. second == vecs(2), 'ADCL_Request_get_field')
  do start = 1, 60
    counts = [(100*start + 10*rank + i, i=1, 6)]
    speeds(1, :) = [(100*start + 10*rank + i, i=1, 8)]
    speeds(2, :) = -speeds(1, :)
    call ADCL_Request_start(request, ierr)
    call check_ok(ierr, 'ADCL_Request_start')
    call check(counts(1) == 100*start + 10*left + 5 .and. counts(6) == 100*start + 10*right + 2, 'the first field')
    call check(all(nint(speeds(1, 1:2)) == 100*start + 10*left + [5, 6]), 'the second field, left')
    call check(all(nint(speeds(2, 7:8)) == -(100*start + 10*right + [3, 4])), 'the second field, right')
  end do
  call ADCL_Request_free(request, ierr)
  call ADCL_Topology_free(topo, ierr)
  do i = 1, 2
    call ADCL_Vmap_free(vmaps(i), ierr)
    call ADCL_Vector_deregister(vecs(i), ierr)
  end do
  call MPI_Comm_free(cart, ierr)
  call ADCL_Finalize(ierr)
  call finish()
end program fields_inc
