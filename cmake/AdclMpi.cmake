# Finds MPI and determines its flavor from the library's version string, not from the name of a compiler wrapper.
#   ADCL_MPI_FLAVOUR     openmpi4, openmpi (5 or later), mpich, impi, smpi or unknown
#   adcl_mpi_version     first line of the version string; "SimGrid SMPI" for the simulator
#   ADCL_MPI_STANDARD_ABI  ON: built for the ABI of MPI 5.0; programs run with every library that supports it
#   ADCL_MPI_ENVIRONMENT NAME=value settings that the launcher needs on this machine
#   ADCL_MPI_TEST_ENVIRONMENT like ADCL_MPI_ENVIRONMENT, for tests, which are short programs on this machine
#   ADCL_HAVE_FORTRAN    ON: there are a Fortran compiler and MPI's modules mpi and mpi_f08 for it
#   adcl_mpi             target: MPI for C and C++ sources, without MPI's former C++ bindings
#   adcl_launch_command(<variable> <ranks>)  the launcher's command line for this number of ranks
#   <build folder>/launch <ranks> <program> [<argument>...]  script with this command line, for users and scripts

set(MPI_DETERMINE_LIBRARY_VERSION ON)
find_package(MPI 3.0 REQUIRED COMPONENTS C)
set(ADCL_HAVE_FORTRAN OFF)
if(ADCL_HAVE_FORTRAN_COMPILER)
  find_package(MPI 3.0 OPTIONAL_COMPONENTS Fortran)
  if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F90_MODULE AND MPI_Fortran_HAVE_F08_MODULE)
    set(ADCL_HAVE_FORTRAN ON)
  else()
    message(STATUS "This MPI has no Fortran interface for ${CMAKE_Fortran_COMPILER}: ADCL's is not built")
  endif()
endif()

add_library(adcl_mpi INTERFACE)
target_link_libraries(adcl_mpi INTERFACE MPI::MPI_C)
target_compile_definitions(adcl_mpi INTERFACE $<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX=1>
                                              $<$<COMPILE_LANGUAGE:CXX>:MPICH_SKIP_MPICXX=1>)

set(version_text "${MPI_C_LIBRARY_VERSION_STRING}")
if(NOT version_text)
  # Programs of SMPI run only in its simulator, so there is no version string. Check the header instead.
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_c_source_compiles("#include <mpi.h>
    #ifndef SMPI_H
    #error not SMPI
    #endif
    int main(void) { return 0; }" ADCL_MPI_IS_SMPI)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(ADCL_MPI_IS_SMPI)
  set(ADCL_MPI_FLAVOUR smpi)
  set(version_text "SimGrid SMPI")
elseif(version_text MATCHES "Open MPI v([0-9]+)")
  if(CMAKE_MATCH_1 LESS 5)
    set(ADCL_MPI_FLAVOUR openmpi4)
  else()
    set(ADCL_MPI_FLAVOUR openmpi)
  endif()
elseif(version_text MATCHES "Intel")
  set(ADCL_MPI_FLAVOUR impi)
elseif(version_text MATCHES "MPICH")
  set(ADCL_MPI_FLAVOUR mpich)
else()
  set(ADCL_MPI_FLAVOUR unknown)
endif()
string(REGEX REPLACE "[\r\n].*" "" adcl_mpi_version "${version_text}")
string(REGEX REPLACE "[ \t]+" " " adcl_mpi_version "${adcl_mpi_version}")
message(STATUS "MPI library: ${ADCL_MPI_FLAVOUR} (${adcl_mpi_version})")
set(ADCL_MPI_STANDARD_ABI OFF)
if("${MPI_C_LIBRARIES}" MATCHES "mpi_abi")
  set(ADCL_MPI_STANDARD_ABI ON)
endif()

# Open MPI 5 supports partitioned communication, but declares MPI 3.1. Therefore test whether a program links.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_c_source_compiles("#include <mpi.h>
  int main(void) {
    MPI_Request request;
    return MPI_Psend_init(0, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request) + MPI_Pready_range(0, 0, request);
  }" ADCL_HAVE_PARTITIONED)
# The same holds for persistent collectives. Those of MPICH 4.0 and 4.1 compute wrong results (pmodels/mpich#7078).
check_c_source_compiles("#include <mpi.h>
  #if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40300000
  #error wrong results
  #endif
  int main(void) {
    MPI_Request request;
    return MPI_Bcast_init(0, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }" ADCL_HAVE_PERSISTENT_COLLECTIVES)
unset(CMAKE_REQUIRED_LIBRARIES)
if(ADCL_HAVE_PARTITIONED)
  target_compile_definitions(adcl_mpi INTERFACE ADCL_HAVE_PARTITIONED=1)
endif()

set(ADCL_MPI_ENVIRONMENT)
set(ADCL_MPI_TEST_ENVIRONMENT)
set(adcl_launch_flags)
set(adcl_sharing_flags)
if(ADCL_MPI_FLAVOUR MATCHES "^openmpi")
  # Allow more ranks than cores, and root (in containers).
  set(adcl_launch_flags --oversubscribe)
  # Waiting ranks yield their core. Without binding, concurrent tests do not all use the first cores.
  set(adcl_sharing_flags --mca mpi_yield_when_idle 1 --bind-to none)
  set(ADCL_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1
                           PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
                           # After an error, do not wait a second for each process of the job.
                           OMPI_MCA_odls_base_sigkill_timeout=0)
  if(ADCL_MPI_FLAVOUR STREQUAL openmpi4)
    # Two libraries for rare networks calibrate the clock for 0.1 s each when they are loaded, which dominates the time
    # of MPI_Init. Tests run on one machine and do not use them. They also have too few processes to need PMIx's shared
    # file.
    set(ADCL_MPI_TEST_ENVIRONMENT OMPI_MCA_mtl=^psm,psm2,ofi PMIX_MCA_gds=hash)
  endif()
  # The UCX component cannot create a window on one rank in Open MPI 4, and prints a warning for each window in Open MPI 5.
  list(APPEND adcl_launch_flags --mca osc ^ucx)
elseif(ADCL_MPI_FLAVOUR STREQUAL impi)
  # I_MPI_ROOT: folder of the launcher's programs. I_MPI_THREAD_YIELD: waiting ranks yield their core.
  cmake_path(GET MPIEXEC_EXECUTABLE PARENT_PATH impi_root)
  cmake_path(GET impi_root PARENT_PATH impi_root)
  set(ADCL_MPI_ENVIRONMENT "I_MPI_ROOT=${impi_root}" I_MPI_THREAD_YIELD=2)
elseif(ADCL_MPI_FLAVOUR STREQUAL smpi)
  set(adcl_launch_flags -platform "${PROJECT_SOURCE_DIR}/testbed/smpi/cluster.xml"
                        -hostfile "${PROJECT_SOURCE_DIR}/testbed/smpi/cluster.hosts"
                        --cfg=smpi/host-speed:1Gf --log=root.thres:warning
                        # Do not log errors that a call returns, and calls of MPI_Win_sync, which does nothing in SMPI.
                        --log=smpi_mpi.thres:error --log=smpi_pmpi.thres:error)
  set(MPIEXEC_NUMPROC_FLAG -np)
endif()

list(APPEND ADCL_MPI_TEST_ENVIRONMENT ${ADCL_MPI_ENVIRONMENT})

function(adcl_launch_command variable ranks)
  set(${variable} ${MPIEXEC_EXECUTABLE} ${adcl_launch_flags} ${adcl_sharing_flags} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                  ${MPIEXEC_PREFLAGS} PARENT_SCOPE)
endfunction()

# Benches, demos and users start programs with the script `launch`. Ranks yield cores only if there are more ranks than
# cores.
set(launch_words ${MPIEXEC_EXECUTABLE} ${adcl_launch_flags})
list(TRANSFORM launch_words APPEND "'")
list(TRANSFORM launch_words PREPEND "'")
list(JOIN launch_words " " launch_words)
list(JOIN adcl_sharing_flags " " sharing_words)
set(launch_environment ${ADCL_MPI_ENVIRONMENT})
list(TRANSFORM launch_environment PREPEND "export ")
list(JOIN launch_environment "\n" launch_environment)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/launch" @ONLY CONTENT [[#!/bin/sh
# Usage: launch <ranks> <program> [<argument>...]
@launch_environment@
sharing=
[ "$1" -le "$(nproc)" ] || sharing="@sharing_words@"
exec @launch_words@ $sharing @MPIEXEC_NUMPROC_FLAG@ "$@"
]])
file(CHMOD "${PROJECT_BINARY_DIR}/launch" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
     WORLD_READ WORLD_EXECUTE)
