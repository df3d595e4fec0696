/* Preloaded behind the interposer: the MPI library's MPI_Alltoall and MPI_Wtime, with times that a program sets. */
#include <mpi.h>

#include "planted.h"

struct adcl_slow_mpi adcl_slow_mpi_state;

__attribute__((visibility("default"))) double MPI_Wtime(void) { return adcl_slow_mpi_state.clock_s; }

__attribute__((visibility("default"))) int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                                        MPI_Comm comm) {
  ++adcl_slow_mpi_state.alltoall_calls;
  adcl_slow_mpi_state.clock_s += adcl_slow_mpi_state.alltoall_s;
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
