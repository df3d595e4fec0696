/* A preloaded tool that makes MPI_Allreduce slow, so that codelets are faster. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  usleep(2000);
  return PMPI_Allreduce(in, out, n, type, op, comm);
}
