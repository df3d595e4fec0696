! Passes the address of MPI_IN_PLACE in each of MPI's Fortran interfaces to the library.
subroutine f08_note_in_place() bind(C, name='adcl_f08_note_in_place')
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08, only: MPI_IN_PLACE
  implicit none
  interface
    subroutine note(which, in_place) bind(C, name='adcl_f_note_in_place')
      import :: c_int
      integer(c_int), intent(in) :: which
      type(*), dimension(..), intent(in), target :: in_place
    end subroutine
  end interface
  call note(0_c_int, MPI_IN_PLACE)
end subroutine

subroutine inc_note_in_place() bind(C, name='adcl_inc_note_in_place')
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi, only: MPI_IN_PLACE
  implicit none
  interface
    subroutine note(which, in_place) bind(C, name='adcl_f_note_in_place')
      import :: c_int
      integer(c_int), intent(in) :: which
      type(*), dimension(..), intent(in), target :: in_place
    end subroutine
  end interface
  call note(1_c_int, MPI_IN_PLACE)
end subroutine
