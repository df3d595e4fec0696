! ranks: 1
!> Module adcl and ADCL.inc have the constants of ADCL.h, and handles can be compared.
program constants
  use checks
  use mpi
  implicit none
  interface
    integer(c_int) function header_constants_count() bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
    end function
    integer(c_int) function header_constant(i) bind(C)
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: i
    end function
  end interface
  integer :: ierror

  call MPI_Init(ierror)
  call constants_of_module()
  call constants_of_include_file()
  call null_handles()
  call finish()

contains

  subroutine compare(values, where)
    integer, intent(in) :: values(:)
    character(len=*), intent(in) :: where
    character(len=100) :: what
    integer :: i
    call check(size(values) == header_constants_count(), where//': the number of constants')
    do i = 1, size(values)
      write (what, '(a,i0,2(a,i0))') where//': constant ', i, ' is ', values(i), ' and not ', header_constant(i)
      call check(values(i) == header_constant(i), trim(what))
    end do
  end subroutine

  subroutine constants_of_module()
    use adcl
    call compare([ADCL_SUCCESS, ADCL_ERR_ARGUMENT, ADCL_ERR_HANDLE, ADCL_ERR_TYPE, ADCL_ERR_STATE, ADCL_ERR_MISMATCH, &
                  ADCL_ERR_OPTION, ADCL_ERR_MEMORY, ADCL_ERR_MPI, ADCL_ERR_UNSUPPORTED, ADCL_ERR_NOT_INITIALIZED, &
                  ADCL_ERR_FILE, ADCL_ERR_NO_CODELET, ADCL_ERR_INTERNAL, ADCL_ERR_CALLBACK, &
                  ADCL_VMAP_NULL%ADCL_VAL, &
                  ADCL_VECTOR_NULL%ADCL_VAL, ADCL_TOPOLOGY_NULL%ADCL_VAL, ADCL_ATTRIBUTE_NULL%ADCL_VAL, &
                  ADCL_ATTRSET_NULL%ADCL_VAL, ADCL_FUNCTION_NULL%ADCL_VAL, ADCL_FNCTSET_NULL%ADCL_VAL, &
                  ADCL_REQUEST_NULL%ADCL_VAL, ADCL_TIMER_NULL%ADCL_VAL, ADCL_FNCTSET_NEIGHBORHOOD%ADCL_VAL, ADCL_VERSION_MAJOR, &
                  ADCL_VERSION_MINOR, ADCL_VERSION_PATCH, ADCL_DIRECTION_BOTH, ADCL_DIRECTION_LEFT_TO_RIGHT, &
                  ADCL_DIRECTION_RIGHT_TO_LEFT, ADCL_ORDER_C, ADCL_ORDER_FORTRAN, ADCL_STATE_SEARCH, &
                  ADCL_STATE_PRODUCTION, ADCL_MAX_NAME], 'module adcl')
  end subroutine

  subroutine constants_of_include_file()
    include 'ADCL.inc'
    call compare([ADCL_SUCCESS, ADCL_ERR_ARGUMENT, ADCL_ERR_HANDLE, ADCL_ERR_TYPE, ADCL_ERR_STATE, ADCL_ERR_MISMATCH, &
                  ADCL_ERR_OPTION, ADCL_ERR_MEMORY, ADCL_ERR_MPI, ADCL_ERR_UNSUPPORTED, ADCL_ERR_NOT_INITIALIZED, &
                  ADCL_ERR_FILE, ADCL_ERR_NO_CODELET, ADCL_ERR_INTERNAL, ADCL_ERR_CALLBACK, &
                  ADCL_VMAP_NULL, ADCL_VECTOR_NULL, &
                  ADCL_TOPOLOGY_NULL, ADCL_ATTRIBUTE_NULL, ADCL_ATTRSET_NULL, ADCL_FUNCTION_NULL, ADCL_FNCTSET_NULL, &
                  ADCL_REQUEST_NULL, ADCL_TIMER_NULL, ADCL_FNCTSET_NEIGHBORHOOD, ADCL_VERSION_MAJOR, ADCL_VERSION_MINOR, &
                  ADCL_VERSION_PATCH, ADCL_DIRECTION_BOTH, ADCL_DIRECTION_LEFT_TO_RIGHT, ADCL_DIRECTION_RIGHT_TO_LEFT, &
                  ADCL_ORDER_C, ADCL_ORDER_FORTRAN, ADCL_STATE_SEARCH, ADCL_STATE_PRODUCTION, ADCL_MAX_NAME], 'ADCL.inc')
  end subroutine

  subroutine null_handles()
    use adcl
    type(ADCL_Vmap) :: vmap
    type(ADCL_Vector) :: vector
    type(ADCL_Topology) :: topology
    type(ADCL_Attribute) :: attribute
    type(ADCL_Attrset) :: attrset
    type(ADCL_Function) :: function
    type(ADCL_Fnctset) :: fnctsets(2)
    type(ADCL_Request) :: request
    call check(vmap == ADCL_VMAP_NULL .and. .not. vmap /= ADCL_VMAP_NULL, 'a new vmap is null')
    call check(vector == ADCL_VECTOR_NULL .and. .not. vector /= ADCL_VECTOR_NULL, 'a new vector is null')
    call check(topology == ADCL_TOPOLOGY_NULL .and. .not. topology /= ADCL_TOPOLOGY_NULL, 'a new topology is null')
    call check(attribute == ADCL_ATTRIBUTE_NULL .and. .not. attribute /= ADCL_ATTRIBUTE_NULL, 'a new attribute is null')
    call check(attrset == ADCL_ATTRSET_NULL .and. .not. attrset /= ADCL_ATTRSET_NULL, 'a new attribute set is null')
    call check(function == ADCL_FUNCTION_NULL .and. .not. function /= ADCL_FUNCTION_NULL, 'a new function is null')
    call check(request == ADCL_REQUEST_NULL .and. .not. request /= ADCL_REQUEST_NULL, 'a new request is null')
    fnctsets(2) = ADCL_FNCTSET_NEIGHBORHOOD
    call check(all((fnctsets == ADCL_FNCTSET_NULL) .eqv. [.true., .false.]), 'arrays of handles compare')
    call check(all((fnctsets /= ADCL_FNCTSET_NULL) .eqv. [.false., .true.]), 'arrays of handles differ')
  end subroutine

end program constants
