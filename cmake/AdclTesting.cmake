# Tests are found by their folders; a new test file needs no edit here.
#   tests/unit/*.cpp    one GoogleTest program; does not initialize MPI
#   tests/mpi/*.cpp     one program per file, linked with the library's internal symbols
#   tests/support/*.cpp code shared by these programs
#   tests/mpi_defects/*.c  one plain MPI program per file, which reproduces a defect of MPI libraries
#   tests/capi/*.c      one C99 program per file, which uses only ADCL.h and the shared library
# Comments in the first lines of a file in tests/mpi or tests/capi describe its tests. Required: the numbers of ranks.
#   // ranks: 1 2 3 4 5 7 8            /* ranks: 1 3 */
# Optional: the time-out in seconds of processor time per rank (default 60).
#   // timeout: 120
# Further numbers of ranks with ADCL_LARGE_TESTS, for tests that take long or much memory:
#   // large: 16
# Numbers of ranks for a run under valgrind, which fails on an invalid access or a definite leak. Requires valgrind and
# MPICH, which has no errors under valgrind except the errors in tests/support/valgrind.supp:
#   // valgrind: 1 2
# Numbers of ranks for a run with 64 MB in /dev/shm, as in a container, and 0.5 s per loop of random problems. Skipped if
# this user may not mount such a /dev/shm:
#   // small /dev/shm: 2 3
# Numbers of ranks for a run with ADCL_TEST_APART=1: each process has the number 1 in its own namespace and sees no
# other process in /proc. Skipped under the same condition:
#   // apart: 3
# The test compares times and runs while no other test runs:
#   // alone
# The reason why the test cannot run in the simulator SMPI:
#   // not smpi: all its ranks are one process with one environment
# CTest adds targets and options for dashboards, which another project that includes ADCL does not expect.
if(PROJECT_IS_TOP_LEVEL)
  include(CTest)
endif()

# Time-outs count processor time (tests/support/processor_time.sh), so that a test does not fail because other programs use
# the cores. A process that sleeps or yields uses little processor time: a limit on wall time, longer by the factor
# adcl_wall_times, ends it.
set(adcl_wall_times 5)
set(adcl_processor_time "${CMAKE_CURRENT_LIST_DIR}/../tests/support/processor_time.sh")

find_program(ADCL_VALGRIND valgrind DOC "Memory checker (optional)")
set(adcl_memcheck ${ADCL_VALGRIND} -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
                  "--suppressions=${PROJECT_SOURCE_DIR}/tests/support/valgrind.supp")

# With MPICH, tests preload a library that makes waiting ranks yield their core (tests/support/yielding.c). Sanitizers must
# be the first library themselves.
set(adcl_yielding)
set(adcl_yielding_environment)
if(ADCL_MPI_FLAVOUR STREQUAL mpich AND NOT ADCL_SANITIZE)
  set(adcl_yielding $<TARGET_FILE:adcl_yielding>)
  set(adcl_yielding_environment LD_PRELOAD=${adcl_yielding})
endif()

# adcl_label_ranks(<test> <number> <rank>...): labels a test that `make check` runs with only one of its MPI libraries: on 3
# and more ranks with the first library (more_ranks), and on 1 and 2 ranks with the second one (few_ranks). A test whose
# numbers of ranks are all above or all below runs with both libraries, as do conformance tests and tests under valgrind.
# Tests of programs exist only with the first library, and run there on 1 rank too.
function(adcl_label_ranks test number)
  if(test MATCHES "^mpi_conformance_[a-z0-9]+[.]np|[.]valgrind[.]")
    return()
  endif()
  set(few 1 2)
  get_test_property(${test} LABELS labels)
  if(labels MATCHES "(^|;)(application|workload|solver3d|bench)(;|$)" AND NOT ARGV2 STREQUAL usage)
    set(few 2)
  endif()
  set(more ${ARGN})
  list(REMOVE_ITEM more 1 2 usage)
  set(below ${ARGN})
  list(REMOVE_ITEM below ${more} usage)
  if(more AND number IN_LIST few)
    set_property(TEST ${test} APPEND PROPERTY LABELS few_ranks)
  elseif(below AND number IN_LIST more)
    set_property(TEST ${test} APPEND PROPERTY LABELS more_ranks)
  endif()
endfunction()

# adcl_mpi_test(<target> <ranks>... [NAME name] [ARGS arg...] [TIMEOUT seconds] [LABELS label...] [ENVIRONMENT var=value...]
#               [UNDER command...] [AROUND command...] [OF rank...])
# Adds a test <name>.np<ranks> for each number of ranks (default name: the target). OF: all numbers of ranks of this test,
# if several calls add them. UNDER is a command that runs each rank;
# AROUND is a command that runs the launcher, and exits with 77 to skip the test. TIMEOUT: processor time of a rank.
function(adcl_mpi_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;TIMEOUT" "ARGS;LABELS;ENVIRONMENT;UNDER;AROUND;OF")
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
    # The launcher's time limit is shorter, because the launcher ends its ranks at its limit, but may leave them running
    # if it is killed.
    math(EXPR wall_limit "${arg_TIMEOUT} * ${adcl_wall_times}")
    math(EXPR launcher_limit "${wall_limit} - ${wall_limit} / 10")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${wall_limit} PROCESSORS ${ranks} LABELS "mpi;${arg_LABELS}"
      ENVIRONMENT "${ADCL_MPI_TEST_ENVIRONMENT};${adcl_yielding_environment};MPIEXEC_TIMEOUT=${launcher_limit};${arg_ENVIRONMENT}")
    adcl_label_ranks(${test} ${ranks} ${arg_UNPARSED_ARGUMENTS} ${arg_OF})
    if(arg_AROUND)
      set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
  endforeach()
endfunction()

# adcl_command_test(<target> <name> <exit code> <output> "<rank>..." <label> [argument...]): runs a program as a user does.
# <output> is a regular expression.
function(adcl_command_test target name code output all_ranks label)
  if(ADCL_MPI_FLAVOUR STREQUAL smpi AND "--help" IN_LIST ARGN)
    return() # The simulator handles this argument itself.
  endif()
  separate_arguments(all_ranks)
  foreach(ranks IN LISTS all_ranks)
    adcl_launch_command(launch ${ranks})
    set(command ${launch} $<TARGET_FILE:${target}> ${ARGN})
    set(test ${name}.np${ranks})
    add_test(NAME ${test} COMMAND ${adcl_processor_time} 60 ${CMAKE_COMMAND} "-DCOMMAND=${command}" -DNAME=${target}
      -DCODE=${code} "-DSAYS=${output}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/CommandTest.cmake")
    math(EXPR wall_limit "60 * ${adcl_wall_times}")
    set_tests_properties(${test} PROPERTIES TIMEOUT ${wall_limit} PROCESSORS ${ranks} LABELS "mpi;${label}"
      ENVIRONMENT "${ADCL_MPI_TEST_ENVIRONMENT};${adcl_yielding_environment};MPIEXEC_TIMEOUT=250")
    adcl_label_ranks(${test} ${ranks} usage ${all_ranks})
  endforeach()
endfunction()

# adcl_is_left_out(<variable> <source>): ON if the source's first lines exclude this MPI library.
function(adcl_is_left_out variable source)
  set(${variable} OFF PARENT_SCOPE)
  file(STRINGS "${source}" head LIMIT_COUNT 20)
  if(ADCL_MPI_FLAVOUR STREQUAL smpi AND head MATCHES "not smpi: *([^;]*)")
    message(STATUS "${source} is not run in SMPI: ${CMAKE_MATCH_1}")
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()

# Adds the tests that the first lines of a source file describe.
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
    message(FATAL_ERROR "${source}: the first lines do not specify the numbers of ranks; add '// ranks: 1 2 3'")
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
  # Open MPI 4's shared memory does not distinguish processes with the same number.
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

# adcl_strict_test(<target>): flags of test code. -O1 saves more compile time than run time costs.
function(adcl_strict_test target)
  adcl_strict(${target})
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  if(ADCL_MPI_FLAVOUR STREQUAL smpi)
    # SMPI loads a copy of the program for each rank. GCC's unique symbols, such as inline variables, would be one object.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  endif()
endfunction()

# adcl_json_test(<target>): flags of a test program that reads JSON.
function(adcl_json_test target)
  adcl_strict_test(${target})
  adcl_precompile(${target} AS adcl_json_headers)
endfunction()

# Target adcl_test_support: code shared by test programs.
function(adcl_add_test_support)
  file(GLOB support CONFIGURE_DEPENDS tests/support/*.cpp)
  list(FILTER support EXCLUDE REGEX "/json_headers.cpp$")
  add_library(adcl_test_support OBJECT ${support})
  target_include_directories(adcl_test_support PUBLIC tests)
  target_link_libraries(adcl_test_support PUBLIC adcl_objects)
  adcl_strict_test(adcl_test_support)
  adcl_precompile(adcl_test_support)
  # Precompiled headers of test programs that read JSON, most of whose compile time is that of its header.
  if(ADCL_UNITY)
    add_library(adcl_json_headers OBJECT tests/support/json_headers.cpp)
    target_link_libraries(adcl_json_headers PRIVATE adcl_mpi nlohmann_json::nlohmann_json)
    adcl_strict_test(adcl_json_headers)
    adcl_precompile(adcl_json_headers WITH mpi.h nlohmann/json.hpp)
  endif()
  if(adcl_yielding)
    add_library(adcl_yielding MODULE tests/support/yielding.c)
    set_target_properties(adcl_yielding PROPERTIES C_STANDARD 11)
    target_link_libraries(adcl_yielding PRIVATE ${CMAKE_DL_LIBS})
    adcl_strict(adcl_yielding)
  endif()
endfunction()

# adcl_google_tests(<target> <parts>): splits the cases of a GoogleTest program into <parts> tests. A process per case would
# take longer than most cases. --gtest_filter runs a single case.
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
    message(WARNING "GoogleTest was not found (Debian: libgtest-dev): the unit tests are not built")
    return()
  endif()
  # These files of the interposer are not among adcl_objects, and need nothing else.
  add_executable(unit_tests ${sources} "${PROJECT_SOURCE_DIR}/src/interpose/filters.cpp"
                            "${PROJECT_SOURCE_DIR}/src/interpose/size_class.cpp")
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
    file(STRINGS ${source} json REGEX "^#include <nlohmann/json.hpp>" LIMIT_COUNT 1)
    if(json)
      adcl_json_test(${target})
    else()
      adcl_strict_test(${target})
      adcl_precompile(${target} AS adcl_test_support)
    endif()
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

# adcl_has_defect(<variable> <program> <argument>): ON if src/codelets/collectives/call_defects.def lists this MPI library
# for the defect.
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
    return() # All ranks share one address space: a crash of one rank ends all ranks.
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
        set(seconds 1) # The test waits for a call that may never return.
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
