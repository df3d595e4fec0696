! ranks: 1 2 3 4
! not smpi: it does not free the attributes of MPI_COMM_SELF in MPI_Finalize
!> A program that checks no error codes and never calls ADCL_Finalize. The report contains its error, which only this
!> interface can detect, and the table of its search with the name of the request.
program forgotten
  use adcl
  use mpi_f08
  implicit none
  character(len=*), parameter :: report = './adcl_forgotten_fortran'
  character(len=32) :: path
  real(8), target :: u(8, 8)
  integer :: rank, ranks, i, too_few(1), missing
  type(MPI_Comm) :: cart
  type(ADCL_Request) :: request
  type(ADCL_Vector) :: vec

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  write (path, '(a,i0,a)') report, ranks, '.txt'
  if (rank == 0) call remove_file()
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [ranks, 1], [.true., .true.], .false., cart)
  call ADCL_Init()
  call ADCL_Option_set('ADCL_REPORT', path)
  call ADCL_Option_set('ADCL_ERRORS', 'report')
  call ADCL_Option_set('ADCL_SEARCH', 'brute_force')
  call ADCL_Option_set('ADCL_CODELETS', 'neighborhood:IsIr_aao,IsIr_aao_pack')
  u = 0
  missing = 0
  too_few = 8
  call ADCL_Vector_register(2, too_few, 0, MPI_DOUBLE_PRECISION, u, vec)
  call ADCL_Halo_init(u, 2, shape(u), 0, 1, MPI_DOUBLE_PRECISION, cart, request)
  call ADCL_Request_set_name(request, 'pressure of the fluid')
  do i = 1, 30
    call ADCL_Request_start(request)
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
  if (rank == 0) then
    call expect('ADCL error on rank 0: ')
    call expect('dims has 1 element')
    call expect('pressure of the fluid')
    call expect('winner  IsIr_aao')
    call expect('has not called ADCL_Finalize')
    call remove_file()
    if (missing > 0) error stop 'the report lacks something'
  end if

contains

  subroutine expect(words)
    character(len=*), intent(in) :: words
    character(len=256) :: line
    integer :: unit, status
    logical :: has
    has = .false.
    open (newunit=unit, file=path, status='old', action='read', iostat=status)
    do while (status == 0 .and. .not. has)
      read (unit, '(a)', iostat=status) line
      has = status == 0 .and. index(line, words) > 0
    end do
    close (unit, iostat=status)
    if (has) return
    missing = missing + 1
    print '(3a)', 'no "', words, '" in the report'
  end subroutine

  subroutine remove_file()
    integer :: unit, status
    open (newunit=unit, file=path, iostat=status)
    close (unit, status='delete', iostat=status)
  end subroutine

end program forgotten
