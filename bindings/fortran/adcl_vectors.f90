!> Vectors. Arrays are in Fortran order: dims count from the first dimension, and nc, when not 0, is the extent of an
!> additional dimension before it.
!>
!> The library keeps the address of the data: the array must stay where it is, and be TARGET (or ASYNCHRONOUS) in the
!> program units that use it while the vector exists.
module adcl_vectors
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_ptr
  use mpi_f08, only: MPI_Datatype
  use adcl_types, only: ADCL_Vector
  implicit none
  private
  public :: ADCL_Vector_register, ADCL_Vector_register_generic, ADCL_Vector_register_ordered
  public :: ADCL_Vector_deregister, ADCL_Vector_free, ADCL_Vector_rebind, ADCL_Vector_get_data

  interface ADCL_Vector_register
    procedure :: register_f08, register_mpi
  end interface
  !> The same, under the thesis's name (Fig. 5.2).
  interface ADCL_Vector_register_generic
    procedure :: register_f08, register_mpi
  end interface

  interface
    subroutine register_f08(ndims, dims, nc, type, data, vec, ierror) bind(C, name='adcl_f_vector_register')
      import :: c_int, ADCL_Vector, MPI_Datatype
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: dims
      integer(c_int), intent(in) :: nc
      type(MPI_Datatype), intent(in) :: type
      type(*), dimension(..), intent(inout), target, asynchronous :: data
      type(ADCL_Vector), intent(out) :: vec
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine register_mpi(ndims, dims, nc, type, data, vec, ierror) bind(C, name='adcl_f_vector_register')
      import :: c_int, ADCL_Vector
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: dims
      integer(c_int), intent(in) :: nc
      integer(c_int), intent(in) :: type
      type(*), dimension(..), intent(inout), target, asynchronous :: data
      type(ADCL_Vector), intent(out) :: vec
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> With ADCL_ORDER_C the last dimension is contiguous, and nc comes after it.
  interface ADCL_Vector_register_ordered
    subroutine register_ordered_f08(ndims, dims, nc, order, type, data, vec, ierror) &
      bind(C, name='adcl_f_vector_register_ordered')
      import :: c_int, ADCL_Vector, MPI_Datatype
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: dims
      integer(c_int), intent(in) :: nc, order
      type(MPI_Datatype), intent(in) :: type
      type(*), dimension(..), intent(inout), target, asynchronous :: data
      type(ADCL_Vector), intent(out) :: vec
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine register_ordered_mpi(ndims, dims, nc, order, type, data, vec, ierror) &
      bind(C, name='adcl_f_vector_register_ordered')
      import :: c_int, ADCL_Vector
      integer(c_int), intent(in) :: ndims
      integer(c_int), dimension(..), intent(in) :: dims
      integer(c_int), intent(in) :: nc, order
      integer(c_int), intent(in) :: type
      type(*), dimension(..), intent(inout), target, asynchronous :: data
      type(ADCL_Vector), intent(out) :: vec
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  interface
    subroutine ADCL_Vector_deregister(vec, ierror) bind(C, name='adcl_f_vector_deregister')
      import :: c_int, ADCL_Vector
      type(ADCL_Vector), intent(inout) :: vec
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Vector_free(vec, ierror) bind(C, name='adcl_f_vector_free')
      import :: c_int, ADCL_Vector
      type(ADCL_Vector), intent(inout) :: vec
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Vector_rebind(vec, data, ierror) bind(C, name='adcl_f_vector_rebind')
      import :: c_int, ADCL_Vector
      type(ADCL_Vector), intent(in) :: vec
      type(*), dimension(..), intent(inout), target, asynchronous :: data
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> As type(c_ptr) for c_f_pointer, or as an integer of kind MPI_ADDRESS_KIND.
  interface ADCL_Vector_get_data
    subroutine get_data_pointer(vec, data, ierror) bind(C, name='adcl_f_vector_get_data')
      import :: c_int, c_ptr, ADCL_Vector
      type(ADCL_Vector), intent(in) :: vec
      type(c_ptr), intent(out) :: data
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine get_data_address(vec, data, ierror) bind(C, name='adcl_f_vector_get_data')
      import :: c_int, c_intptr_t, ADCL_Vector
      type(ADCL_Vector), intent(in) :: vec
      integer(c_intptr_t), intent(out) :: data
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_vectors
