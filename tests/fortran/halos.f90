! ranks: 1 2 3 4
! timeout: 120
!> Elements of halos in Fortran order: one to four dimensions, with and without nc, a separate width on every side, several
!> types. Dimension d of the grid divides dimension d of the array.
module halo_cases
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  integer, parameter :: MAX_DIMS = 4

  type :: halo_case
    integer :: ndims, nc
    logical :: periodic
    integer :: inner(MAX_DIMS), low(MAX_DIMS), high(MAX_DIMS)
  end type

  type(halo_case), parameter :: CASES(*) = [ &
    halo_case(1, 0, .true., [5, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0]), &
    halo_case(1, 3, .false., [5, 1, 1, 1], [2, 0, 0, 0], [1, 0, 0, 0]), &
    halo_case(2, 0, .false., [4, 6, 1, 1], [1, 2, 0, 0], [3, 1, 0, 0]), &
    halo_case(2, 1, .true., [7, 3, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]), &
    halo_case(2, 2, .true., [3, 5, 1, 1], [0, 2, 0, 0], [2, 0, 0, 0]), &
    halo_case(3, 0, .true., [3, 4, 5, 1], [1, 2, 3, 0], [2, 1, 2, 0]), &
    halo_case(3, 5, .false., [4, 3, 2, 1], [1, 1, 1, 0], [1, 1, 1, 0]), &
    halo_case(4, 0, .true., [2, 3, 2, 3], [1, 1, 1, 1], [1, 1, 1, 1]), &
    halo_case(4, 2, .false., [3, 2, 3, 2], [2, 1, 1, 2], [1, 2, 1, 1])]

contains

  !> Runs one case on int32 data. The array is the vector's storage element by element; the model below computes the
  !> position of each element from the Fortran order.
  subroutine run(number)
    integer, intent(in) :: number
    type(halo_case) :: c
    integer, allocatable, target :: data(:)
    integer :: dims(MAX_DIMS), grid(MAX_DIMS), coords(MAX_DIMS), rank, start, wrong
    logical :: periods(MAX_DIMS)
    type(MPI_Comm) :: cart
    type(ADCL_Vector) :: vec
    type(ADCL_Vmap) :: vmap
    type(ADCL_Topology) :: topo
    type(ADCL_Request) :: request
    character(len=80) :: what

    c = CASES(number)
    write (what, '(a,i0)') 'case ', number
    dims = c%inner + c%low + c%high
    grid = 0
    call MPI_Dims_create(world_size(), c%ndims, grid(1:c%ndims))
    grid(c%ndims + 1:) = 1
    periods = c%periodic
    call MPI_Cart_create(MPI_COMM_WORLD, c%ndims, grid, periods, .false., cart)
    call MPI_Comm_rank(cart, rank)
    coords = 0
    call MPI_Cart_coords(cart, rank, c%ndims, coords(1:c%ndims))

    allocate (data(max(c%nc, 1)*product(dims)))
    call ADCL_Vector_register(c%ndims, dims(1:c%ndims), c%nc, MPI_INTEGER, data, vec)
    call ADCL_Vmap_halo_allocate_generic(c%ndims, c%low, c%high, vmap)
    call ADCL_Topology_create(cart, topo)
    call ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, request)
    call check(request /= ADCL_REQUEST_NULL, trim(what)//': '//ADCL_Last_error())
    if (request == ADCL_REQUEST_NULL) return
    do start = 1, 40
      call visit(.true.)
      call ADCL_Request_start(request)
      wrong = 0
      call visit(.false.)
      if (wrong > 0) exit
    end do
    write (what, '(a,i0,a,i0,a)') 'case ', number, ': ', wrong, ' wrong elements'
    call check(wrong == 0, trim(what))
    call ADCL_Request_free(request)
    call ADCL_Topology_free(topo)
    call ADCL_Vmap_free(vmap)
    call ADCL_Vector_deregister(vec)
    call MPI_Comm_free(cart)

  contains

    !> Fills the interior and marks the halo with -1, or compares all elements with the expected result of an exchange.
    subroutine visit(filling)
      logical, intent(in) :: filling
      integer :: element, component, point(MAX_DIMS), expected
      element = 0
      point = 1
      do
        do component = 1, max(c%nc, 1)
          element = element + 1
          expected = expected_value(point, component, filling)
          if (filling) data(element) = expected
          if (data(element) /= expected) wrong = wrong + 1
        end do
        if (.not. advanced(point)) exit
      end do
    end subroutine

    !> Advances point to the next grid point in memory order (first dimension fastest). Returns .false. after the last
    !> point.
    logical function advanced(point)
      integer, intent(inout) :: point(MAX_DIMS)
      integer :: d
      do d = 1, MAX_DIMS
        point(d) = point(d) + 1
        advanced = point(d) <= dims(d)
        if (advanced) return
        point(d) = 1
      end do
    end function

    integer function expected_value(point, component, before)
      integer, intent(in) :: point(MAX_DIMS), component
      logical, intent(in) :: before
      integer :: global(MAX_DIMS), extent(MAX_DIMS), in_halo, d
      expected_value = -1
      in_halo = count(point <= c%low .or. point > c%low + c%inner)
      if (in_halo > 1 .or. (in_halo == 1 .and. before)) return
      extent = grid*c%inner
      global = coords*c%inner + point - c%low - 1
      if (c%periodic) global = modulo(global, extent)
      if (any(global < 0 .or. global >= extent)) return
      expected_value = 0
      do d = 1, MAX_DIMS
        expected_value = expected_value*extent(d) + global(d)
      end do
      expected_value = (expected_value*8 + component)*50 + start
    end function

  end subroutine

end module halo_cases

program halos
  use halo_cases
  implicit none
  integer :: number
  call MPI_Init()
  call ADCL_Init()
  call ADCL_Option_set('ADCL_SEARCH', 'brute_force')
  call ADCL_Option_set('ADCL_MEASUREMENTS', '1')
  do number = 1, size(CASES)
    call run(number)
  end do
  call ADCL_Finalize()
  call finish()
end program halos
