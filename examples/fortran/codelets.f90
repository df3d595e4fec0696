! ranks: 1 2 3 4
!> Codelets of the application: two methods to sum an array over all ranks, distinguished by an attribute. ADCL tries
!> both and keeps the faster one. Uses modules adcl and mpi.
module summation
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_ptr
  use mpi
  use adcl
  implicit none
  private
  public :: problem, sum_at_once, sum_around_the_ring

  !> Data of the codelets, passed as the context of the request.
  type :: problem
    real(8) :: part(1000), total(1000)
  end type

contains

  function problem_of(request) result(this)
    type(ADCL_Request), intent(in) :: request
    type(problem), pointer :: this
    type(c_ptr) :: context
    call ADCL_Request_get_context(request, context)
    call c_f_pointer(context, this)
  end function

  subroutine sum_at_once(request)
    type(ADCL_Request), intent(in) :: request
    type(problem), pointer :: p
    integer :: comm, ierror
    p => problem_of(request)
    call ADCL_Request_get_comm(request, comm)
    call MPI_Allreduce(p%part, p%total, size(p%part), MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierror)
  end subroutine

  !> Each part travels around the ring, and every rank adds it to its sum.
  subroutine sum_around_the_ring(request)
    type(ADCL_Request), intent(in) :: request
    type(problem), pointer :: p
    real(8) :: visiting(size(p%part))
    integer :: comm, rank, ranks, i, ierror
    p => problem_of(request)
    call ADCL_Request_get_comm(request, comm, rank, ranks)
    visiting = p%part
    p%total = p%part
    do i = 2, ranks
      call MPI_Sendrecv_replace(visiting, size(visiting), MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 0, &
                                modulo(rank - 1, ranks), 0, comm, MPI_STATUS_IGNORE, ierror)
      p%total = p%total + visiting
    end do
  end subroutine

end module summation

program codelets
  use, intrinsic :: iso_c_binding, only: c_loc
  use mpi
  use adcl
  use summation
  implicit none

  integer, parameter :: NIT = 2000
  type(problem), target :: p
  type(ADCL_Attribute) :: algorithm
  type(ADCL_Attrset) :: attributes
  type(ADCL_Function) :: functions(2)
  type(ADCL_Fnctset) :: set
  type(ADCL_Topology) :: topo
  type(ADCL_Request) :: request
  character(len=ADCL_MAX_NAME) :: winner
  integer :: rank, ranks, i, k, wrong, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call ADCL_Init()

  call ADCL_Attribute_create(2, [1, 2], ['at_once', 'ring   '], 'algorithm', algorithm)
  call ADCL_Attrset_create(1, algorithm, attributes)
  call ADCL_Function_create(sum_at_once, attributes, [1], 'sum_at_once', functions(1))
  call ADCL_Function_create(sum_around_the_ring, attributes, [2], 'sum_around_the_ring', functions(2))
  call ADCL_Fnctset_create(2, functions, 'summation', set)
  call ADCL_Topology_create(MPI_COMM_WORLD, topo)
  call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, topo, set, request)
  if (request == ADCL_REQUEST_NULL) error stop ADCL_Last_error()
  call ADCL_Request_set_context(request, c_loc(p))

  do i = 1, NIT
    p%part = [(real(k*i*(rank + 1), 8), k=1, size(p%part))]
    p%total = 0
    call ADCL_Request_start(request)
    wrong = count(p%total /= [(real(k*i, 8)*ranks*(ranks + 1)/2, k=1, size(p%total))])
    call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (wrong > 0) error stop 'a sum is wrong'
  end do

  call ADCL_Request_get_winner(request, winner)
  if (winner == ' ') error stop 'the search is not over'
  if (rank == 0) print '(a)', 'every sum was right; winner: '//trim(winner)

  ! Objects may be freed in any order. Each object stays alive until its last user is freed.
  call ADCL_Attribute_free(algorithm)
  call ADCL_Attrset_free(attributes)
  do i = 1, 2
    call ADCL_Function_free(functions(i))
  end do
  call ADCL_Fnctset_free(set)
  call ADCL_Topology_free(topo)
  call ADCL_Request_free(request)
  call ADCL_Finalize()
  call MPI_Finalize(ierror)
end program codelets
