!> Steps of second order in space and time: slopes in each cell give the states at its faces half a step later, and
!> Roe's flux is computed for each face. The cell means (one field) and the states at faces (six fields) are exchanged.
module solver
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64
  use adcl, only: ADCL_Topology
  use app_interface
  use block, only: cell_block
  use boundary, only: fill_ghosts
  use gas
  use halo
  use messages, only: message_form
  use mpi_f08
  implicit none
  private
  public :: make_solver, free_solver, begin_from, advance

  real(real64), parameter :: courant_number = 0.9_real64

  type, public :: euler_solver
    type(cell_block) :: block
    type(field_halo) :: means            !< primitive variables of cells
    type(field_halo) :: states           !< states at the lower and upper faces along x, then y and z
    real(real64), pointer, contiguous :: conserved(:, :, :, :) => null()
    real(real64), pointer, contiguous :: fluxes(:, :, :, :, :) => null()  !< through the upper face of a cell; direction
    real(real64) :: time = 0, step = 0
    logical :: spoil = .false.           !< for tests: modifies a received value
  end type

contains

  !> Collective. \p good is false if a rank lacks the memory; then call only free_solver.
  subroutine make_solver(this, block, form, settings, topology, good)
    type(euler_solver), intent(inout), target :: this
    type(cell_block), intent(in) :: block
    type(message_form), intent(in) :: form
    type(app_settings), intent(in) :: settings
    type(ADCL_Topology), intent(in) :: topology
    logical, intent(out) :: good
    integer :: status
    this%block = block
    associate (n => block%cells)
      allocate (this%conserved(variables, n(1), n(2), n(3)), stat=status)
      if (status == 0) allocate (this%fluxes(variables, 0:n(1), 0:n(2), 0:n(3), 3), stat=status)
    end associate
    good = status == 0
    call MPI_Allreduce(MPI_IN_PLACE, good, 1, MPI_LOGICAL, MPI_LAND, block%comm)
    if (good) call make_halo(this%means, block, 1, form, settings, topology, good)
    if (good) call make_halo(this%states, block, 6, form, settings, topology, good)
  end subroutine

  subroutine free_solver(this)
    type(euler_solver), intent(inout) :: this
    call free_halo(this%states)
    call free_halo(this%means)
    if (associated(this%conserved)) deallocate (this%conserved)
    if (associated(this%fluxes)) deallocate (this%fluxes)
  end subroutine

  !> Collective. Sets velocity and pressure of \p flow everywhere.
  subroutine begin_from(this, density, flow)
    type(euler_solver), intent(inout) :: this
    real(real64), intent(in) :: density(:, :, :), flow(variables)
    integer :: i, j, k
    do k = 1, this%block%cells(3)
      do j = 1, this%block%cells(2)
        do i = 1, this%block%cells(1)
          this%conserved(:, i, j, k) = conserved_of([density(i, j, k), flow(2:)])
        end do
      end do
    end do
    this%time = 0
    call find_primitives(this)
  end subroutine

  !> Computes the cell means, and the longest step that they allow on all ranks.
  subroutine find_primitives(this)
    type(euler_solver), intent(inout) :: this
    real(real64) :: fastest
    integer :: i, j, k
    fastest = 0
    do k = 1, this%block%cells(3)
      do j = 1, this%block%cells(2)
        do i = 1, this%block%cells(1)
          this%means%values(:, i, j, k, 1) = primitive_of(this%conserved(:, i, j, k))
          fastest = max(fastest, signal_speed(this%means%values(:, i, j, k, 1), this%block%widths))
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, fastest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, this%block%comm)
    this%step = courant_number/fastest
  end subroutine

  !> Advances the solution by one step. Collective.
  subroutine advance(this)
    type(euler_solver), intent(inout), target :: this
    integer :: i, j, k
    real(real64) :: scale(3)
    call app_exchange_run(this%means%exchange, c_funloc(find_states), c_loc(this))
    call app_exchange_run(this%states%exchange, c_funloc(find_fluxes), c_loc(this))
    scale = this%step/this%block%widths
    associate (flux => this%fluxes)
      do k = 1, this%block%cells(3)
        do j = 1, this%block%cells(2)
          do i = 1, this%block%cells(1)
            this%conserved(:, i, j, k) = this%conserved(:, i, j, k) &
                                         - scale(1)*(flux(:, i, j, k, 1) - flux(:, i - 1, j, k, 1)) &
                                         - scale(2)*(flux(:, i, j, k, 2) - flux(:, i, j - 1, k, 2)) &
                                         - scale(3)*(flux(:, i, j, k, 3) - flux(:, i, j, k - 1, 3))
          end do
        end do
      end do
    end associate
    this%time = this%time + this%step
    call find_primitives(this)
  end subroutine

  !> Work on the cell means. The interior consists of cells whose neighbors belong to this block.
  subroutine find_states(context, part, first, last) bind(C)
    type(c_ptr), value :: context
    integer(c_int), value :: part, first, last
    type(euler_solver), pointer :: this
    real(real64), pointer :: means(:, :, :, :)
    integer :: d, low(3), high(3), edge(3)
    if (last <= first) return
    call c_f_pointer(context, this)
    low = 2
    high = this%block%cells - 1
    if (part == APP_INSIDE) then
      call states_in(this, low, high, .true.)
      return
    end if
    means => field_of(this%means, 1)
    do d = 1, 3
      call fill_ghosts(this%block, d, means, means)
    end do
    if (part == APP_ALL) then
      call states_in(this, [1, 1, 1], this%block%cells, .false.)
      return
    end if
    low = 1
    high = this%block%cells
    do d = 3, 1, -1
      edge = high
      edge(d) = 1
      call states_in(this, low, edge, .false.)
      if (this%block%cells(d) > 1) then
        edge = low
        edge(d) = this%block%cells(d)
        call states_in(this, edge, high, .false.)
      end if
      low(d) = 2
      high(d) = this%block%cells(d) - 1
    end do
  end subroutine

  !> Computes the states in the cells from \p low to \p high.
  subroutine states_in(this, low, high, under_way)
    type(euler_solver), intent(inout) :: this
    integer, intent(in) :: low(3), high(3)
    logical, intent(in) :: under_way
    real(real64), pointer, contiguous :: states(:, :, :, :, :), pairs(:, :, :, :, :, :)
    real(real64) :: slopes(variables, 3), rate(variables), half(variables), inverse(3)
    integer :: i, j, k, d
    inverse = 1/this%block%widths
    states => this%states%values
    pairs => this%states%pairs
    associate (w => this%means%values)
      do k = low(3), high(3)
        do j = low(2), high(2)
          do i = low(1), high(1)
            slopes(:, 1) = limited(w(:, i, j, k, 1) - w(:, i - 1, j, k, 1), w(:, i + 1, j, k, 1) - w(:, i, j, k, 1))
            slopes(:, 2) = limited(w(:, i, j, k, 1) - w(:, i, j - 1, k, 1), w(:, i, j + 1, k, 1) - w(:, i, j, k, 1))
            slopes(:, 3) = limited(w(:, i, j, k, 1) - w(:, i, j, k - 1, 1), w(:, i, j, k + 1, 1) - w(:, i, j, k, 1))
            do d = 1, 3
              slopes(:, d) = slopes(:, d)*inverse(d)
            end do
            rate = w(:, i, j, k, 1) + 0.5_real64*this%step*time_derivative(w(:, i, j, k, 1), slopes)
            do d = 1, 3
              half = 0.5_real64*this%block%widths(d)*slopes(:, d)
              if (associated(pairs)) then
                pairs(1, :, i, j, k, d) = rate - half
                pairs(2, :, i, j, k, d) = rate + half
              else
                states(:, i, j, k, 2*d - 1) = rate - half
                states(:, i, j, k, 2*d) = rate + half
              end if
            end do
          end do
        end do
        if (under_way) call app_exchange_progress(this%means%exchange, 1_c_int)
      end do
    end associate
  end subroutine

  !> Work on the states at faces: the fluxes of a direction need two fields, and are computed with the second field. The
  !> interior consists of faces between cells of this block.
  subroutine find_fluxes(context, part, first, last) bind(C)
    type(c_ptr), value :: context
    integer(c_int), value :: part, first, last
    type(euler_solver), pointer :: this
    real(real64), pointer :: lower(:, :, :, :), upper(:, :, :, :)
    integer :: d, low(3), high(3), whole(3)
    call c_f_pointer(context, this)
    whole = this%block%cells
    do d = 1, 3
      if (2*d <= first .or. 2*d > last) cycle
      low = 1
      high = whole
      if (part /= APP_INSIDE) then
        lower => field_of(this%states, 2*d)
        upper => field_of(this%states, 2*d - 1)
        if (this%spoil .and. d == 1) lower(1, 0, 1, 1) = lower(1, 0, 1, 1) + 1e-3_real64
        call fill_ghosts(this%block, d, lower, upper)
        low(d) = 0
        high(d) = 0
        call fluxes_in(this, d, low, high, .false.)
        low(d) = whole(d)
        high(d) = whole(d)
        call fluxes_in(this, d, low, high, .false.)
      end if
      if (part /= APP_BOUNDARY) then
        low(d) = 1
        high(d) = whole(d) - 1
        call fluxes_in(this, d, low, high, part == APP_INSIDE)
      end if
    end do
  end subroutine

  !> Computes the fluxes through the upper faces along \p d of the cells from \p low to \p high.
  subroutine fluxes_in(this, d, low, high, under_way)
    type(euler_solver), intent(inout) :: this
    integer, intent(in) :: d, low(3), high(3)
    logical, intent(in) :: under_way
    real(real64), pointer, contiguous :: states(:, :, :, :, :), pairs(:, :, :, :, :, :)
    real(real64) :: left(variables), right(variables)
    integer :: i, j, k, next(3)
    next = 0
    next(d) = 1
    states => this%states%values
    pairs => this%states%pairs
    do k = low(3), high(3)
      do j = low(2), high(2)
        do i = low(1), high(1)
          if (associated(pairs)) then
            left = pairs(2, :, i, j, k, d)
            right = pairs(1, :, i + next(1), j + next(2), k + next(3), d)
            call roe_flux(left, right, d, this%fluxes(:, i, j, k, d))
          else
            call roe_flux(states(:, i, j, k, 2*d), states(:, i + next(1), j + next(2), k + next(3), 2*d - 1), d, &
                          this%fluxes(:, i, j, k, d))
          end if
        end do
      end do
      if (under_way) call app_exchange_progress(this%states%exchange, 1_c_int)
    end do
  end subroutine

end module solver
