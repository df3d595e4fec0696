/* Preloaded behind the interposer: the MPI library's MPI_Alltoall, with additional seconds. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

#include "planted.h"

__attribute__((visibility("default"))) struct adcl_slow_mpi adcl_slow_mpi_state;

__attribute__((visibility("default"))) int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                                        MPI_Comm comm) {
  const double seconds = adcl_slow_mpi_state.alltoall_s;
  const struct timespec time = {0, (long)(1e9 * seconds)};
  ++adcl_slow_mpi_state.alltoall_calls;
  if (seconds > 0.0) {
    nanosleep(&time, NULL);
  }
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
