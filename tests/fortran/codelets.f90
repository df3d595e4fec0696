! ranks: 1 2 3
!> Attributes, functions and function sets, and Fortran procedures as codelets.
module codelet_cases
  use, intrinsic :: iso_c_binding
  use adcl
  use checks
  use mpi_f08
  implicit none
  public

  interface
    type(c_funptr) function header_procedure(i) bind(C)
      import :: c_funptr, c_int
      integer(c_int), value :: i
    end function
    subroutine create_from_address(fn, attrset, values, name, func, caller, ierror) &
      bind(C, name='adcl_f_function_create')
      import :: c_char, c_funptr, c_int
      type(c_funptr), value :: fn
      integer(c_int), intent(in) :: attrset
      integer(c_int), dimension(..), intent(in) :: values
      character(len=*, kind=c_char), intent(in) :: name
      integer(c_int), intent(out) :: func
      type(c_funptr), value :: caller
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

  !> Records the executions of codelets.
  type :: log_t
    integer :: started = 0, waited = 0
    logical :: ran(0:9, 0:9) = .false.
  end type

contains

  !> Distance between the largest properties of two problems.
  real(c_double) function distance(n, names, here, there) bind(C)
    integer(c_int), value :: n
    type(c_ptr), intent(in) :: names(n)
    real(c_double), intent(in) :: here(n), there(n)
    distance = -1
    if (c_associated(names(1))) distance = abs(maxval(here) - maxval(there))
  end function

  function log_of(request) result(log)
    type(ADCL_Request), intent(in) :: request
    type(log_t), pointer :: log
    type(c_ptr) :: context
    integer :: ierror
    call ADCL_Request_get_context(request, context, ierror)
    call check_ok(ierror, 'ADCL_Request_get_context in a codelet')
    call c_f_pointer(context, log)
  end function

  subroutine begin(request)
    type(ADCL_Request), intent(in) :: request
    type(log_t), pointer :: log
    integer :: values(2), spread_out(4), ierror
    log => log_of(request)
    log%started = log%started + 1
    call ADCL_Request_get_attribute_values(request, 2, values, ierror)
    call check_ok(ierror, 'ADCL_Request_get_attribute_values')
    spread_out = -7
    call ADCL_Request_get_attribute_values(request, 2, spread_out(2:4:2), ierror)
    call check(all(spread_out == [-7, values(1), -7, values(2)]), 'attribute values into an array with a stride')
    call ADCL_Request_get_attribute_values(request, 2, spread_out(1:1), ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'values has 1 elements where 2', 'too few values')
    log%ran(values(1), values(2)) = .true.
  end subroutine

  subroutine complete(request)
    type(ADCL_Request), intent(in) :: request
    type(log_t), pointer :: log
    log => log_of(request)
    log%waited = log%waited + 1
  end subroutine

  subroutine both(request)
    type(ADCL_Request), intent(in) :: request
    call begin(request)
    call complete(request)
  end subroutine

  !> Two attributes with 2 and 3 values; the value names of the first attribute have different lengths.
  subroutine make_attributes(attrset)
    type(ADCL_Attrset), intent(out) :: attrset
    type(ADCL_Attribute) :: attributes(2)
    integer :: ierror
    call ADCL_Attribute_create(2, [1, 2], ['one  ', 'three'], 'first', attributes(1), ierror)
    call check_ok(ierror, 'ADCL_Attribute_create')
    call ADCL_Attribute_create(3, [4, 5, 6], ['d', 'e', 'f'], 'second', attributes(2), ierror)
    call check_ok(ierror, 'ADCL_Attribute_create')
    call ADCL_Attrset_create(2, attributes, attrset, ierror)
    call check_ok(ierror, 'ADCL_Attrset_create')
    call ADCL_Attribute_free(attributes(1), ierror)
    call check(ierror == ADCL_SUCCESS .and. attributes(1) == ADCL_ATTRIBUTE_NULL, 'ADCL_Attribute_free')
    call ADCL_Attribute_free(attributes(2), ierror)
  end subroutine

  !> Runs the requests of a set until the search is over; \p log is their context.
  subroutine run(set, overlapped, log, candidates)
    type(ADCL_Fnctset), intent(inout) :: set
    logical, intent(in) :: overlapped
    type(log_t), intent(inout), target :: log
    integer, intent(out) :: candidates
    type(ADCL_Request) :: request
    integer :: state, start, ierror
    call ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, request, ierror)
    call check_ok(ierror, 'a request of a user''s set')
    call ADCL_Fnctset_free(set, ierror)
    call check(ierror == ADCL_SUCCESS .and. set == ADCL_FNCTSET_NULL, 'ADCL_Fnctset_free')
    call ADCL_Request_set_context(request, c_loc(log), ierror)
    call check_ok(ierror, 'ADCL_Request_set_context')
    do start = 1, 60
      if (overlapped) then
        call ADCL_Request_init(request, ierror)
        call ADCL_Request_wait(request, ierror)
      else
        call ADCL_Request_start(request, ierror)
      end if
      call check_ok(ierror, 'a start')
    end do
    call ADCL_Request_get_functions_num(request, candidates, ierror)
    call ADCL_Request_get_state(request, state, ierror)
    call check(state == ADCL_STATE_PRODUCTION, 'the search is over')
    call check(log%started == 60 .and. log%waited == 60, 'every start was completed')
    call ADCL_Request_free(request)
  end subroutine

  subroutine functions_and_sets()
    type(ADCL_Attrset) :: attrset
    type(ADCL_Function) :: functions(3)
    type(ADCL_Fnctset) :: set
    type(log_t) :: log
    integer :: strided(4), candidates, ierror
    call make_attributes(attrset)
    strided = [2, -1, 6, -1]
    call ADCL_Function_create(both, attrset, [1, 4], 'blocking', functions(1), ierror)
    call check_ok(ierror, 'ADCL_Function_create')
    call ADCL_Function_create_async(begin, complete, attrset, [2, 5], 'in two parts', functions(2), ierror)
    call check_ok(ierror, 'ADCL_Function_create_async')
    call ADCL_Function_create_async(begin, complete, attrset, strided(1:3:2), 'strided', functions(3), ierror)
    call check_ok(ierror, 'ADCL_Function_create_async with values with a stride')
    call ADCL_Fnctset_create(3, functions, 'set', set, ierror)
    call check_ok(ierror, 'ADCL_Fnctset_create')
    call run(set, .false., log, candidates)
    call check(candidates == 3, 'three candidates')
    call check(log%ran(1, 4) .and. log%ran(2, 5) .and. log%ran(2, 6) .and. count(log%ran) == 3, 'all ran')

    call ADCL_Fnctset_create(3, functions, 'overlapped set', set, ierror)
    call ADCL_Fnctset_set_sharing(set, 2, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'sharing is 2', 'neither 0 nor 1')
    call ADCL_Fnctset_set_sharing(set, 1)
    call ADCL_Fnctset_set_similarity(set, c_funloc(distance), ierror)
    call check_ok(ierror, 'ADCL_Fnctset_set_similarity')
    call ADCL_Fnctset_set_similarity(ADCL_FNCTSET_NULL, c_funloc(distance), ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Fnctset_set_similarity', 'similarity of no set')
    log = log_t()
    call run(set, .true., log, candidates)
    call check(log%ran(2, 5) .and. log%ran(2, 6) .and. count(log%ran) == 2, 'only codelets in two parts ran')
    do candidates = 1, 3
      call ADCL_Function_free(functions(candidates), ierror)
      call check(ierror == ADCL_SUCCESS .and. functions(candidates) == ADCL_FUNCTION_NULL, 'ADCL_Function_free')
    end do
    call ADCL_Attrset_free(attrset, ierror)
    call check(ierror == ADCL_SUCCESS .and. attrset == ADCL_ATTRSET_NULL, 'ADCL_Attrset_free')
  end subroutine

  !> One function for 4 of the 6 combinations of values; 2 are excluded.
  subroutine single()
    integer, parameter :: EXCLUDED(2, 2) = reshape([1, 4, 2, 6], [2, 2])
    type(ADCL_Attrset) :: attrset
    type(ADCL_Fnctset) :: set
    type(log_t) :: log
    integer :: candidates, ierror
    call make_attributes(attrset)
    call ADCL_Fnctset_create_single(begin, complete, attrset, 'single', EXCLUDED, 2, set, ierror)
    call check_ok(ierror, 'ADCL_Fnctset_create_single')
    call run(set, .true., log, candidates)
    call check(candidates == 4, 'four candidates')
    call check(count(log%ran) <= 4 .and. .not. log%ran(1, 4) .and. .not. log%ran(2, 6), 'excluded combinations never ran')
    call ADCL_Fnctset_create_single(both, ADCL_NULL_FUNCTION, attrset, 'blocking', [integer ::], 0, set, ierror)
    call check_ok(ierror, 'ADCL_Fnctset_create_single in one part')
    log = log_t()
    call run(set, .false., log, candidates)
    call check(candidates == 6, 'six candidates')
    call ADCL_Attrset_free(attrset)
  end subroutine

  subroutine bad_arguments()
    type(ADCL_Attribute) :: attribute
    type(ADCL_Attrset) :: attrset
    type(ADCL_Function) :: func
    type(ADCL_Fnctset) :: set
    integer :: ierror
    call ADCL_Attribute_create(2, [1, 1], ['a', 'b'], 'twice', attribute, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'values', 'a value twice')
    call ADCL_Attribute_create(3, [1, 2], ['a', 'b'], 'few', attribute, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'values has 2 elements where 3', 'too few values')
    call ADCL_Attribute_create(2, [1, 2], ['a'], 'few', attribute, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'value_names has 1 elements where 2', 'too few names')
    call ADCL_Attribute_create(0, [integer ::], [character(1) ::], 'none', attribute, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'nvalues', 'no values')
    call check(attribute == ADCL_ATTRIBUTE_NULL, 'no attribute was created')
    call ADCL_Attribute_free(attribute, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Attribute_free', 'a null attribute')
    call ADCL_Attrset_create(1, attribute, attrset, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Attrset_create', 'a set of a null attribute')
    call ADCL_Attrset_create(2, [attribute], attrset, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'attrs has 1 elements where 2', 'too few attributes')
    call ADCL_Attrset_free(attrset, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Attrset_free', 'a null attribute set')

    call make_attributes(attrset)
    call ADCL_Function_create(both, attrset, [1, 9], 'wrong', func, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'second', 'a value that the attribute does not have')
    call ADCL_Function_create(both, attrset, [integer ::], 'no values', func, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'values', 'no values')
    call ADCL_Function_create(ADCL_NULL_FUNCTION, attrset, [1, 4], 'nothing', func, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'fn', 'no function')
    call ADCL_Function_create_async(begin, ADCL_NULL_FUNCTION, attrset, [1, 4], 'half', func, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'wait_fn', 'no wait function')
    call check(func == ADCL_FUNCTION_NULL, 'no function was created')
    call ADCL_Function_free(func, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Function_free', 'a null function')
    call ADCL_Fnctset_create(1, func, 'set', set, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Fnctset_create', 'a set of a null function')
    call ADCL_Fnctset_create(2, [func], 'set', set, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'funcs has 1 elements where 2', 'too few functions')
    call ADCL_Fnctset_create_single(begin, complete, attrset, 'single', [1, 4], -1, set, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'nexcluded', 'a negative number of exclusions')
    call ADCL_Fnctset_create_single(begin, complete, attrset, 'single', [1, 9], 1, set, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'excluded', 'a combination that does not exist')
    set = ADCL_FNCTSET_NEIGHBORHOOD
    call ADCL_Fnctset_free(set, ierror)
    call check_refused(ierror, ADCL_ERR_HANDLE, 'ADCL_Fnctset_free', 'the predefined set')
    call ADCL_Fnctset_set_sharing(set, 1, ierror)
    call check_refused(ierror, ADCL_ERR_ARGUMENT, 'predefined', 'sharing of the predefined set')
    call ADCL_Fnctset_set_similarity(set, c_null_funptr)
    call ADCL_Attrset_free(attrset)
  end subroutine

  !> The same procedure may be passed any number of times, but the number of different procedures is limited.
  subroutine many_procedures()
    type(ADCL_Function) :: func
    integer :: i, made, ierror
    do i = 1, 3000
      call ADCL_Function_create(both, ADCL_ATTRSET_NULL, 0, 'again', func, ierror)
      if (ierror /= ADCL_SUCCESS) exit
      call ADCL_Function_free(func)
    end do
    call check_ok(ierror, 'the same procedure again and again')
    made = 0
    do i = 1, 2000
      call create_from_address(header_procedure(i), ADCL_ATTRSET_NULL%ADCL_VAL, 0, 'x', func%ADCL_VAL, &
                               header_procedure(0), ierror)
      if (ierror /= ADCL_SUCCESS) exit
      made = made + 1
      call ADCL_Function_free(func)
    end do
    call check_refused(ierror, ADCL_ERR_UNSUPPORTED, 'more than 1024', 'too many different procedures')
    call check(made > 1000, 'a thousand procedures are accepted')
    call ADCL_Function_create(both, ADCL_ATTRSET_NULL, 0, 'known', func, ierror)
    call check_ok(ierror, 'a procedure that was passed before')
    call ADCL_Function_free(func)
  end subroutine

end module codelet_cases

program codelets
  use codelet_cases
  implicit none
  call MPI_Init()
  call ADCL_Init()
  call ADCL_Option_set('ADCL_SEARCH', 'brute_force')
  call ADCL_Option_set('ADCL_MEASUREMENTS', '3')
  call functions_and_sets()
  call single()
  call bad_arguments()
  call many_procedures()
  call ADCL_Finalize()
  call finish()
end program codelets
