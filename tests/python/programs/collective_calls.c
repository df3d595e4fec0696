/* collective_calls OPERATION BYTES: calls a collective once with blocks of BYTES bytes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank, size, counts[64], displs[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *operation = argv[1];
  const int bytes = argc > 2 ? atoi(argv[2]) : 0;
  const size_t room = (size_t)bytes * (size_t)size + 1;
  char *send = calloc(room, 1);
  char *receive = calloc(room, 1);
  for (int r = 0; r < size; ++r) {
    counts[r] = bytes;
    displs[r] = r * bytes;
  }
  if (strcmp(operation, "allgather") == 0) {
    MPI_Allgather(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, MPI_COMM_WORLD);
  } else if (strcmp(operation, "allgatherv") == 0) {
    MPI_Allgatherv(send, bytes, MPI_CHAR, receive, counts, displs, MPI_CHAR, MPI_COMM_WORLD);
  } else if (strcmp(operation, "alltoall") == 0) {
    MPI_Alltoall(send, bytes, MPI_CHAR, receive, bytes, MPI_CHAR, MPI_COMM_WORLD);
  } else if (strcmp(operation, "bcast") == 0) {
    MPI_Bcast(send, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  } else if (strcmp(operation, "allreduce") == 0) {
    MPI_Allreduce(send, receive, bytes, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
  }
  free(send);
  free(receive);
  MPI_Finalize();
  return 0;
}
