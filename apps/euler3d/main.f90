program euler3d
  use, intrinsic :: iso_c_binding
  use app_interface
  use block, only: case_flow
  use messages, only: message_form
  use mpi_f08
  use simulation
  use vtk
  implicit none
  character(kind=c_char, len=20), target :: name
  character(kind=c_char, len=400), target :: summary, examples
  character(kind=c_char, len=1000), target :: output
  integer(c_int), target :: cells(3) = 32, kind = 0, percent(1) = 10, layout = 0, receive = 0
  type(app_settings) :: settings
  type(euler_simulation), target :: this
  type(euler_record) :: record
  integer :: code

  call MPI_Init()
  name = app_text('euler3d')
  summary = app_text('a Gauss pulse in density that a gas without friction carries through a cube: finite volumes'// &
                     c_new_line//'of second order. Each iteration exchanges seven fields of five variables.')
  examples = app_text('mpirun -n 4 euler3d'//c_new_line// &
                      'mpirun -n 2 euler3d --size 16x32x32 --iterations 2000 --exchange plain'//c_new_line// &
                      'mpirun -n 4 euler3d --case walls --vtk pulse --json run.json')
  output = c_null_char
  settings%iterations = 200
  call app_program(name, summary, examples)
  call app_option(app_text('--size'), app_text('NXxNYxNZ'), 3_c_int, 1_c_int, 4096_c_int, cells, &
                  app_text('cells per process'))
  call app_option_word(app_text('--case'), app_text('periodic walls flow'), kind, app_text('condition at the ends of the domain'))
  call app_option(app_text('--pulse'), app_text('PERCENT'), 1_c_int, 1_c_int, 20_c_int, percent, &
                  app_text('standard deviation of the pulse, in % of the edge of the cube'))
  call app_option_word(app_text('--layout'), app_text('separate pairs'), layout, &
                       app_text('arrays for the states at both faces of cells'))
  call app_option_word(app_text('--receive'), app_text('early blocking'), receive, &
                       app_text('plain MPI: MPI_Irecv before the sends, or MPI_Recv after them'))
  call app_option_text(app_text('--vtk'), app_text('NAME'), int(len(output), c_int), output, &
                       app_text('write NAME.pvti and its parts for ParaView at the end'))
  code = app_begin_program(settings)
  if (code == APP_RUN .and. kind == case_flow .and. percent(1) > 10) then
    code = app_usage(app_text('with --case flow the pulse begins inside the cube: --pulse takes 10 at most'))
  end if
  if (code == APP_RUN .and. settings%adcl == 1 .and. (layout /= 0 .or. receive /= 0)) then
    code = app_usage(app_text('ADCL requires separate arrays and has its own receives: use --layout pairs and'// &
                              ' --receive blocking only with --exchange plain or plain-fields'))
  end if
  if (code == APP_RUN) code = simulate()
  call MPI_Finalize()
  if (code /= 0) stop code, quiet=.true.

contains

  integer function simulate() result(code)
    logical :: good
    call make_simulation(this, kind, cells, percent(1)/100.0_c_double, settings, MPI_COMM_WORLD, good, &
                         message_form(layout == 1, receive == 1))
    if (good) then
      code = report()
    else
      code = app_usage(app_text('there is not enough memory for this number of cells; change --size'))
    end if
    call free_simulation(this)
  end function

  integer function report() result(code)
    character(len=80) :: text
    record = run_simulation(this)
    write (text, '(i0, 2(" x ", i0))') this%block%all_cells
    call app_report_line('cells', 'cells', trim(text))
    call app_report_whole(app_text('iterations'), app_text('iterations'), int(settings%iterations, c_int64_t))
    call app_report_number(app_text('time'), app_text('simulated time'), record%time)
    if (kind == case_flow) then
      call app_report_number(app_text('mass'), app_text('change of mass'), record%mass_error)
      call app_report_number(app_text('energy'), app_text('change of energy'), record%energy_error)
    else
      call app_report('mass', 'change of mass', record%mass_error, record%conservation_limit)
      call app_report('energy', 'change of energy', record%energy_error, record%conservation_limit)
    end if
    call app_report('density', 'error of density', record%density_error, record%error_limit)
    call app_report_checksum(app_text('solution'), app_text('checksum'), record%checksum)
    code = app_finish(record%setup_s, record%total_s, 2_c_int, [this%solver%states%exchange, this%solver%means%exchange])
    if (output(1:1) /= c_null_char) then
      if (.not. write_vtk(output(:index(output, c_null_char) - 1), this%block, this%solver%means%values(:, :, :, :, 1))) &
        code = max(code, app_usage(app_text('--vtk: the files could not be written')))
    end if
  end function

end program euler3d
