! The calls of a Fortran program through one of MPI's three interfaces: each is counted exactly once, whether or not the
! Fortran interface calls the C interface.
program calls
  use, intrinsic :: iso_c_binding
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF_H)
  include 'mpif.h'
#endif
#if defined(USE_MPI_F08)
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

  interface
    subroutine expect_call(name, count) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: count
    end subroutine
    subroutine expect_message(bytes) bind(c)
      import :: c_int
      integer(c_int), value :: bytes
    end subroutine
    subroutine expect_prepare() bind(c)
    end subroutine
    integer(c_int) function expect_compare() bind(c)
      import :: c_int
    end function
  end interface

  integer, parameter :: n = 1000
  double precision :: out(n), in(n), total
  integer :: rank, ranks, left, right, provided, ierror, i, code
  HANDLE(MPI_Request) :: requests(2), request

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  out = rank
  in = -1

  do i = 1, 5
    call MPI_Irecv(in, n, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, request, ierror)
    call MPI_Send(out, n, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call expect_message(8 * n)
  end do
  call expect_call('MPI_Irecv' // c_null_char, 5)
  call expect_call('MPI_Send' // c_null_char, 5)
  call expect_call('MPI_Wait' // c_null_char, 5)

  do i = 1, 4
    call MPI_Irecv(in, i, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(out, i, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    call expect_message(8 * i)
  end do
  call expect_call('MPI_Irecv' // c_null_char, 4)
  call expect_call('MPI_Isend' // c_null_char, 4)
  call expect_call('MPI_Waitall' // c_null_char, 4)

  call MPI_Sendrecv(out, 300, MPI_DOUBLE_PRECISION, right, 3, in, 300, MPI_DOUBLE_PRECISION, left, 3, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call expect_call('MPI_Sendrecv' // c_null_char, 1)
  call expect_message(2400)
  call MPI_Send(out, 300, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 3, MPI_COMM_WORLD, ierror)
  call expect_call('MPI_Send' // c_null_char, 1)

  call MPI_Recv_init(in, 200, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Send_init(out, 200, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, requests(2), ierror)
  do i = 1, 3
    call MPI_Startall(2, requests, ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    call expect_message(1600)
  end do
  call MPI_Start(requests(1), ierror)
  call MPI_Start(requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call expect_message(1600)
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)
  call expect_call('MPI_Recv_init' // c_null_char, 1)
  call expect_call('MPI_Send_init' // c_null_char, 1)
  call expect_call('MPI_Startall' // c_null_char, 3)
  call expect_call('MPI_Start' // c_null_char, 2)
  call expect_call('MPI_Waitall' // c_null_char, 4)
  call expect_call('MPI_Request_free' // c_null_char, 2)

  ! Constants that are addresses in MPI's Fortran library must be recognized by the interposed calls.
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call expect_call('MPI_Allreduce' // c_null_char, 1)
  call expect_call('MPI_Barrier' // c_null_char, 1)
  call expect_prepare()
  call MPI_Finalize(ierror)

  code = expect_compare()
  if (any(in(:200) /= left) .or. nint(total) /= ranks * (ranks - 1) / 2) then
    print '(a,i0,a)', 'rank ', rank, ': FAILED: the received data are wrong'
    code = 1
  end if
  call exit(code)
end program calls
