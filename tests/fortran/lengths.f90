! ranks: 1 2 3
!> Lengths of the arrays of collectives: an array that MPI ignores may be short; any other is an error on all ranks.
program lengths
  use adcl
  use checks
  use mpi_f08
  implicit none
  integer, target, allocatable :: sent(:), received(:)
  integer, allocatable :: counts(:), displs(:), few(:)
  type(MPI_Datatype), allocatable :: types(:), few_types(:)
  type(ADCL_Request) :: req
  type(ADCL_Vmap) :: vmap
  integer :: n, rank, root, i, ierr
  call MPI_Init()
  call ADCL_Init(ierr)
  call check_ok(ierr, 'ADCL_Init')
  n = world_size()
  rank = world_rank()
  root = n - 1
  allocate (sent(n), received(n), counts(n), displs(n), types(n), few(n - 1), few_types(n - 1))
  counts = 1
  few = 1
  displs = [(i, i=0, n - 1)]
  types = MPI_INTEGER
  few_types = MPI_INTEGER
  call ignored()
  call too_short()
  call ADCL_Finalize()
  call finish()

contains

  !> Arrays on ranks other than the root, and with MPI_IN_PLACE as send array.
  subroutine ignored()
    integer :: length
    length = merge(n, 0, rank == root)
    call ADCL_Gatherv_init(sent, 1, MPI_INTEGER, received, counts(:length), displs(:length), MPI_INTEGER, root, &
                           MPI_COMM_WORLD, req, ierr)
    call made('ADCL_Gatherv_init')
    call ADCL_Scatterv_init(sent, counts(:length), displs(:length), MPI_INTEGER, received, 1, MPI_INTEGER, root, &
                            MPI_COMM_WORLD, req, ierr)
    call made('ADCL_Scatterv_init')
    call ADCL_Alltoallv_init(MPI_IN_PLACE, counts(:0), displs(:0), MPI_INTEGER, received, counts, displs, MPI_INTEGER, &
                             MPI_COMM_WORLD, req, ierr)
    call made('ADCL_Alltoallv_init')
    call ADCL_Alltoallw_init(MPI_IN_PLACE, counts(:0), displs(:0), types(:0), received, counts, 4*displs, types, &
                             MPI_COMM_WORLD, req, ierr)
    call made('ADCL_Alltoallw_init')
  end subroutine

  !> Tests arrays that are one element too short.
  subroutine too_short()
    call ADCL_Gatherv_init(sent, 1, MPI_INTEGER, received, few, displs, MPI_INTEGER, root, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Gatherv_init: rcounts', root)
    call ADCL_Gatherv_init(sent, 1, MPI_INTEGER, received, counts, few, MPI_INTEGER, root, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Gatherv_init: displs', root)
    call ADCL_Scatterv_init(sent, few, displs, MPI_INTEGER, received, 1, MPI_INTEGER, root, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Scatterv_init: scounts', root)
    call ADCL_Scatterv_init(sent, counts, few, MPI_INTEGER, received, 1, MPI_INTEGER, root, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Scatterv_init: displs', root)
    call ADCL_Allgatherv_init(sent, 1, MPI_INTEGER, received, few, displs, MPI_INTEGER, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Allgatherv_init: rcounts', rank)
    call ADCL_Allgatherv_init(sent, 1, MPI_INTEGER, received, counts, few, MPI_INTEGER, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Allgatherv_init: displs', rank)
    call alltoallv(few, displs, counts, displs, 'scounts')
    call alltoallv(counts, few, counts, displs, 'sdispls')
    call alltoallv(counts, displs, few, displs, 'rcounts')
    call alltoallv(counts, displs, counts, few, 'rdispls')
    call alltoallw(few, displs, types, counts, displs, types, 'scounts')
    call alltoallw(counts, few, types, counts, displs, types, 'sdispls')
    call alltoallw(counts, displs, few_types, counts, displs, types, 'stypes')
    call alltoallw(counts, displs, types, few, displs, types, 'rcounts')
    call alltoallw(counts, displs, types, counts, few, types, 'rdispls')
    call alltoallw(counts, displs, types, counts, displs, few_types, 'rtypes')
    call ADCL_Reduce_scatter_init(sent, received, few, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Reduce_scatter_init: rcounts', rank)
    call ADCL_Vmap_list_allocate(n, few, displs, vmap, ierr)
    call refused('ADCL_Vmap_list_allocate: counts', rank)
    call ADCL_Vmap_list_allocate(n, counts, few, vmap, ierr)
    call refused('ADCL_Vmap_list_allocate: displs', rank)
    call ADCL_Vmap_listw_allocate(n, few, displs, types, vmap, ierr)
    call refused('ADCL_Vmap_listw_allocate: counts', rank)
    call ADCL_Vmap_listw_allocate(n, counts, few, types, vmap, ierr)
    call refused('ADCL_Vmap_listw_allocate: displs', rank)
    call ADCL_Vmap_listw_allocate(n, counts, displs, few_types, vmap, ierr)
    call refused('ADCL_Vmap_listw_allocate: types', rank)
    call ADCL_Vmap_redscatter_allocate(n, few, MPI_SUM, vmap, ierr)
    call refused('ADCL_Vmap_redscatter_allocate: counts', rank)
    call check(vmap == ADCL_VMAP_NULL, 'no vmap was created')
  end subroutine

  subroutine alltoallv(scounts, sdispls, rcounts, rdispls, name)
    integer, intent(in) :: scounts(:), sdispls(:), rcounts(:), rdispls(:)
    character(len=*), intent(in) :: name
    call ADCL_Alltoallv_init(sent, scounts, sdispls, MPI_INTEGER, received, rcounts, rdispls, MPI_INTEGER, &
                             MPI_COMM_WORLD, req, ierr)
    call refused('ADCL_Alltoallv_init: '//name, rank)
  end subroutine

  subroutine alltoallw(scounts, sdispls, stypes, rcounts, rdispls, rtypes, name)
    integer, intent(in) :: scounts(:), sdispls(:), rcounts(:), rdispls(:)
    type(MPI_Datatype), intent(in) :: stypes(:), rtypes(:)
    character(len=*), intent(in) :: name
    call ADCL_Alltoallw_init(sent, scounts, sdispls, stypes, received, rcounts, rdispls, rtypes, MPI_COMM_WORLD, req, &
                             ierr)
    call refused('ADCL_Alltoallw_init: '//name, rank)
  end subroutine

  subroutine made(what)
    character(len=*), intent(in) :: what
    call check_ok(ierr, what)
    call ADCL_Request_free(req)
  end subroutine

  !> Checks that all ranks return the error, and that the message of rank \p where names the argument.
  subroutine refused(argument, where)
    character(len=*), intent(in) :: argument
    integer, intent(in) :: where
    if (rank == where) then
      call check_refused(ierr, ADCL_ERR_ARGUMENT, argument//' has ', argument)
    else
      call check(ierr == ADCL_ERR_ARGUMENT, argument//' is refused on all ranks')
    end if
    call check(req == ADCL_REQUEST_NULL, argument//': no request was created')
  end subroutine
end program lengths
