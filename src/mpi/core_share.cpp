#include "mpi/core_share.hpp"

#include <mpi.h>
#include <sched.h>

namespace adcl::mpi {

double yield_core_s() {
  const double begin_s = MPI_Wtime();
  sched_yield();
  return MPI_Wtime() - begin_s;
}

}  // namespace adcl::mpi
