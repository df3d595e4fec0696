# Tests are found by where they lie; adding one needs no edit here.
#   tests/unit/*.cpp    one GoogleTest program; no MPI is started
#   tests/mpi/*.cpp     one program per file that sees the library's inside
#   tests/support/*.cpp what these programs share
#   tests/mpi_defects/*.c  one program of plain MPI per file that shows a defect of MPI libraries; no ADCL in it
#   tests/capi/*.c      one C99 program per file that sees ADCL.h and the shared library only
# A file of the last two says in its first lines on how many ranks it runs, and may say how long (seconds of processor time of
# a rank, default 60):
#   // ranks: 1 2 3 4 5 7 8            /* ranks: 1 3 */
#   // timeout: 120
# and on how many ranks it runs besides, or only, where ADCL_LARGE_TESTS is on, because it takes long or much memory:
#   // large: 16
# and on how many ranks it runs once more under valgrind, which an invalid access or a definite leak fails, where valgrind
# is there and the MPI library is an MPICH, which is clean under it but for what tests/support/valgrind.supp says:
#   // valgrind: 1 2
# and on how many ranks it runs once more, or only, where /dev/shm has the 64 MB that it has in a container, with the seconds
# per loop for random problems; skipped where the system does not let this user make such a /dev/shm:
#   // small /dev/shm: 2 3
# and on how many ranks it runs once more with ADCL_TEST_APART=1, each process in a namespace where it is number 1 and sees no
# other one in /proc; skipped likewise:
#   // apart: 3
# and that it runs while no other test does, because it compares times:
#   // alone
# and why it cannot run in the simulator SMPI, where that is so:
#   // not smpi: all its ranks are one process with one environment
include(CTest)

# Time-outs count processor time (tests/support/processor_time.sh), so that a test does not fail because other programs use
# the cores. What sleeps or only yields uses little processor time: a limit of wall time, so many times as long, ends it.
set(adcl_wall_times 5)
set(adcl_processor_time "${CMAKE_CURRENT_LIST_DIR}/../tests/support/processor_time.sh")

find_program(ADCL_VALGRIND valgrind DOC "Memory checker, used when it is installed")
set(adcl_memcheck ${ADCL_VALGRIND} -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
                  "--suppressions=${PROJECT_SOURCE_DIR}/tests/support/valgrind.supp")

# What lets ranks of an MPICH that wait give the core away (tests/support/yielding.c), preloaded with every test. Sanitizers
# want to be the first library themselves.
set(adcl_yielding)
set(adcl_yielding_environment)
if(ADCL_MPI_FLAVOUR STREQUAL mpich AND NOT ADCL_SANITIZE)
  set(adcl_yielding $<TARGET_FILE:adcl_yielding>)
  set(adcl_yielding_environment LD_PRELOAD=${adcl_yielding})
endif()

# adcl_mpi_test(<target> <ranks>... [NAME name] [ARGS arg...] [TIMEOUT seconds] [LABELS label...] [ENVIRONMENT var=value...]
#               [UNDER command...] [AROUND command...])
# One test <name>.np<ranks> for each number of ranks; the name is the target's by default. Every rank runs under the command
# UNDER, and the launcher under the command AROUND, which ends with 77 where the test is to be skipped. TIMEOUT is processor
# time of a rank.
function(adcl_mpi_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;TIMEOUT" "ARGS;LABELS;ENVIRONMENT;UNDER;AROUND")
  if(NOT arg_NAME)
    set(arg_NAME ${target})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  foreach(ranks IN LISTS arg_UNPARSED_ARGUMENTS)
    adcl_launch_command(launch ${ranks})
    set(test ${arg_NAME}.np${ranks})
    add_test(NAME ${test} COMMAND ${adcl_processor_time} ${arg_TIMEOUT} ${arg_AROUND} ${launch} ${arg_UNDER}
                                  $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${arg_ARGS})
    # The launcher's own limit comes first: it takes its ranks down with it, which a killed launcher may not.
    math(EXPR wall_limit "${arg_TIMEOUT} * ${adcl_wall_times}")
    math(EXPR launcher_limit "${wall_limit} - ${wall_limit} / 10")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${wall_limit} PROCESSORS ${ranks} LABELS "mpi;${arg_LABELS}"
      ENVIRONMENT "${ADCL_MPI_TEST_ENVIRONMENT};${adcl_yielding_environment};MPIEXEC_TIMEOUT=${launcher_limit};${arg_ENVIRONMENT}")
    if(arg_AROUND)
      set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
  endforeach()
endfunction()

# adcl_command_test(<target> <name> <exit code> <what it says> "<rank>..." <label> [argument...]): a program as a user
# starts it, and what it says, a regular expression.
function(adcl_command_test target name code says all_ranks label)
  if(ADCL_MPI_FLAVOUR STREQUAL smpi AND "--help" IN_LIST ARGN)
    return() # The simulator takes this argument for itself.
  endif()
  separate_arguments(all_ranks)
  foreach(ranks IN LISTS all_ranks)
    adcl_launch_command(launch ${ranks})
    set(command ${launch} $<TARGET_FILE:${target}> ${ARGN})
    set(test ${name}.np${ranks})
    add_test(NAME ${test} COMMAND ${adcl_processor_time} 60 ${CMAKE_COMMAND} "-DCOMMAND=${command}" -DNAME=${target}
      -DCODE=${code} "-DSAYS=${says}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CommandTest.cmake")
    math(EXPR wall_limit "60 * ${adcl_wall_times}")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${wall_limit} PROCESSORS ${ranks} LABELS "mpi;${label}"
      ENVIRONMENT "${ADCL_MPI_TEST_ENVIRONMENT};${adcl_yielding_environment};MPIEXEC_TIMEOUT=250")
  endforeach()
endfunction()

# adcl_is_left_out(<variable> <source>): whether the source's first lines say that it cannot run in the MPI library at hand.
function(adcl_is_left_out variable source)
  set(${variable} OFF PARENT_SCOPE)
  file(STRINGS "${source}" head LIMIT_COUNT 20)
  if(ADCL_MPI_FLAVOUR STREQUAL smpi AND head MATCHES "not smpi: *([^;]*)")
    message(STATUS "${source} is not run in SMPI: ${CMAKE_MATCH_1}")
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()

# Registers the tests that the comment lines at the top of a source file ask for.
function(adcl_mpi_tests_of target source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  adcl_is_left_out(left_out "${source}")
  if(left_out)
    return()
  endif()
  file(STRINGS "${source}" head LIMIT_COUNT 20)
  string(REGEX MATCH "ranks:[ 0-9]+" ranks "${head}")
  string(REGEX MATCHALL "[0-9]+" ranks "${ranks}")
  string(REGEX MATCH "large:[ 0-9]+" large_ranks "${head}")
  string(REGEX MATCHALL "[0-9]+" large_ranks "${large_ranks}")
  string(REGEX MATCH "small /dev/shm:[ 0-9]+" small_ranks "${head}")
  string(REGEX MATCHALL "[0-9]+" small_ranks "${small_ranks}")
  if(NOT ranks AND NOT large_ranks AND NOT small_ranks)
    message(FATAL_ERROR "${source}: no line '// ranks: 1 2 3' near its top says on how many ranks it runs")
  endif()
  set(timeout 60)
  if(head MATCHES "timeout: *([0-9]+)")
    set(timeout ${CMAKE_MATCH_1})
  endif()
  adcl_mpi_test(${target} ${ranks} TIMEOUT ${timeout} ${ARGN})
  if(head MATCHES "[/* ]+ alone(;|$)")
    foreach(number IN LISTS ranks)
      set_tests_properties(${target}.np${number} PROPERTIES RUN_SERIAL ON)
    endforeach()
  endif()
  if(ADCL_LARGE_TESTS)
    adcl_mpi_test(${target} ${large_ranks} TIMEOUT ${timeout} LABELS large ${ARGN})
  endif()
  if(NOT ADCL_MPI_FLAVOUR STREQUAL smpi)
    adcl_mpi_test(${target} ${small_ranks} NAME ${target}.small_shm TIMEOUT ${timeout} LABELS small_shm
                  ENVIRONMENT ADCL_TEST_SECONDS=0.5 AROUND ${PROJECT_SOURCE_DIR}/tests/support/small_shm.sh 64m ${ARGN})
  endif()
  string(REGEX MATCH "apart:[ 0-9]+" apart_ranks "${head}")
  string(REGEX MATCHALL "[0-9]+" apart_ranks "${apart_ranks}")
  # Open MPI 4's own shared memory takes processes of the same number for one.
  set(support "${PROJECT_SOURCE_DIR}/tests/support")
  adcl_mpi_test(${target} ${apart_ranks} NAME ${target}.apart TIMEOUT ${timeout}
                ENVIRONMENT ADCL_TEST_APART=1 OMPI_MCA_btl=tcp,self AROUND ${support}/small_shm.sh 64m ${support}/apart.sh
                UNDER unshare --pid --fork --mount-proc --kill-child ${ARGN})
  string(REGEX MATCH "valgrind:[ 0-9]+" memcheck_ranks "${head}")
  string(REGEX MATCHALL "[0-9]+" memcheck_ranks "${memcheck_ranks}")
  if(ADCL_VALGRIND AND ADCL_MPI_FLAVOUR STREQUAL mpich AND NOT ADCL_SANITIZE)
    adcl_mpi_test(${target} ${memcheck_ranks} NAME ${target}.valgrind TIMEOUT 300 LABELS valgrind
                  ENVIRONMENT ADCL_TEST_WATCHDOG=250 UNDER ${adcl_memcheck} ${ARGN})
  endif()
endfunction()

# adcl_strict_test(<target>): flags of test code, which is compiled more often than it runs long.
function(adcl_strict_test target)
  adcl_strict(${target})
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endfunction()

# adcl_test_support: what test programs share.
function(adcl_add_test_support)
  file(GLOB support CONFIGURE_DEPENDS tests/support/*.cpp)
  add_library(adcl_test_support OBJECT ${support})
  target_include_directories(adcl_test_support PUBLIC tests)
  target_link_libraries(adcl_test_support PUBLIC adcl_objects)
  adcl_strict_test(adcl_test_support)
  adcl_precompile(adcl_test_support)
  if(adcl_yielding)
    add_library(adcl_yielding MODULE tests/support/yielding.c)
    set_target_properties(adcl_yielding PROPERTIES C_STANDARD 11)
    target_link_libraries(adcl_yielding PRIVATE ${CMAKE_DL_LIBS})
    adcl_strict(adcl_yielding)
  endif()
endfunction()

# adcl_google_tests(<target> <parts>): runs a GoogleTest program as so many tests, each with its share of the cases. A start
# for each case would take longer than most cases; --gtest_filter runs one of them.
function(adcl_google_tests target parts)
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    math(EXPR number "${part} + 1")
    set(test ${target}.part${number}of${parts})
    add_test(NAME ${test} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${test} PROPERTIES TIMEOUT 300 LABELS unit
                                            ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

function(adcl_add_unit_tests)
  file(GLOB sources CONFIGURE_DEPENDS tests/unit/*.cpp)
  if(NOT sources OR ADCL_MPI_FLAVOUR STREQUAL smpi)
    return()
  endif()
  adcl_find_gtest()
  if(NOT ADCL_HAVE_GTEST)
    message(WARNING "GoogleTest was not found (Debian: libgtest-dev): the unit tests are left out")
    return()
  endif()
  add_executable(unit_tests ${sources})
  target_link_libraries(unit_tests PRIVATE adcl_test_support adcl_objects GTest::gtest_main)
  adcl_strict_test(unit_tests)
  adcl_precompile(unit_tests AS adcl_test_support)
  adcl_google_tests(unit_tests 6)
endfunction()

function(adcl_add_mpi_tests)
  file(GLOB sources CONFIGURE_DEPENDS tests/mpi/*.cpp)
  foreach(source IN LISTS sources)
    adcl_is_left_out(left_out ${source})
    if(left_out)
      continue()
    endif()
    cmake_path(GET source STEM name)
    set(target mpi_${name})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE adcl_test_support adcl_objects)
    adcl_strict_test(${target})
    adcl_precompile(${target} AS adcl_test_support)
    adcl_mpi_tests_of(${target} ${source})
  endforeach()
endfunction()

function(adcl_add_capi_tests)
  file(GLOB sources CONFIGURE_DEPENDS tests/capi/*.c)
  foreach(source IN LISTS sources)
    adcl_is_left_out(left_out ${source})
    if(left_out)
      continue()
    endif()
    cmake_path(GET source STEM name)
    set(target capi_${name})
    add_executable(${target} ${source})
    target_include_directories(${target} PRIVATE tests)
    target_link_libraries(${target} PRIVATE adcl::adcl m)
    adcl_strict(${target})
    adcl_mpi_tests_of(${target} ${source} LABELS capi)
  endforeach()
endfunction()

# adcl_has_defect(<variable> <program> <argument>): whether the MPI library has the defect, by the rows of
# src/codelets/collectives/call_defects.def.
function(adcl_has_defect variable program argument)
  set(table src/codelets/collectives/call_defects.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} rows)
  set(${variable} OFF PARENT_SCOPE)
  string(REGEX MATCHALL "\"${program}\", \"${argument}\",[ a-z]*,? *\"[^\"]*\"" rows "${rows}")
  if(NOT rows)
    message(FATAL_ERROR "${table} has no row of the program ${program} with the argument ${argument}")
  endif()
  string(REGEX REPLACE ".*\"([^\"]*)\"$" "\\1" libraries "${rows}")
  foreach(library IN LISTS libraries)
    string(STRIP "${library}" library)
    string(REGEX REPLACE "[ .]+" "[^0-9]+" pattern "${library}")
    string(REPLACE "(R)" "\\(R\\)" pattern "${pattern}")
    if(adcl_mpi_version MATCHES "^${pattern}([^0-9]|$)")
      set(${variable} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(adcl_add_defect_tests)
  if(ADCL_MPI_FLAVOUR STREQUAL smpi)
    return() # Its processes share one address space: what ends one ends all.
  endif()
  file(GLOB sources CONFIGURE_DEPENDS tests/mpi_defects/*.c)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    set(target mpi_defect_${name})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE MPI::MPI_C)
    adcl_strict(${target})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" head LIMIT_COUNT 3)
    string(REGEX MATCH "ranks: *([0-9]+)" matched "${head}")
    set(ranks ${CMAKE_MATCH_1})
    string(REGEX MATCH "arguments: *([ a-z_]+)" matched "${head}")
    string(STRIP "${CMAKE_MATCH_1}" arguments)
    separate_arguments(arguments)
    adcl_launch_command(launch ${ranks})
    foreach(argument IN LISTS arguments)
      adcl_has_defect(expected ${name} ${argument})
      set(seconds 30)
      if(expected)
        set(seconds 1) # A call that does not return is what the test waits for.
      endif()
      set(command ${launch} $<TARGET_FILE:${target}> ${argument})
      set(test ${target}.${argument}.np${ranks})
      add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" -DEXPECTED=${expected}
                                    "-DLIBRARY=${adcl_mpi_version}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/DefectTest.cmake")
      set_tests_properties(${test} PROPERTIES TIMEOUT 60 PROCESSORS ${ranks} LABELS "mpi;mpi_defects"
        ENVIRONMENT "${ADCL_MPI_TEST_ENVIRONMENT};${adcl_yielding_environment};MPIEXEC_TIMEOUT=50;DEFECT_SECONDS=${seconds}")
    endforeach()
  endforeach()
endfunction()
