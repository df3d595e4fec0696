// Interceptors of MPI initialization and finalization in C.
#include <mpi.h>

#include "profile/calls.hpp"
#include "profile/write.hpp"

using adcl::profile::begin_profile;
using adcl::profile::write_profile;

extern "C" {

ADCL_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  begin_profile();
  return code;
}

ADCL_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  begin_profile();
  return code;
}

ADCL_EXPORT int MPI_Finalize(void) {
  write_profile();
  return PMPI_Finalize();
}

}  // extern "C"
