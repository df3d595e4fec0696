! ranks: 1 2 3
!> ADCL_Request_start_with and ADCL_Request_init_with, through the module and through ADCL.inc: a start with other
!> arrays.
module other_arrays_checked
  use checks
  implicit none
  integer, parameter :: cells = 6
  integer :: left = 0, right = 0, rank = 0

contains

  subroutine fill(line, start)
    integer, intent(out) :: line(cells)
    integer, intent(in) :: start
    integer :: i
    line = [(100*start + 10*rank + i, i=1, cells)]
  end subroutine

  subroutine verify(line, start, what)
    integer, intent(in) :: line(cells), start
    character(len=*), intent(in) :: what
    call check(line(1) == 100*start + 10*left + cells - 1 .and. line(cells) == 100*start + 10*right + 2, what)
  end subroutine

  subroutine by_module(cart)
    use adcl
    use mpi_f08, only: MPI_Comm, MPI_INTEGER
    integer, intent(in) :: cart
    integer, target, asynchronous :: own(cells), lines(cells, 3)
    integer, target, asynchronous :: wide(2, cells)
    integer :: start, which, ierror
    type(ADCL_Request) :: request
    type(MPI_Comm) :: comm
    comm%MPI_VAL = cart
    own = -7
    call ADCL_Halo_init(own, 1, [cells], 0, 1, MPI_INTEGER, comm, request, ierror)
    call check_ok(ierror, 'ADCL_Halo_init')
    do start = 1, 300
      which = 1 + mod(start*(rank + 1), 3)
      call fill(lines(:, which), start)
      if (mod(start, 2) == 0) then
        call ADCL_Request_start_with(request, lines(:, which), lines(:, which), ierror)
      else
        call ADCL_Request_init_with(request, lines(:, which), lines(:, which), ierror)
        call ADCL_Request_wait(request)
      end if
      call check_ok(ierror, 'a start with another array')
      call verify(lines(:, which), start, 'the module''s halo')
    end do
    call check(all(own == -7), 'the request''s own array is unchanged')
    call ADCL_Request_start_with(request, wide(1, :), wide(1, :), ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'contiguous', 'an array with gaps')
    call ADCL_Request_free(request)
  end subroutine

  subroutine by_include_file(cart)
    include 'mpif.h'
    include 'ADCL.inc'
    integer, intent(in) :: cart
    integer, target, asynchronous :: own(cells), lines(cells, 3)
    integer :: request, start, which, ierr
    call ADCL_Halo_init(own, 1, [cells], 0, 1, MPI_INTEGER, cart, request, ierr)
    do start = 1, 300
      which = 1 + mod(start + rank, 3)
      call fill(lines(:, which), start)
      if (mod(start, 2) == 0) then
        call ADCL_Request_start_with(request, lines(:, which), lines(:, which), ierr)
      else
        call ADCL_Request_init_with(request, lines(:, which), lines(:, which), ierr)
        call check_ok(ierr, 'ADCL_Request_init_with')
        call ADCL_Request_wait(request, ierr)
      end if
      call check_ok(ierr, 'a start with another array')
      call verify(lines(:, which), start, 'the halo by ADCL.inc')
    end do
    call ADCL_Request_free(request, ierr)
  end subroutine

end module other_arrays_checked

program other_arrays
  use mpi
  use adcl, only: ADCL_Init, ADCL_Finalize
  use other_arrays_checked
  implicit none
  integer :: cart, ierr
  logical :: periods(1)
  periods = .true.
  call MPI_Init(ierr)
  call ADCL_Init(ierr)
  call check_ok(ierr, 'ADCL_Init')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [world_size()], periods, .false., cart, ierr)
  call MPI_Comm_rank(cart, rank, ierr)
  call MPI_Cart_shift(cart, 0, 1, left, right, ierr)
  call by_module(cart)
  call by_include_file(cart)
  call MPI_Comm_free(cart, ierr)
  call ADCL_Finalize(ierr)
  call finish()
end program other_arrays
