program ft
  use, intrinsic :: iso_c_binding
  use app_interface
  use decomposition
  use mpi_f08
  use problem
  use simulation
  implicit none
  character(kind=c_char, len=20), target :: name
  character(kind=c_char, len=600), target :: summary, examples
  integer(c_int), target :: number = 0, kind = slabs, way = by_adcl
  type(app_settings) :: settings
  type(problem_class) :: class
  type(ft_simulation), target :: this
  integer :: code, ranks, processes(2)

  call MPI_Init()
  call describe()
  code = app_begin_program(settings)
  if (code == APP_RUN) then
    class = class_of(number + 1)
    if (settings%iterations == 0) settings%iterations = class%iterations
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    processes = processes_for(kind, ranks)
    if (fits(class, processes)) then
      code = simulate()
    else
      code = app_usage(app_text(too_many()))
    end if
  end if
  call MPI_Finalize()
  if (code /= 0) stop code, quiet=.true.

contains

  subroutine describe()
    name = app_text('ft')
    summary = app_text('the NAS Parallel Benchmark FT, the heat equation by Fourier transforms in three dimensions.'//c_new_line// &
                       'Each iteration transforms the decayed spectrum back. Processes transpose the points by'//c_new_line// &
                       'all-to-all exchanges. After the last step of the class, its steps begin again.')
    examples = app_text('mpirun -n 4 ft --class A --exchange mpi'//c_new_line// &
                        'mpirun -n 4 ft --class W --decomposition 2d --iterations 200 --json run.json'//c_new_line// &
                        'ADCL_CODELETS=alltoall:pairwise mpirun -n 2 ft')
    settings%iterations = 0
    call app_program(name, summary, examples)
    call app_option_word(app_text('--class'), app_text(class_names), number, &
                         app_text('class of the benchmark, with 6, 6, 6 or 20 iterations'))
    call app_option_word(app_text('--decomposition'), app_text('1d 2d'), kind, &
                         app_text('decomposition into slabs (1d) or pencils (2d)'))
    call app_exchanges(app_text('adcl adcl-timer mpi'), &
                       app_text('ADCL, one request for each of the transposes'//c_new_line// &
                                'as adcl, but ADCL chooses by the time of an iteration: ADCL_Timer_start, _stop'// &
                                c_new_line//'plain MPI: MPI_Alltoall, or MPI_Alltoallv for unequal blocks'), way)
  end subroutine

  function too_many() result(text)
    character(len=200) :: text
    write (text, '("class ", a, " has ", i0, " x ", i0, " x ", i0, " points, too few for ", i0, " x ", i0, '// &
           '" processes; use fewer processes or a larger --class")') class_name(class), class%points, processes
  end function

  integer function simulate() result(code)
    logical :: good
    call make_simulation(this, class, processes, way, MPI_COMM_WORLD, good)
    if (good) then
      code = report()
    else
      code = app_usage(app_text('there is not enough memory for this number of points; change --class'))
    end if
    call free_simulation(this)
  end function

  integer function report() result(code)
    type(ft_record) :: record
    type(c_ptr) :: exchanges(2)
    character(len=80) :: text, key
    integer :: step
    record = run_simulation(this, settings%iterations)
    write (text, '(a, ", ", i0, 2(" x ", i0), " points")') class_name(class), class%points
    call app_report_line('class', 'class', trim(text))
    write (text, '(i0, " x ", i0)') processes
    call app_report_line('grid', 'process grid', trim(text))
    call app_report_whole(app_text('iterations'), app_text('iterations'), int(settings%iterations, c_int64_t))
    do step = 1, size(record%checksums)
      write (key, '("step_", i0)') step
      write (text, '(es19.12, 1x, es19.12)') record%checksums(step)
      call app_report_line(trim(key), 'sum after step '//trim(key(6:)), trim(adjustl(text)))
    end do
    call app_report('error', 'error of sums', record%error, tolerance)
    call app_report_checksum(app_text('points'), app_text('checksum'), record%bits)
    exchanges = [this%back(1)%messages%timed, this%back(2)%messages%timed]
    code = app_finish(record%setup_s, record%total_s, int(merge(2, 1, this%back(2)%apart), c_int), exchanges)
  end function

end program ft
