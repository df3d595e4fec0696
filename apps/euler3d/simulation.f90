!> A run from beginning to end, with the checks of its result.
module simulation
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use adcl
  use app_interface
  use block
  use gas, only: variables
  use messages, only: message_form
  use mpi_f08
  use pulse
  use solver
  use vtk
  implicit none
  private
  public :: make_simulation, run_simulation, free_simulation

  type, public :: euler_simulation
    type(cell_block) :: block
    type(app_settings) :: settings
    type(ADCL_Topology) :: topology
    type(euler_solver) :: solver
    real(real64) :: begun = 0
  end type

  type, public :: euler_record
    real(real64) :: setup_s = 0, total_s = 0, time = 0
    real(real64) :: mass_error = 0, energy_error = 0, conservation_limit = 0
    real(real64) :: density_error = 0, error_limit = 0  !< mean over all cells
    integer(int64) :: checksum = 0
  end type

contains

  !> Collective over \p comm. \p good is false if there is not enough memory; then call only free_simulation. The
  !> simulation must not be moved. Without \p form, the defaults apply.
  subroutine make_simulation(this, kind, cells, pulse, settings, comm, good, form)
    type(euler_simulation), intent(inout), target :: this
    integer, intent(in) :: kind, cells(3)
    real(real64), intent(in) :: pulse  !< width of the pulse
    type(app_settings), intent(in) :: settings
    type(MPI_Comm), intent(in) :: comm
    logical, intent(out) :: good
    type(message_form), intent(in), optional :: form
    type(message_form) :: used
    integer :: code
    if (present(form)) used = form
    this%begun = MPI_Wtime()
    this%settings = settings
    this%block = make_block(kind, cells, pulse, comm)
    if (settings%adcl == 1) then
      call ADCL_Init(code)
      call app_check(code)
      call ADCL_Topology_create(this%block%comm, this%topology, code)
      call app_check(code)
    end if
    call make_solver(this%solver, this%block, used, settings, this%topology, good)
  end subroutine

  subroutine free_simulation(this)
    type(euler_simulation), intent(inout) :: this
    integer :: code
    call free_solver(this%solver)
    if (this%settings%adcl == 1) then
      call ADCL_Topology_free(this%topology, code)
      call app_check(code)
      call ADCL_Finalize(code)
      call app_check(code)
    end if
    call free_block(this%block)
  end subroutine

  !> Mass and energy of all ranks, divided by the volume of a cell.
  function totals_of(this) result(totals)
    type(euler_simulation), intent(in) :: this
    real(real64) :: totals(2)
    ! Add by lines, then by planes: the partial sums stay similar in size, so rounding errors stay small.
    totals = [sum(sum(sum(this%solver%conserved(1, :, :, :), 1), 1)), &
              sum(sum(sum(this%solver%conserved(5, :, :, :), 1), 1))]
    call MPI_Allreduce(MPI_IN_PLACE, totals, 2, MPI_DOUBLE_PRECISION, MPI_SUM, this%block%comm)
  end function

  !> Mean over all cells of the difference from the exact solution.
  real(real64) function density_error_of(this) result(error)
    type(euler_simulation), intent(in) :: this
    real(real64), allocatable :: density(:, :, :)
    associate (n => this%block%cells)
      allocate (density(n(1), n(2), n(3)))
    end associate
    call pulse_density(this%block, this%solver%time, density)
    error = sum(abs(this%solver%conserved(1, :, :, :) - density))
    call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_SUM, this%block%comm)
    error = error/product(real(this%block%all_cells, real64))
  end function

  !> Two pulses of the same mass differ by at most twice that mass. With few cells the limiter flattens the peak, and
  !> the error does not yet decrease quadratically with the cell width. The limit is twice the error measured with 16 to
  !> 96 cells.
  real(real64) function error_limit_of(this) result(limit)
    type(euler_simulation), intent(in) :: this
    real(real64), parameter :: growth = 0.6_real64
    real(real64) :: coarseness, distance
    coarseness = maxval(this%block%widths)/this%block%pulse
    distance = this%solver%time/this%block%pulse
    limit = pulse_mass(this%block)*min(2.0_real64, growth*sqrt(coarseness)**3*distance)
  end function

  integer(int64) function checksum_of(this) result(checksum)
    type(euler_simulation), intent(in) :: this
    integer :: i, j, k, v
    checksum = 0
    do k = 1, this%block%cells(3)
      do j = 1, this%block%cells(2)
        do i = 1, this%block%cells(1)
          do v = 1, variables
            checksum = checksum + app_mix_value(this%solver%conserved(v, i, j, k), &
                                                variables*place_of(this%block, i, j, k) + v - 1)
          end do
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, checksum, 1, MPI_INTEGER8, MPI_SUM, this%block%comm)
  end function

  !> Collective.
  function run_simulation(this) result(record)
    type(euler_simulation), intent(inout), target :: this
    type(euler_record) :: record
    real(real64), allocatable :: density(:, :, :)
    real(real64) :: totals(2), later(2), begun
    integer :: iteration
    associate (n => this%block%cells)
      allocate (density(n(1), n(2), n(3)))
    end associate
    call pulse_density(this%block, 0.0_real64, density)
    call begin_from(this%solver, density, surroundings(this%block%kind))
    deallocate (density)
    totals = totals_of(this)
    record%setup_s = MPI_Wtime() - this%begun
    call MPI_Barrier(this%block%comm)
    begun = MPI_Wtime()
    do iteration = 1, this%settings%iterations
      call advance(this%solver)
      call app_progress(iteration/real(this%settings%iterations, c_double))
    end do
    record%total_s = MPI_Wtime() - begun
    later = totals_of(this)
    record%time = this%solver%time
    record%mass_error = abs(later(1)/totals(1) - 1)
    record%energy_error = abs(later(2)/totals(2) - 1)
    record%conservation_limit = epsilon(1.0_real64)*(100 + this%settings%iterations)
    record%density_error = density_error_of(this)
    record%error_limit = error_limit_of(this)
    record%checksum = checksum_of(this)
  end function

end module simulation
