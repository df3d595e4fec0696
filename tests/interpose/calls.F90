! Collective calls of a Fortran program through one of MPI's three interfaces. The program is compiled without ADCL.
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

  interface
    integer(c_int) function report_lacks() bind(c)
      import :: c_int
    end function
  end interface

  integer, parameter :: n = 50, rounds = 200
  integer :: rank, ranks, ierror, i, r, failures, value(1)
  integer, allocatable :: out(:), in(:)
#if !defined(USE_MPIF_H)
  double precision :: total
#endif

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate (out(n * ranks), in(n * ranks))
  failures = 0
  do i = 1, rounds
    out = rank + i
    call MPI_Alltoall(out, n, MPI_INTEGER, in, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do r = 0, ranks - 1
      if (any(in(r * n + 1:(r + 1) * n) /= r + i)) failures = failures + 1
    end do
    in(rank * n + 1:(rank + 1) * n) = 7 * rank + i
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do r = 0, ranks - 1
      if (any(in(r * n + 1:(r + 1) * n) /= 7 * r + i)) failures = failures + 1
    end do
    value = rank + i
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (value(1) /= ranks * i + ranks * (ranks - 1) / 2) failures = failures + 1
#if !defined(USE_MPIF_H)
    total = 0.5d0 * rank
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierror)
    if (total /= 0.5d0 * (ranks - 1)) failures = failures + 1
#endif
    value = i
    if (rank /= 0) value = -1
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    if (value(1) /= i .or. ierror /= MPI_SUCCESS) failures = failures + 1
#if defined(USE_MPI_F08)
    call MPI_Scatter(out, n, MPI_INTEGER, in, n, MPI_INTEGER, 0, MPI_COMM_WORLD)
#else
    call MPI_Scatter(out, n, MPI_INTEGER, in, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
#endif
    if (any(in(1:n) /= i)) failures = failures + 1
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Finalize(ierror)
  if (rank == 0 .and. ranks > 1) failures = failures + report_lacks()
  if (failures /= 0) then
    print *, 'rank', rank, ':', failures, 'failures'
    stop 1
  end if
end program
