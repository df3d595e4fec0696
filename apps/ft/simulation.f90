!> A run from beginning to end, with the checks of its result.
module simulation
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use adcl
  use app_interface
  use decomposition
  use exchange
  use lines
  use mpi_f08
  use problem
  use spectrum
  use transposes
  implicit none
  private
  public :: make_simulation, run_simulation, free_simulation

  integer, parameter, public :: by_adcl = 0, by_adcl_timer = 1, by_mpi = 2

  type, public :: ft_simulation
    type(process_grid) :: grid
    integer :: way = by_mpi
    type(line_transform) :: transforms(3)  !< along x, y, z
    type(transposition) :: out(2)   !< from lines along x to y, and from y to z
    type(transposition) :: back(2)  !< from lines along z to y, and from y to x
    complex(real64), pointer, contiguous :: waves(:) => null(), points(:) => null(), sent(:) => null(), received(:) => null()
    integer(int64) :: sampled(sums) = 0, total(sums) = 0
    type(ADCL_Request) :: reduction
    type(ADCL_Timer) :: timers(2)  !< timers of the steps around the backward transposes
    logical :: spoil = .false.  !< for tests: modify one received value
    logical :: fold = .false.   !< for tests: include all iterations in the record's hash
    real(real64) :: begun = 0
  end type

  type, public :: ft_record
    real(real64) :: setup_s = 0, total_s = 0
    complex(real64), allocatable :: checksums(:)  !< after each completed step
    real(real64) :: error = 0                     !< maximum over all iterations, relative to the published checksum
    integer(int64) :: bits = 0                    !< hash of all points at the end
  end type

  !> Tolerance of the specification.
  real(real64), parameter, public :: tolerance = 1e-12_real64

contains

  !> Collective over \p comm. \p good is false if there is not enough memory; then call only free_simulation. The
  !> simulation must not be moved.
  subroutine make_simulation(this, class, processes, way, comm, good)
    type(ft_simulation), intent(inout), target :: this
    type(problem_class), intent(in) :: class
    integer, intent(in) :: processes(2), way
    type(MPI_Comm), intent(in) :: comm
    logical, intent(out) :: good
    integer :: code, d
    this%begun = MPI_Wtime()
    this%way = way
    call make_grid(this%grid, class, processes, comm)
    if (way /= by_mpi) then
      call ADCL_Init(code)
      call app_check(code)
    end if
    call allocate_points(this, good)
    if (.not. good) return
    do d = 1, 3
      call make_transform(this%transforms(d), class%points(d), this%points)
    end do
    call make_transposes(this)
    if (way /= by_mpi) call make_requests(this)
  end subroutine

  !> Collective.
  subroutine allocate_points(this, good)
    type(ft_simulation), intent(inout) :: this
    logical, intent(out) :: good
    integer(int64) :: along(3)
    integer :: status
    associate (g => this%grid, n => this%grid%class%points)
      along(1) = int(n(1), int64)*points_along(g, 2, 1)*points_along(g, 3, 2)
      along(2) = int(n(2), int64)*points_along(g, 1, 1)*points_along(g, 3, 2)
      along(3) = int(n(3), int64)*points_along(g, 1, 1)*points_along(g, 2, 2)
      allocate (this%waves(along(3)), this%points(maxval(along)), this%sent(maxval(along)), &
                this%received(maxval(along)), stat=status)
      good = status == 0
      call MPI_Allreduce(MPI_IN_PLACE, good, 1, MPI_LOGICAL, MPI_LAND, g%all)
    end associate
  end subroutine

  !> Collective. MPI performs the forward transposes, which occur once; the backward transposes occur in each iteration.
  subroutine make_transposes(this)
    type(ft_simulation), intent(inout), target :: this
    integer :: i
    associate (g => this%grid)
      call make_transpose(this%out(1), g, 1, [1, 2], points_along(g, 3, 2), between=.false.)
      call make_transpose(this%out(2), g, 2, [2, 3], points_along(g, 1, 1), between=.true.)
      call make_transpose(this%back(1), g, 2, [3, 2], points_along(g, 1, 1), between=.true.)
      call make_transpose(this%back(2), g, 1, [2, 1], points_along(g, 3, 2), between=.false.)
      this%out(1)%apart = g%processes(1) > 1
      this%back(2)%apart = g%processes(1) > 1
    end associate
    do i = 1, 2
      if (this%back(i)%apart) call make_exchange(this%back(i)%messages, this%sent, this%received, this%way /= by_mpi)
    end do
  end subroutine

  !> Creates the reduction of the checksum, and the timers of thesis Fig. 6.5. All requests of a timer must have the
  !> same processes, so each of the two transposes has a separate timer for half of the step. Collective.
  subroutine make_requests(this)
    type(ft_simulation), intent(inout), target :: this
    integer :: i, code
    call ADCL_Allreduce_init(this%sampled, this%total, sums, MPI_INTEGER8, MPI_SUM, this%grid%all, this%reduction, code)
    call app_check(code)
    call ADCL_Request_set_name(this%reduction, 'checksum', code)
    call app_check(code)
    if (this%way /= by_adcl_timer) return
    do i = 1, 2
      if (.not. this%back(i)%apart) cycle
      call ADCL_Timer_create(1, [this%back(i)%messages%request], this%timers(i), code)
      call app_check(code)
    end do
  end subroutine

  !> Collective.
  subroutine free_simulation(this)
    type(ft_simulation), intent(inout) :: this
    integer :: i, code
    do i = 2, 1, -1
      if (this%timers(i) == ADCL_TIMER_NULL) cycle
      call ADCL_Timer_free(this%timers(i), code)
      call app_check(code)
    end do
    if (this%reduction /= ADCL_REQUEST_NULL) then
      call ADCL_Request_free(this%reduction, code)
      call app_check(code)
    end if
    do i = 2, 1, -1
      call free_exchange(this%back(i)%messages)
    end do
    do i = 1, 3
      call free_transform(this%transforms(i))
    end do
    if (associated(this%waves)) deallocate (this%waves)
    if (associated(this%points)) deallocate (this%points)
    if (associated(this%sent)) deallocate (this%sent)
    if (associated(this%received)) deallocate (this%received)
    if (this%way /= by_mpi) then
      call ADCL_Finalize(code)
      call app_check(code)
    end if
    call free_grid(this%grid)
  end subroutine

  !> Transforms the points of this process: whole lines along direction \p d.
  subroutine transform(this, d, direction)
    type(ft_simulation), intent(inout) :: this
    integer, intent(in) :: d, direction
    integer(int64) :: points
    associate (g => this%grid, n => this%grid%class%points)
      select case (d)
      case (1)
        points = int(n(1), int64)*points_along(g, 2, 1)*points_along(g, 3, 2)
      case (2)
        points = int(n(2), int64)*points_along(g, 1, 1)*points_along(g, 3, 2)
      case default
        points = int(n(3), int64)*points_along(g, 1, 1)*points_along(g, 2, 2)
      end select
    end associate
    call transform_lines(this%transforms(d), direction, this%points(:points))
  end subroutine

  !> Transforms points in the layout along x to the spectrum in the layout along z. Collective.
  subroutine transform_out(this)
    type(ft_simulation), intent(inout) :: this
    integer :: i
    call transform(this, 1, forward)
    do i = 1, 2
      call pack_lines(this%out(i), this%points, this%sent)
      call exchange_by_mpi(this%out(i)%messages, this%sent, this%received)
      call unpack_lines(this%out(i), this%received, this%points)
      call transform(this, i + 1, forward)
    end do
    this%waves = this%points(:size(this%waves))
  end subroutine

  !> Transforms the spectrum in the layout along z to points in the layout along x. Collective.
  subroutine transform_back(this)
    type(ft_simulation), intent(inout) :: this
    integer :: i
    call transform(this, 3, backward)
    do i = 1, 2
      if (i == 2 .and. this%back(2)%apart) then
        call stop_timer(this, 1)
        call start_timer(this, 2)
      end if
      call pack_lines(this%back(i), this%points, this%sent)
      if (this%back(i)%apart) then
        call start_exchange(this%back(i)%messages)
        if (this%spoil .and. i == 1) this%received(1) = this%received(1) + 1e-6_real64
        call unpack_lines(this%back(i), this%received, this%points)
      else
        call unpack_lines(this%back(i), this%sent, this%points)
      end if
      call transform(this, 3 - i, backward)
    end do
  end subroutine

  !> Collective.
  complex(real64) function checksum(this)
    type(ft_simulation), intent(inout) :: this
    integer :: code
    this%sampled = sampled_sums(this%grid, this%points)
    if (this%way == by_mpi) then
      call MPI_Allreduce(this%sampled, this%total, sums, MPI_INTEGER8, MPI_SUM, this%grid%all)
    else
      call ADCL_Request_start(this%reduction, code)
      call app_check(code)
    end if
    checksum = checksum_of(this%total)
  end function

  !> A hash that depends on each bit of all points. Collective.
  integer(int64) function bits_of(this) result(bits)
    type(ft_simulation), intent(in) :: this
    integer(int64) :: at, place
    integer :: x, y, z, first(2)
    associate (g => this%grid, n => this%grid%class%points)
      first = block_first(n(2:3), g%processes, g%coordinates)
      bits = 0
      at = 0
      do z = 0, points_along(g, 3, 2) - 1
        do y = 0, points_along(g, 2, 1) - 1
          place = 2*int(n(1), int64)*(first(1) + y + int(n(2), int64)*(first(2) + z))
          do x = 1, n(1)
            at = at + 1
            bits = bits + app_mix_value(real(this%points(at)), place) + app_mix_value(aimag(this%points(at)), place + 1)
            place = place + 2
          end do
        end do
      end do
    end associate
    call MPI_Allreduce(MPI_IN_PLACE, bits, 1, MPI_INTEGER8, MPI_SUM, this%grid%all)
  end function

  !> \p iterations may exceed the number of the class: the steps then begin again, so that each step has a published
  !> checksum. Collective.
  function run_simulation(this, iterations) result(record)
    type(ft_simulation), intent(inout), target :: this
    integer, intent(in) :: iterations
    type(ft_record) :: record
    integer :: iteration, step
    real(real64) :: begun
    allocate (record%checksums(min(iterations, this%grid%class%iterations)))
    call initial_points(this%grid, this%points)
    call transform_out(this)
    record%setup_s = MPI_Wtime() - this%begun
    call MPI_Barrier(this%grid%all)
    begun = MPI_Wtime()
    do iteration = 1, iterations
      step = 1 + mod(iteration - 1, this%grid%class%iterations)
      call advance(this, step)
      record%checksums(step) = checksum(this)
      call compare(record, published_checksum(this%grid%class, step), record%checksums(step))
      if (this%fold) record%bits = 3*record%bits + bits_of(this)
      call app_progress(iteration/real(iterations, c_double))
    end do
    record%total_s = MPI_Wtime() - begun
    if (.not. this%fold) record%bits = bits_of(this)
  end function

  !> Computes the points after \p step steps. Collective.
  subroutine advance(this, step)
    type(ft_simulation), intent(inout) :: this
    integer, intent(in) :: step
    call start_timer(this, 1)
    call evolve(this%grid, step, this%waves, this%points)
    call transform_back(this)
    call stop_timer(this, merge(2, 1, this%back(2)%apart))
  end subroutine

  !> Collective over the processes of transpose \p i.
  subroutine start_timer(this, i)
    type(ft_simulation), intent(inout) :: this
    integer, intent(in) :: i
    integer :: code
    if (this%way /= by_adcl_timer) return
    call ADCL_Timer_start(this%timers(i), code)
    call app_check(code)
  end subroutine

  !> Collective over the processes of transpose \p i.
  subroutine stop_timer(this, i)
    type(ft_simulation), intent(inout) :: this
    integer, intent(in) :: i
    integer :: code
    if (this%way /= by_adcl_timer) return
    call ADCL_Timer_stop(this%timers(i), code)
    call app_check(code)
  end subroutine

  subroutine compare(record, published, found)
    type(ft_record), intent(inout) :: record
    complex(real64), intent(in) :: published, found
    record%error = max(record%error, abs(found - published)/abs(published))
  end subroutine

end module simulation
