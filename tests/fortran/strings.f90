!> Character arguments as input and output. The argument of the program selects the case.
module string_cases
  use adcl
  use checks
  implicit none
  public

contains

  subroutine nothing(request)
    type(ADCL_Request), intent(in) :: request
    if (request == ADCL_REQUEST_NULL) error stop 'a codelet was called without a request'
  end subroutine

  !> A request of a set with the given name, whose only codelet has the same name.
  subroutine make_request(name, request, ierror)
    character(len=*), intent(in) :: name
    type(ADCL_Request), intent(out) :: request
    integer, intent(out) :: ierror
    type(ADCL_Function) :: func
    type(ADCL_Fnctset) :: set
    call ADCL_Function_create(nothing, ADCL_ATTRSET_NULL, [integer ::], name, func, ierror)
    if (ierror /= ADCL_SUCCESS) return
    call ADCL_Fnctset_create(1, func, name, set, ierror)
    call ADCL_Function_free(func)
    if (ierror /= ADCL_SUCCESS) return
    call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, request, ierror)
    call ADCL_Fnctset_free(set)
  end subroutine

  subroutine empty()
    type(ADCL_Request) :: request
    type(ADCL_Attribute) :: attribute
    character(len=:), allocatable :: message
    character(len=0) :: no_room
    character(len=20) :: name
    integer :: ierror
    message = ADCL_Last_error()
    call check(len(message) == 0, 'before any failure there is no message')
    call ADCL_Option_set('', 'factorial', ierror)
    call check_refused(ierror, ADCL_ERR_OPTION, 'ADCL_Option_set', 'an option without a name')
    call ADCL_Option_set('   ', '   ', ierror)
    call check_refused(ierror, ADCL_ERR_OPTION, 'ADCL_Option_set', 'a blank option')
    call ADCL_Option_set('ADCL_SEARCH', '', ierror)
    call check_refused(ierror, ADCL_ERR_OPTION, 'ADCL_SEARCH', 'an empty value')
    call ADCL_Option_get('', name, ierror)
    call check_refused(ierror, ADCL_ERR_OPTION, 'ADCL_Option_get', 'the value of an option without a name')
    call check(name == ' ', 'a refused value is blank')
    call make_request('', request, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'name', 'a function without a name')
    call ADCL_Attribute_create(1, 1, '', 'attribute', attribute, ierror)
    call check_ok(ierror, 'an attribute value without a name')
    call ADCL_Attribute_free(attribute)

    call make_request('x', request, ierror)
    call check_ok(ierror, 'a request')
    name = repeat('#', len(name))
    call ADCL_Request_get_curr_function(request, name, ierror)
    call check_ok(ierror, 'the current function before the first start')
    call check(name == ' ', 'before the first start there is no current function')
    call ADCL_Request_get_curr_function(request, no_room, ierror)
    call check_ok(ierror, 'an empty name fits into no characters')
    call ADCL_Request_get_fsname(request, no_room, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Request_get_fsname', 'a name does not fit into no characters')
    call ADCL_Request_free(request)
  end subroutine

  subroutine long()
    character(len=*), parameter :: LONG_TEXT = repeat('a long text without meaning ', 3000)
    type(ADCL_Request) :: request
    character(len=1000) :: name
    integer :: ierror
    call ADCL_Option_set(LONG_TEXT, LONG_TEXT, ierror)
    call check_refused(ierror, ADCL_ERR_OPTION, 'ADCL_Option_set', 'a long name of an option')
    call check(len(ADCL_Last_error()) > 0, 'the message is there')
    call ADCL_Option_set('ADCL_SEARCH', LONG_TEXT, ierror)
    call check_refused(ierror, ADCL_ERR_OPTION, 'ADCL_SEARCH', 'a long value')
    call make_request(LONG_TEXT, request, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'name', 'a long name of a function')

    call ADCL_Option_set('ADCL_SEARCH'//repeat(' ', 3000), 'brute_force'//repeat(' ', 3000), ierror)
    call check_ok(ierror, 'trailing blanks do not count')
    name = repeat('#', len(name))
    call ADCL_Option_get('ADCL_SEARCH   ', name, ierror)
    call check_ok(ierror, 'a value into a long variable')
    call check(name == 'brute_force', 'a long variable is filled with blanks: '//trim(name))

    call make_request('with blanks inside   ', request, ierror)
    call check_ok(ierror, 'blanks inside a name')
    call ADCL_Request_start(request, ierror)
    call check_ok(ierror, 'a start')
    call ADCL_Request_get_curr_function(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. name == 'with blanks inside', 'the current function: '//trim(name))
    call ADCL_Request_get_fsname(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. name == 'with blanks inside', 'the set: '//trim(name))
    call ADCL_Request_free(request)
  end subroutine

  subroutine exactly_full()
    character(len=ADCL_MAX_NAME - 1), parameter :: LONGEST = repeat('n', ADCL_MAX_NAME - 1)
    type(ADCL_Attribute) :: attribute
    type(ADCL_Request) :: request
    character(len=11) :: value
    character(len=10) :: too_short
    character(len=ADCL_MAX_NAME - 1) :: name
    character(len=ADCL_MAX_NAME - 2) :: name_too_short
    integer :: ierror
    call ADCL_Option_set('ADCL_SEARCH', 'brute_force', ierror)
    call check_ok(ierror, 'an option without trailing blanks')
    call ADCL_Option_get('ADCL_SEARCH', value, ierror)
    call check_ok(ierror, 'a value of 11 characters into 11')
    call check(value == 'brute_force', 'the value is '//value)
    call ADCL_Option_get('ADCL_SEARCH', too_short, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Option_get', 'a value of 11 characters into 10')
    call check(too_short == ' ', 'a refused value is blank')
    call ADCL_Attribute_create(2, [1, 2], ['ab', 'cd'], 'ef', attribute, ierror)
    call check_ok(ierror, 'value names without trailing blanks')
    call ADCL_Attribute_free(attribute)

    call make_request(LONGEST//'n', request, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'name', 'a name of ADCL_MAX_NAME characters leaves no room')
    call make_request(LONGEST, request, ierror)
    call check_ok(ierror, 'the longest name')
    call ADCL_Request_start(request, ierror)
    call ADCL_Request_get_curr_function(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. name == LONGEST, 'the current function fills the variable')
    call ADCL_Request_get_fsname(request, name, ierror)
    call check(ierror == ADCL_SUCCESS .and. name == LONGEST, 'the set fills the variable')
    call ADCL_Request_get_fsname(request, name_too_short, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Request_get_fsname', 'one character too few')
    call ADCL_Request_get_statistics(request, 1, name, ierror=ierror)
    call check(ierror == ADCL_SUCCESS .and. name == LONGEST, 'the candidate fills the variable')
    call ADCL_Request_get_statistics(request, 1, name_too_short, ierror=ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'ADCL_Request_get_statistics', 'one character too few')
    call ADCL_Request_free(request)
  end subroutine

  !> Texts of codes, and successive messages from the library and from the Fortran interface.
  subroutine messages()
    type(ADCL_Vector) :: vector
    type(ADCL_Vmap) :: vmap
    real, target :: data(4, 4)
    integer :: code, ierror
    do code = -1, 14
      call check(len_trim(ADCL_Error_string(code)) > 0, 'every code has a text')
    end do
    call check(ADCL_Error_string(ADCL_ERR_TYPE) /= ADCL_Error_string(ADCL_ERR_STATE), 'the texts differ')
    call ADCL_Vmap_halo_allocate(-1, vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'hwidth', 'the library refuses')
    call ADCL_Vector_rebind(ADCL_VECTOR_NULL, data(1:3:2, :), ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'array section', 'then the interface refuses')
    call check_ok(0, 'a success changes nothing')
    call check(index(ADCL_Last_error(), 'array section') > 0, 'the message stays')
    call ADCL_Vmap_halo_allocate(-1, vmap, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'hwidth', 'then the library refuses again')
    call ADCL_Vector_deregister(vector, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Vector_deregister', 'then it refuses something else')
  end subroutine

end module string_cases

program strings
  use string_cases
  use mpi
  implicit none
  character(len=20) :: name
  integer :: ierror
  call MPI_Init(ierror)
  call ADCL_Init(ierror)
  call check_ok(ierror, 'ADCL_Init')
  call get_command_argument(1, name)
  select case (name)
  case ('empty')
    call empty()
  case ('long')
    call long()
  case ('exactly_full')
    call exactly_full()
  case ('messages')
    call messages()
  case default
    call check(.false., 'there is no case '//trim(name))
  end select
  call ADCL_Finalize(ierror)
  call check_ok(ierror, 'ADCL_Finalize')
  call finish()
end program strings
