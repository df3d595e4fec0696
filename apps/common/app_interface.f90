!> app.h for Fortran programs; app.h describes the procedures.
module app_interface
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: app_begin_program, app_text, app_report, app_report_line

  type, bind(C), public :: app_settings
    integer(c_int) :: iterations = 0, adcl = 0, joined = 1, overlap = 0, quiet = 0
  end type
  integer(c_int), parameter, public :: APP_OVERLAP_NONE = 0, APP_OVERLAP_INIT = 1, APP_OVERLAP_START = 2
  integer(c_int), parameter, public :: APP_INSIDE = 0, APP_BOUNDARY = 1, APP_ALL = 2
  integer(c_int), parameter, public :: APP_RUN = -1

  !> A copy of the program's arguments, in the form that main has in C.
  type :: argument
    character(kind=c_char), pointer :: text(:) => null()
  end type
  type(argument), allocatable, save, target :: arguments(:)

  public :: app_program, app_option, app_option_word, app_option_text, app_exchanges, app_usage
  public :: app_exchange_adcl, app_exchange_plain
  public :: app_exchange_run, app_exchange_progress, app_exchange_free, app_report_whole, app_report_number
  public :: app_report_check, app_report_checksum, app_mix_value, app_progress, app_finish, app_check

  interface
    subroutine app_program(name, summary, examples) bind(C)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*), summary(*), examples(*)
    end subroutine
    subroutine app_option(name, unit, n, low, high, values, help) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), unit(*), help(*)
      integer(c_int), value :: n, low, high
      integer(c_int), intent(inout), target :: values(*)
    end subroutine
    subroutine app_option_word(name, words, value, help) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), words(*), help(*)
      integer(c_int), intent(inout), target :: value
    end subroutine
    subroutine app_option_text(name, unit, size, value, help) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), unit(*), help(*)
      integer(c_int), value :: size
      character(kind=c_char), intent(inout), target :: value(*)
    end subroutine
    subroutine app_exchanges(names, summaries, value) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: names(*), summaries(*)
      integer(c_int), intent(inout), target :: value
    end subroutine
    integer(c_int) function app_begin(argc, argv, settings) bind(C)
      import :: c_int, c_ptr, app_settings
      integer(c_int), value :: argc
      type(c_ptr), intent(in) :: argv(*)
      type(app_settings), intent(inout) :: settings
    end function
    integer(c_int) function app_usage(message) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: message(*)
    end function
    type(c_ptr) function app_exchange_adcl(fields, n, requests, overlap) bind(C)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_int), value :: fields, n, overlap
      integer(c_intptr_t), intent(in) :: requests(*)
    end function
    type(c_ptr) function app_exchange_plain(fields, joined, begin, finish, context, overlap) bind(C)
      import :: c_funptr, c_int, c_ptr
      integer(c_int), value :: fields, joined, overlap
      type(c_funptr), value :: begin, finish
      type(c_ptr), value :: context
    end function
    subroutine app_exchange_run(exchange, work, context) bind(C)
      import :: c_funptr, c_ptr
      type(c_ptr), value :: exchange, context
      type(c_funptr), value :: work
    end subroutine
    subroutine app_exchange_progress(exchange, depth) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), value :: depth
    end subroutine
    subroutine app_exchange_free(exchange) bind(C)
      import :: c_ptr
      type(c_ptr), value :: exchange
    end subroutine
    subroutine report_text(key, label, text) bind(C, name='app_report_text')
      import :: c_char
      character(kind=c_char), intent(in) :: key(*), label(*), text(*)
    end subroutine
    subroutine app_report_whole(key, label, number) bind(C)
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: key(*), label(*)
      integer(c_int64_t), value :: number
    end subroutine
    subroutine app_report_number(key, label, number) bind(C)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: key(*), label(*)
      real(c_double), value :: number
    end subroutine
    subroutine app_report_check(key, label, number, limit) bind(C)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: key(*), label(*)
      real(c_double), value :: number, limit
    end subroutine
    subroutine app_report_checksum(key, label, number) bind(C)
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: key(*), label(*)
      integer(c_int64_t), value :: number
    end subroutine
    integer(c_int64_t) function app_mix_value(number, place) bind(C)
      import :: c_double, c_int64_t
      real(c_double), value :: number
      integer(c_int64_t), value :: place
    end function
    subroutine app_progress(done) bind(C)
      import :: c_double
      real(c_double), value :: done
    end subroutine
    integer(c_int) function app_finish(setup_s, total_s, n, exchanges) bind(C)
      import :: c_double, c_int, c_ptr
      real(c_double), value :: setup_s, total_s
      integer(c_int), value :: n
      type(c_ptr), intent(in) :: exchanges(*)
    end function
    subroutine app_check(code) bind(C)
      import :: c_int
      integer(c_int), value :: code
    end subroutine
  end interface

contains

  !> Returns the text as a C string.
  function app_text(text) result(copy)
    character(len=*), intent(in) :: text
    character(len=len(text) + 1, kind=c_char) :: copy
    copy = text//c_null_char
  end function

  !> Calls app_begin with the arguments of this program.
  integer function app_begin_program(settings) result(code)
    type(app_settings), intent(inout) :: settings
    type(c_ptr), allocatable :: pointers(:)
    character(len=:), allocatable :: word
    integer :: i, j, length
    if (.not. allocated(arguments)) allocate (arguments(0:command_argument_count()))
    allocate (pointers(0:command_argument_count() + 1))
    do i = 0, command_argument_count()
      call get_command_argument(i, length=length)
      allocate (character(len=length) :: word)
      call get_command_argument(i, word)
      if (.not. associated(arguments(i)%text)) allocate (arguments(i)%text(length + 1))
      do j = 1, length
        arguments(i)%text(j) = word(j:j)
      end do
      arguments(i)%text(length + 1) = c_null_char
      pointers(i) = c_loc(arguments(i)%text)
      deallocate (word)
    end do
    pointers(command_argument_count() + 1) = c_null_ptr
    code = app_begin(int(command_argument_count() + 1, c_int), pointers, settings)
  end function

  !> Adds a checked number with its limit to the report.
  subroutine app_report(key, label, number, limit)
    character(len=*), intent(in) :: key, label
    real(c_double), intent(in) :: number, limit
    call app_report_check(app_text(key), app_text(label), number, limit)
  end subroutine

  subroutine app_report_line(key, label, text)
    character(len=*), intent(in) :: key, label, text
    call report_text(app_text(key), app_text(label), app_text(text))
  end subroutine

end module app_interface
