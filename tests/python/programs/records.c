/* Prints one record for adcl scale: the bytes of a table with an entry for each rank. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double mine = 64 + 24.0 * ranks - rank, largest = 0;
  MPI_Reduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf(
        "{\"schema\": 1, \"context\": {\"ranks\": %d}, \"function\": \"table\", \"metric\": \"memory_bytes\", "
        "\"parameters\": {\"p\": %d}, \"repetitions\": [%.0f, %.0f], \"discarded\": 0}\n",
        ranks, ranks, largest, largest);
  }
  MPI_Finalize();
  return 0;
}
