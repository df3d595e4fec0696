! ranks: 1 2 3 4
!> The seven halo exchanges of an Euler solver as in Fig. 5.2 and 5.3 of the thesis, in free form with ADCL.inc and
!> mpif.h: primitive variables, and left and right states of the Riemann problem in three directions. The requests have
!> the same problem, so they share one search. The calls are those of the figures.
#define LRARGS xpriml, xprimr, ypriml, yprimr, zpriml, zprimr

module adcl_objects
  implicit none
  public

  type MESH_t
    integer :: IMAX, JMAX, KMAX
  end type
  type MPI_t
    integer :: comm_cart, coords(3), dims(3), ierror
  end type
  type CONST_t
    integer :: steps
  end type
  integer, parameter :: NVAR = 5  ! density, momentum, energy

  integer  :: adcl_vmap         ! ADCL vector map object
  integer  :: adcl_topo         ! ADCL topology

  ! ADCL vector and request objects for the primitive variables
  integer  :: adcl_vec_pvar, adcl_request_pvar

  ! ADCL vector and request objects of the left and right states
  ! for the Riemann problem
  integer  :: adcl_vec_xpriml, adcl_request_xpriml
  integer  :: adcl_vec_xprimr, adcl_request_xprimr
  integer  :: adcl_vec_ypriml, adcl_request_ypriml
  integer  :: adcl_vec_yprimr, adcl_request_yprimr
  integer  :: adcl_vec_zpriml, adcl_request_zpriml
  integer  :: adcl_vec_zprimr, adcl_request_zprimr

  include 'ADCL.inc'            ! ADCL internal variables

contains

SUBROUTINE iniADCL(pvar, LRARGS, CONST, MESH, MPI)
  include 'mpif.h'
  integer, parameter :: ndim = 3       ! number of dimensions
  integer :: dims(ndim)                ! extent of dimensions
  type(CONST_t) :: CONST
  type(MESH_t)  :: MESH
  type(MPI_t)   :: MPI
  real(8), dimension(NVAR, 0:MESH%IMAX+1, 0:MESH%JMAX+1, 0:MESH%KMAX+1), target :: pvar, &
    LRARGS

  call ADCL_Init ( MPI%ierror )
  call ADCL_Topology_create ( MPI%comm_cart, adcl_topo, MPI%ierror )

  call ADCL_Vmap_halo_allocate( 1, adcl_vmap, MPI%ierror )

  dims(1) = MESH%IMAX+2;  dims(2) = MESH%JMAX+2;  dims(3) = MESH%KMAX+2

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  pvar,  adcl_vec_pvar,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_pvar,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_pvar,  MPI%ierror)

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  xpriml,  adcl_vec_xpriml,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_xpriml,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_xpriml,  MPI%ierror)

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  xprimr,  adcl_vec_xprimr,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_xprimr,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_xprimr,  MPI%ierror)

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  ypriml,  adcl_vec_ypriml,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_ypriml,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_ypriml,  MPI%ierror)

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  yprimr,  adcl_vec_yprimr,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_yprimr,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_yprimr,  MPI%ierror)

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  zpriml,  adcl_vec_zpriml,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_zpriml,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_zpriml,  MPI%ierror)

  call ADCL_Vector_register_generic ( 3,  dims,  NVAR,  &
    MPI_DOUBLE_PRECISION,  zprimr,  adcl_vec_zprimr,  MPI%ierror )
  call ADCL_Request_create ( adcl_vec_zprimr,  adcl_vmap,  adcl_topo,  &
    ADCL_FNCTSET_NEIGHBORHOOD,  adcl_request_zprimr,  MPI%ierror)

  if (MPI%ierror /= ADCL_SUCCESS) error stop ADCL_Last_error()
  CONST%steps = 2000
END SUBROUTINE iniADCL

SUBROUTINE closeADCL(MPI)
  type(MPI_t) :: MPI

  call ADCL_Topology_free ( adcl_topo, MPI%ierror )

  call ADCL_Request_free ( adcl_request_pvar, MPI%ierror )
  call ADCL_Request_free ( adcl_request_xpriml, MPI%ierror )
  call ADCL_Request_free ( adcl_request_xprimr, MPI%ierror )
  call ADCL_Request_free ( adcl_request_ypriml, MPI%ierror )
  call ADCL_Request_free ( adcl_request_yprimr, MPI%ierror )
  call ADCL_Request_free ( adcl_request_zpriml, MPI%ierror )
  call ADCL_Request_free ( adcl_request_zprimr, MPI%ierror )

  call ADCL_Vector_deregister ( adcl_vec_pvar, MPI%ierror )
  call ADCL_Vector_deregister ( adcl_vec_xpriml, MPI%ierror )
  call ADCL_Vector_deregister ( adcl_vec_xprimr, MPI%ierror )
  call ADCL_Vector_deregister ( adcl_vec_ypriml, MPI%ierror )
  call ADCL_Vector_deregister ( adcl_vec_yprimr, MPI%ierror )
  call ADCL_Vector_deregister ( adcl_vec_zpriml, MPI%ierror )
  call ADCL_Vector_deregister ( adcl_vec_zprimr, MPI%ierror )

  call ADCL_Vmap_free ( adcl_vmap, MPI%ierror )

  call ADCL_Finalize ( MPI%ierror )
END SUBROUTINE closeADCL

!> All requests must have the same times, because they contribute to one search.
subroutine verify_sharing()
  integer :: requests(7), candidates, i, r, measurements, outliers, ierror
  real(8) :: mean_s(7), filtered_mean_s
  character(len=ADCL_MAX_NAME) :: name

  requests = [adcl_request_pvar, adcl_request_xpriml, adcl_request_xprimr, adcl_request_ypriml, adcl_request_yprimr, &
              adcl_request_zpriml, adcl_request_zprimr]
  call ADCL_Request_get_functions_num(adcl_request_pvar, candidates, ierror)
  do i = 1, candidates
    do r = 1, 7
      call ADCL_Request_get_statistics(requests(r), i, name, measurements, mean_s(r), filtered_mean_s, outliers, ierror)
      if (ierror /= ADCL_SUCCESS) error stop ADCL_Last_error()
    end do
    if (any(mean_s /= mean_s(1))) error stop 'the requests do not share their search'
  end do
  call ADCL_Request_get_winner(adcl_request_pvar, name, ierror)
  if (name == ' ') error stop 'the search is not over'
end subroutine verify_sharing

end module adcl_objects

PROGRAM Euler3D
  use adcl_objects
  implicit none
  include 'mpif.h'
  type(CONST_t) :: CONST
  type(MESH_t)  :: MESH
  type(MPI_t)   :: MPI
  real(8), dimension(:, :, :, :), allocatable, target :: pvar, LRARGS
  character(len=ADCL_MAX_NAME) :: winner
  integer :: step, rank, ranks

  call MPI_Init( MPI%ierror )
  call MPI_Comm_size( MPI_COMM_WORLD, ranks, MPI%ierror )
  MPI%dims = 0
  call MPI_Dims_create( ranks, 3, MPI%dims, MPI%ierror )
  call MPI_Cart_create( MPI_COMM_WORLD, 3, MPI%dims, (/.true., .false., .true./), .false., MPI%comm_cart, MPI%ierror )
  call MPI_Comm_rank( MPI%comm_cart, rank, MPI%ierror )
  call MPI_Cart_coords( MPI%comm_cart, rank, 3, MPI%coords, MPI%ierror )

  MESH = MESH_t(8, 6, 5)
  allocate (pvar(NVAR, 0:MESH%IMAX+1, 0:MESH%JMAX+1, 0:MESH%KMAX+1))
  allocate (xpriml, xprimr, ypriml, yprimr, zpriml, zprimr, mold=pvar)

#ifdef ADCL
  CALL iniADCL(pvar, LRARGS, CONST, MESH, MPI)
#endif

  do step = 1, CONST%steps
    call fill(pvar, 7*step)
    call fill(xpriml, 7*step + 1)
    call fill(xprimr, 7*step + 2)
    call fill(ypriml, 7*step + 3)
    call fill(yprimr, 7*step + 4)
    call fill(zpriml, 7*step + 5)
    call fill(zprimr, 7*step + 6)

    call ADCL_Request_start( adcl_request_pvar, MPI%ierror)

    call ADCL_Request_start( adcl_request_xPrimL, MPI%ierror )
    call ADCL_Request_start( adcl_request_xPrimR, MPI%ierror )
    call ADCL_Request_start( adcl_request_yPrimL, MPI%ierror )
    call ADCL_Request_start( adcl_request_yPrimR, MPI%ierror )
    call ADCL_Request_start( adcl_request_zPrimL, MPI%ierror )
    call ADCL_Request_start( adcl_request_zPrimR, MPI%ierror )
    if (MPI%ierror /= ADCL_SUCCESS) error stop ADCL_Last_error()

    call verify([wrong_cells(pvar, 7*step), wrong_cells(xpriml, 7*step + 1), wrong_cells(xprimr, 7*step + 2), &
                 wrong_cells(ypriml, 7*step + 3), wrong_cells(yprimr, 7*step + 4), &
                 wrong_cells(zpriml, 7*step + 5), wrong_cells(zprimr, 7*step + 6)])

    ! The program ends some iterations after the search, which ends after the same start on all ranks.
    call ADCL_Request_get_winner(adcl_request_pvar, winner, MPI%ierror)
    if (step >= 70 .and. winner /= ' ') exit
  end do
  call verify_sharing()

  call ADCL_Request_get_winner(adcl_request_pvar, winner, MPI%ierror)
  if (rank == 0) print '(a)', 'all seven exchanges were right in every step; winner: '//trim(winner)

#ifdef ADCL
  call closeADCL(MPI)
#endif
  call MPI_Comm_free( MPI%comm_cart, MPI%ierror )
  call MPI_Finalize( MPI%ierror )

contains

  !> Value of a cell of the whole domain, whose first and third dimensions are periodic; -1 outside the domain.
  function cell(i, j, k, seed)
    integer, intent(in) :: i, j, k, seed
    real(8) :: cell(NVAR)
    integer :: extent(3), position(3), n
    extent = MPI%dims*[MESH%IMAX, MESH%JMAX, MESH%KMAX]
    position = MPI%coords*[MESH%IMAX, MESH%JMAX, MESH%KMAX] + [i, j, k] - 1
    position([1, 3]) = modulo(position([1, 3]), extent([1, 3]))
    cell = [(real(seed, 8)*extent(1) + position(1), n=1, NVAR)]
    cell = ((cell*extent(2) + position(2))*extent(3) + position(3))*NVAR + [(n, n=1, NVAR)]
    if (position(2) < 0 .or. position(2) >= extent(2)) cell = -1
  end function

  !> Number of dimensions in which a cell lies in the halo.
  integer function halo_dimensions(i, j, k)
    integer, intent(in) :: i, j, k
    halo_dimensions = count([i, j, k] < 1 .or. [i, j, k] > [MESH%IMAX, MESH%JMAX, MESH%KMAX])
  end function

  subroutine fill(array, seed)
    real(8), intent(out) :: array(:, 0:, 0:, 0:)
    integer, intent(in) :: seed
    integer :: i, j, k
    array = -1
    do k = 1, MESH%KMAX
      do j = 1, MESH%JMAX
        do i = 1, MESH%IMAX
          array(:, i, j, k) = cell(i, j, k, seed)
        end do
      end do
    end do
  end subroutine

  !> Faces of the halo have the neighbor's values; edges and corners are not exchanged.
  integer function wrong_cells(array, seed)
    real(8), intent(in) :: array(:, 0:, 0:, 0:)
    integer, intent(in) :: seed
    integer :: i, j, k
    wrong_cells = 0
    do k = 0, MESH%KMAX + 1
      do j = 0, MESH%JMAX + 1
        do i = 0, MESH%IMAX + 1
          if (halo_dimensions(i, j, k) > 1) then
            wrong_cells = wrong_cells + count(array(:, i, j, k) /= -1)
          else
            wrong_cells = wrong_cells + count(array(:, i, j, k) /= cell(i, j, k, seed))
          end if
        end do
      end do
    end do
  end function

  subroutine verify(wrong)
    integer, intent(in) :: wrong(7)
    integer :: in_total(7)
    call MPI_Allreduce( wrong, in_total, 7, MPI_INTEGER, MPI_SUM, MPI%comm_cart, MPI%ierror )
    if (any(in_total > 0)) error stop 'a halo is wrong'
  end subroutine
END PROGRAM Euler3D
