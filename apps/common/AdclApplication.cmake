# adcl_application(<name> <source>...): the application <name> of main.* and the sources, with what all applications share
# (app.h), and tests/*.cpp and *.f90, one program for each. Part of ADCL's build, or on its own against an installed ADCL:
# cmake -S apps/<name> -B build/<name> -DCMAKE_PREFIX_PATH=...
function(adcl_application name)
  set(common "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  if(NOT TARGET MPI::MPI_C)
    find_package(MPI 3.0 REQUIRED COMPONENTS C)
  endif()
  if(NOT TARGET nlohmann_json::nlohmann_json)
    find_package(nlohmann_json 3.7 REQUIRED)
  endif()
  if(NOT TARGET adcl::adcl)
    find_package(adcl REQUIRED)
  endif()
  if(NOT TARGET adcl_app)
    add_library(adcl_app OBJECT ${common}/app_exchange.cpp ${common}/app_options.cpp ${common}/app_report.cpp
                ${common}/adcl_requests.cpp ${common}/progress_bar.cpp ${common}/tuning.cpp)
    target_include_directories(adcl_app PUBLIC "${common}/..")
    target_link_libraries(adcl_app PUBLIC adcl::adcl MPI::MPI_C PRIVATE nlohmann_json::nlohmann_json)
    target_compile_features(adcl_app PUBLIC cxx_std_20)
    target_compile_definitions(adcl_app PUBLIC OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
    set(shared adcl_app)
  endif()
  # Static: CMake does not look for the modules of object libraries when it decides what to compile anew.
  add_library(${name}_core STATIC ${ARGN})
  target_include_directories(${name}_core PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${name}_core PUBLIC adcl_app m)
  # Contraction to fused multiply-adds would let a point's result depend on the loop that computes it.
  target_compile_options(${name}_core PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> -ffp-contract=off)
  file(GLOB main "${CMAKE_CURRENT_SOURCE_DIR}/main.*")
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${name}_core adcl_app)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(targets ${shared} ${name}_core ${name})
  if(BUILD_TESTING AND COMMAND adcl_mpi_tests_of AND (NOT DEFINED ADCL_TESTS OR ADCL_TESTS))
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/*.cpp"
         "${CMAKE_CURRENT_SOURCE_DIR}/tests/*.f90")
    foreach(source IN LISTS sources)
      cmake_path(GET source STEM test)
      add_executable(${name}_${test} ${source})
      target_link_libraries(${name}_${test} PRIVATE ${name}_core adcl_app)
      # Few measurements per codelet: MPI libraries that spin are slow with more ranks than cores.
      adcl_mpi_tests_of(${name}_${test} ${source} LABELS application ENVIRONMENT "ADCL_MEASUREMENTS=2;ADCL_SEARCH=racing")
      set_target_properties(${name}_${test} PROPERTIES LINKER_LANGUAGE CXX)
      list(APPEND targets ${name}_${test})
    endforeach()
  endif()
  if(COMMAND adcl_strict)
    foreach(target IN LISTS targets)
      adcl_strict(${target})
    endforeach()
  endif()
endfunction()

# adcl_application_test(<name> <test> <exit code> <what it says> "<rank>..." [argument...]): the program as a user starts it.
function(adcl_application_test name test code says all_ranks)
  if(COMMAND adcl_command_test AND BUILD_TESTING AND (NOT DEFINED ADCL_TESTS OR ADCL_TESTS))
    adcl_command_test(${name} ${name}_${test} ${code} "${says}" "${all_ranks}" application ${ARGN})
  endif()
endfunction()

# adcl_application_usage_tests(<name>): what is the same in all of them.
function(adcl_application_usage_tests name)
  adcl_application_test(${name} unknown_option 2 "there is no option '--bogus'" "1 3" --bogus)
  adcl_application_test(${name} bad_exchange 2 "--exchange wants one of adcl, adcl-fields, plain, plain-fields" "1"
                        --exchange x)
  adcl_application_test(${name} bad_overlap 2 "goes with --exchange adcl and adcl-fields, not with plain" "1"
                        --exchange plain --overlap start_overlap)
  adcl_application_test(${name} bad_file 2 "cannot write to" "1 3" --json ${CMAKE_CURRENT_BINARY_DIR}/no/such/x.json)
  adcl_application_test(${name} help 0 "usage: mpirun" "1 3" --help)
endfunction()
