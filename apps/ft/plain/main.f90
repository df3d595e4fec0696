!> NAS FT as a program that uses only MPI and FFTW: ft_plain [CLASS [ITERATIONS]]. It computes what `ft --exchange mpi`
!> computes. Exit code 0: all sums are right; 1: they are not; 2: usage.
program ft_plain
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use decomposition
  use exchange
  use lines
  use mpi_f08
  use problem
  use spectrum
  use transposes
  implicit none
  real(real64), parameter :: tolerance = 1e-12_real64
  type(process_grid) :: grid
  type(problem_class) :: class
  type(line_transform) :: transforms(3)
  type(transposition) :: out(2), back(2)
  complex(real64), allocatable :: waves(:), points(:), sent(:), received(:)
  integer :: code, iterations, rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  code = 2
  if (read_arguments()) then
    call set_up()
    code = solve()
    call clean_up()
  end if
  call MPI_Finalize()
  if (code /= 0) stop code, quiet=.true.

contains

  !> Returns false after a message about the usage. Collective: rank 0's arguments count.
  logical function read_arguments() result(good)
    integer :: numbers(2), status
    character(len=20) :: word
    numbers = [1, 0]
    status = 0
    if (rank == 0) then
      if (command_argument_count() >= 1) then
        call get_command_argument(1, word)
        numbers(1) = (index(class_names, trim(word)) + 1)/2
        if (len_trim(word) /= 1) numbers(1) = 0
      end if
      if (command_argument_count() >= 2) then
        call get_command_argument(2, word)
        read (word, *, iostat=status) numbers(2)
        if (status /= 0 .or. numbers(2) < 1) numbers(1) = 0
      end if
    end if
    call MPI_Bcast(numbers, 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
    good = numbers(1) > 0
    if (good) then
      class = class_of(numbers(1))
      good = fits(class, processes_for(slabs, ranks))
    end if
    if (good) iterations = merge(numbers(2), class%iterations, numbers(2) > 0)
    if (.not. good .and. rank == 0) then
      write (error_unit, '(a)') 'ft_plain: invalid arguments, or more ranks than points along z; '// &
        'usage: mpirun -n RANKS ft_plain [S, W, A or B [ITERATIONS]]'
    end if
  end function

  !> Collective.
  subroutine set_up()
    integer(int64) :: along(3)
    integer :: d
    call make_grid(grid, class, processes_for(slabs, ranks), MPI_COMM_WORLD)
    associate (n => class%points)
      along(1) = int(n(1), int64)*points_along(grid, 2, 1)*points_along(grid, 3, 2)
      along(2) = int(n(2), int64)*points_along(grid, 1, 1)*points_along(grid, 3, 2)
      along(3) = int(n(3), int64)*points_along(grid, 1, 1)*points_along(grid, 2, 2)
    end associate
    allocate (waves(along(3)), points(maxval(along)), sent(maxval(along)), received(maxval(along)))
    do d = 1, 3
      call make_transform(transforms(d), class%points(d), points)
    end do
    call make_transpose(out(1), grid, 1, [1, 2], points_along(grid, 3, 2), between=.false.)
    call make_transpose(out(2), grid, 2, [2, 3], points_along(grid, 1, 1), between=.true.)
    call make_transpose(back(1), grid, 2, [3, 2], points_along(grid, 1, 1), between=.true.)
    call make_transpose(back(2), grid, 1, [2, 1], points_along(grid, 3, 2), between=.false.)
  end subroutine

  !> Collective.
  subroutine clean_up()
    integer :: d
    do d = 1, 3
      call free_transform(transforms(d))
    end do
    call free_grid(grid)
  end subroutine

  !> Transforms lines along direction \p d.
  subroutine transform(d, direction)
    integer, intent(in) :: d, direction
    integer(int64) :: number
    select case (d)
    case (1)
      number = int(class%points(1), int64)*points_along(grid, 2, 1)*points_along(grid, 3, 2)
    case (2)
      number = int(class%points(2), int64)*points_along(grid, 1, 1)*points_along(grid, 3, 2)
    case default
      number = int(class%points(3), int64)*points_along(grid, 1, 1)*points_along(grid, 2, 2)
    end select
    call transform_lines(transforms(d), direction, points(:number))
  end subroutine

  !> With slabs the transposition of x and y is local. Collective.
  subroutine transpose_points(this)
    type(transposition), intent(in) :: this
    call pack_lines(this, points, sent)
    if (size(this%messages%sent) > 1) then
      call exchange_by_mpi(this%messages, sent, received)
      call unpack_lines(this, received, points)
    else
      call unpack_lines(this, sent, points)
    end if
  end subroutine

  !> Collective.
  complex(real64) function checksum()
    integer(int64) :: sampled(sums), total(sums)
    sampled = sampled_sums(grid, points)
    call MPI_Allreduce(sampled, total, sums, MPI_INTEGER8, MPI_SUM, grid%all)
    checksum = checksum_of(total)
  end function

  !> Collective.
  integer function solve() result(code)
    complex(real64) :: found(class%iterations), published
    real(real64) :: error, begun
    integer :: i, iteration, step
    call initial_points(grid, points)
    call transform(1, forward)
    do i = 1, 2
      call transpose_points(out(i))
      call transform(i + 1, forward)
    end do
    waves = points(:size(waves))
    error = 0
    begun = MPI_Wtime()
    do iteration = 1, iterations
      step = 1 + mod(iteration - 1, class%iterations)
      call evolve(grid, step, waves, points)
      call transform(3, backward)
      do i = 1, 2
        call transpose_points(back(i))
        call transform(3 - i, backward)
      end do
      found(step) = checksum()
      published = published_checksum(class, step)
      error = max(error, abs(found(step) - published)/abs(published))
    end do
    code = merge(0, 1, error <= tolerance)
    if (rank == 0) call report(found, MPI_Wtime() - begun, code == 0)
  end function

  subroutine report(found, seconds, good)
    complex(real64), intent(in) :: found(:)
    real(real64), intent(in) :: seconds
    logical, intent(in) :: good
    integer :: step
    write (*, '("NAS FT, class ", a, ": ", i0, 2(" x ", i0), " points, ", i0, " iterations")') class_name(class), &
      class%points, iterations
    do step = 1, min(iterations, size(found))
      write (*, '("sum after step ", i0, ": ", es23.16, 1x, es23.16)') step, found(step)
    end do
    write (*, '("Time in seconds = ", f0.6)') seconds
    write (*, '("Verification: ", a)') trim(merge('successful', 'failed    ', good))
  end subroutine

end program ft_plain
