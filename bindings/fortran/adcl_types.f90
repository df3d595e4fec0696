!> Handles, constants and the interface of work functions.
!>
!> A handle holds the integer that ADCL.inc and, as a pointer's value, ADCL.h use for the same object. It starts as the
!> null handle of its kind.
module adcl_types
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private

  type, bind(C), public :: ADCL_Vmap
    integer(c_int) :: ADCL_VAL = 134217728
  end type
  type, bind(C), public :: ADCL_Vector
    integer(c_int) :: ADCL_VAL = 268435456
  end type
  type, bind(C), public :: ADCL_Topology
    integer(c_int) :: ADCL_VAL = 402653184
  end type
  type, bind(C), public :: ADCL_Attribute
    integer(c_int) :: ADCL_VAL = 536870912
  end type
  type, bind(C), public :: ADCL_Attrset
    integer(c_int) :: ADCL_VAL = 671088640
  end type
  type, bind(C), public :: ADCL_Function
    integer(c_int) :: ADCL_VAL = 805306368
  end type
  type, bind(C), public :: ADCL_Fnctset
    integer(c_int) :: ADCL_VAL = 939524096
  end type
  type, bind(C), public :: ADCL_Request
    integer(c_int) :: ADCL_VAL = 1073741824
  end type
  type, bind(C), public :: ADCL_Timer
    integer(c_int) :: ADCL_VAL = 1207959552
  end type

  type(ADCL_Vmap), parameter, public :: ADCL_VMAP_NULL = ADCL_Vmap()
  type(ADCL_Vector), parameter, public :: ADCL_VECTOR_NULL = ADCL_Vector()
  type(ADCL_Topology), parameter, public :: ADCL_TOPOLOGY_NULL = ADCL_Topology()
  type(ADCL_Attribute), parameter, public :: ADCL_ATTRIBUTE_NULL = ADCL_Attribute()
  type(ADCL_Attrset), parameter, public :: ADCL_ATTRSET_NULL = ADCL_Attrset()
  type(ADCL_Function), parameter, public :: ADCL_FUNCTION_NULL = ADCL_Function()
  type(ADCL_Fnctset), parameter, public :: ADCL_FNCTSET_NULL = ADCL_Fnctset()
  type(ADCL_Request), parameter, public :: ADCL_REQUEST_NULL = ADCL_Request()
  type(ADCL_Timer), parameter, public :: ADCL_TIMER_NULL = ADCL_Timer()
  include 'adcl_sets_of_module.inc'

  integer(c_int), parameter, public :: ADCL_SUCCESS = 0
  integer(c_int), parameter, public :: ADCL_ERR_ARGUMENT = 1
  integer(c_int), parameter, public :: ADCL_ERR_HANDLE = 2
  integer(c_int), parameter, public :: ADCL_ERR_TYPE = 3
  integer(c_int), parameter, public :: ADCL_ERR_STATE = 4
  integer(c_int), parameter, public :: ADCL_ERR_MISMATCH = 5
  integer(c_int), parameter, public :: ADCL_ERR_OPTION = 6
  integer(c_int), parameter, public :: ADCL_ERR_MEMORY = 7
  integer(c_int), parameter, public :: ADCL_ERR_MPI = 8
  integer(c_int), parameter, public :: ADCL_ERR_UNSUPPORTED = 9
  integer(c_int), parameter, public :: ADCL_ERR_NOT_INITIALIZED = 10
  integer(c_int), parameter, public :: ADCL_ERR_FILE = 11
  integer(c_int), parameter, public :: ADCL_ERR_NO_CODELET = 12
  integer(c_int), parameter, public :: ADCL_ERR_INTERNAL = 13
  integer(c_int), parameter, public :: ADCL_ERR_CALLBACK = 14

  integer(c_int), parameter, public :: ADCL_VERSION_MAJOR = 2
  integer(c_int), parameter, public :: ADCL_VERSION_MINOR = 0
  integer(c_int), parameter, public :: ADCL_VERSION_PATCH = 0
  integer(c_int), parameter, public :: ADCL_DIRECTION_BOTH = 0
  integer(c_int), parameter, public :: ADCL_DIRECTION_LEFT_TO_RIGHT = 1
  integer(c_int), parameter, public :: ADCL_DIRECTION_RIGHT_TO_LEFT = 2
  integer(c_int), parameter, public :: ADCL_ORDER_C = 0
  integer(c_int), parameter, public :: ADCL_ORDER_FORTRAN = 1
  integer(c_int), parameter, public :: ADCL_STATE_SEARCH = 0
  integer(c_int), parameter, public :: ADCL_STATE_PRODUCTION = 1
  !> Characters that hold any name or value the library returns.
  integer(c_int), parameter, public :: ADCL_MAX_NAME = 256

  abstract interface
    !> A codelet, or another work function: an external or module procedure, because the library may call it after the
    !> program unit that handed it over has returned.
    subroutine ADCL_work_function(request)
      import :: ADCL_Request
      type(ADCL_Request), intent(in) :: request
    end subroutine
  end interface
  public :: ADCL_work_function

  interface operator(==)
    procedure :: vmap_equal, vector_equal, topology_equal, attribute_equal
    procedure :: attrset_equal, function_equal, fnctset_equal, request_equal, timer_equal
  end interface
  interface operator(/=)
    procedure :: vmap_differs, vector_differs, topology_differs, attribute_differs
    procedure :: attrset_differs, function_differs, fnctset_differs, request_differs, timer_differs
  end interface
  public :: operator(==), operator(/=)

contains

  elemental logical function vmap_equal(a, b) result(equal)
    type(ADCL_Vmap), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function vector_equal(a, b) result(equal)
    type(ADCL_Vector), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function topology_equal(a, b) result(equal)
    type(ADCL_Topology), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function attribute_equal(a, b) result(equal)
    type(ADCL_Attribute), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function attrset_equal(a, b) result(equal)
    type(ADCL_Attrset), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function function_equal(a, b) result(equal)
    type(ADCL_Function), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function fnctset_equal(a, b) result(equal)
    type(ADCL_Fnctset), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function request_equal(a, b) result(equal)
    type(ADCL_Request), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function vmap_differs(a, b) result(differs)
    type(ADCL_Vmap), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function vector_differs(a, b) result(differs)
    type(ADCL_Vector), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function topology_differs(a, b) result(differs)
    type(ADCL_Topology), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function attribute_differs(a, b) result(differs)
    type(ADCL_Attribute), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function attrset_differs(a, b) result(differs)
    type(ADCL_Attrset), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function function_differs(a, b) result(differs)
    type(ADCL_Function), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function fnctset_differs(a, b) result(differs)
    type(ADCL_Fnctset), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function request_differs(a, b) result(differs)
    type(ADCL_Request), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function

  elemental logical function timer_equal(a, b) result(equal)
    type(ADCL_Timer), intent(in) :: a, b
    equal = a%ADCL_VAL == b%ADCL_VAL
  end function

  elemental logical function timer_differs(a, b) result(differs)
    type(ADCL_Timer), intent(in) :: a, b
    differs = a%ADCL_VAL /= b%ADCL_VAL
  end function
end module adcl_types
