!> What a request is doing and what its search knows.
module adcl_reflection
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int
  use mpi_f08, only: MPI_Comm
  use adcl_types, only: ADCL_Request, ADCL_Vector
  implicit none
  private
  public :: ADCL_Request_get_state, ADCL_Request_get_curr_function, ADCL_Request_get_winner, ADCL_Request_get_fsname
  public :: ADCL_Request_get_functions_num, ADCL_Request_get_statistics, ADCL_Request_get_comm
  public :: ADCL_Request_get_vector, ADCL_Request_get_fields_num, ADCL_Request_get_field
  public :: ADCL_Request_get_attribute_values
  public :: ADCL_Request_set_name, ADCL_Request_save_status, ADCL_Request_restore_status

  interface
    subroutine ADCL_Request_get_state(req, state, ierror) bind(C, name='adcl_f_request_get_state')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out) :: state
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    !> This and the other names: ADCL_ERR_ARGUMENT when \p name is too short; len=ADCL_MAX_NAME is always enough.
    subroutine ADCL_Request_get_curr_function(req, name, ierror) bind(C, name='adcl_f_request_get_curr_function')
      import :: c_char, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      character(len=*, kind=c_char), intent(out) :: name
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_get_winner(req, name, ierror) bind(C, name='adcl_f_request_get_winner')
      import :: c_char, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      character(len=*, kind=c_char), intent(out) :: name
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_get_fsname(req, name, ierror) bind(C, name='adcl_f_request_get_fsname')
      import :: c_char, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      character(len=*, kind=c_char), intent(out) :: name
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_set_name(req, name, ierror) bind(C, name='adcl_f_request_set_name')
      import :: c_char, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      character(len=*, kind=c_char), intent(in) :: name
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_get_functions_num(req, num, ierror) bind(C, name='adcl_f_request_get_functions_num')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out) :: num
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    !> Candidates are counted from 1; what is not wanted may be left out (name the arguments after it).
    subroutine ADCL_Request_get_statistics(req, i, name, measurements, mean_s, filtered_mean_s, outliers, ierror) &
      bind(C, name='adcl_f_request_get_statistics')
      import :: c_char, c_double, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(in) :: i
      character(len=*, kind=c_char), intent(out), optional :: name
      integer(c_int), intent(out), optional :: measurements
      real(c_double), intent(out), optional :: mean_s, filtered_mean_s
      integer(c_int), intent(out), optional :: outliers
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_get_vector(req, svec, rvec, ierror) bind(C, name='adcl_f_request_get_vector')
      import :: c_int, ADCL_Request, ADCL_Vector
      type(ADCL_Request), intent(in) :: req
      type(ADCL_Vector), intent(out) :: svec, rvec
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_get_fields_num(req, num, ierror) bind(C, name='adcl_f_request_get_fields_num')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out) :: num
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    !> Fields are counted from 1.
    subroutine ADCL_Request_get_field(req, i, svec, rvec, ierror) bind(C, name='adcl_f_request_get_field')
      import :: c_int, ADCL_Request, ADCL_Vector
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(in) :: i
      type(ADCL_Vector), intent(out) :: svec, rvec
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_get_attribute_values(req, n, values, ierror) &
      bind(C, name='adcl_f_request_get_attribute_values')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(in) :: n
      integer(c_int), dimension(..), intent(inout) :: values
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_save_status(req, n, measurements, mean_s, filtered_mean_s, outliers, ierror) &
      bind(C, name='adcl_f_request_save_status')
      import :: c_double, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(in) :: n
      integer(c_int), dimension(..), intent(inout) :: measurements
      real(c_double), dimension(..), intent(inout) :: mean_s, filtered_mean_s
      integer(c_int), dimension(..), intent(inout) :: outliers
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine ADCL_Request_restore_status(req, n, measurements, mean_s, filtered_mean_s, outliers, ierror) &
      bind(C, name='adcl_f_request_restore_status')
      import :: c_double, c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(in) :: n
      integer(c_int), dimension(..), intent(in) :: measurements
      real(c_double), dimension(..), intent(in) :: mean_s, filtered_mean_s
      integer(c_int), dimension(..), intent(in) :: outliers
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> The duplicate on which the request's codelets communicate; what is not wanted may be left out.
  interface ADCL_Request_get_comm
    subroutine get_comm_f08(req, comm, rank, size, ierror) bind(C, name='adcl_f_request_get_comm')
      import :: c_int, ADCL_Request, MPI_Comm
      type(ADCL_Request), intent(in) :: req
      type(MPI_Comm), intent(out) :: comm
      integer(c_int), intent(out), optional :: rank, size
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine get_comm_mpi(req, comm, rank, size, ierror) bind(C, name='adcl_f_request_get_comm')
      import :: c_int, ADCL_Request
      type(ADCL_Request), intent(in) :: req
      integer(c_int), intent(out) :: comm
      integer(c_int), intent(out), optional :: rank, size
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module adcl_reflection
