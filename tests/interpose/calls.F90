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
  integer, allocatable :: out(:), in(:), counts(:), places(:)
  integer :: ends(2), ones(2), from(2), into(2)
  integer(MPI_ADDRESS_KIND) :: displacements(2)
#if defined(USE_MPI_F08)
  type(MPI_Datatype), allocatable :: types(:)
  type(MPI_Comm) :: ring
#else
  integer, allocatable :: types(:)
  integer :: ring
#endif
#if !defined(USE_MPIF_H)
  double precision :: total
#endif

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  allocate (out(n * ranks), in(n * ranks), counts(ranks), places(ranks), types(max(ranks, 2)))
  types = MPI_INTEGER
  ends = [mod(rank + ranks - 1, ranks), mod(rank + 1, ranks)]
  ones = 1
  ! The mpi_f08 of MPICH 4.0 accepts no Cartesian topology in MPI_Neighbor_alltoallw.
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ends, ones, 2, ends, ones, MPI_INFO_NULL, .false., ring, ierror)
  displacements = [4_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND]
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
    out = rank + i
    in = 0
    counts = [(mod(rank + r + i, 7), r=0, ranks - 1)]
    places = [(r * n, r=0, ranks - 1)]
    call MPI_Alltoallv(out, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    do r = 0, ranks - 1
      if (any(in(r * n + 1:r * n + counts(r + 1)) /= r + i)) failures = failures + 1
      if (any(in(r * n + counts(r + 1) + 1:(r + 1) * n) /= 0)) failures = failures + 1
    end do
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, in, counts, 4 * places, types, MPI_COMM_WORLD, ierror)
    do r = 0, ranks - 1
      if (any(in(r * n + 1:r * n + counts(r + 1)) /= rank + i)) failures = failures + 1
    end do
    from = [rank + i, rank + i]
    into = 0
    if (ranks > 1) then  ! Open MPI 4 converts one datatype per rank, not per neighbor
      call MPI_Neighbor_alltoallw(from, ones, displacements, types, into, ones, displacements, types, ring, ierror)
      if (any(into([2, 1]) /= ends + i)) failures = failures + 1
    end if
    call MPI_Allgatherv(rank + i, 1, MPI_INTEGER, in, [(1, r=1, ranks)], [(r, r=0, ranks - 1)], MPI_INTEGER, &
                        MPI_COMM_WORLD, ierror)
    if (any(in(1:ranks) /= [(r + i, r=0, ranks - 1)])) failures = failures + 1
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Comm_free(ring, ierror)
  call MPI_Finalize(ierror)
  if (rank == 0 .and. ranks > 1) failures = failures + report_lacks()
  if (failures /= 0) then
    print *, 'rank', rank, ':', failures, 'failures'
    stop 1
  end if
end program
