/* Program for the tests of adcl tune run: prints the time of an exchange, or misbehaves in the way that the first
 * argument selects. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const int bytes = argc > 2 ? atoi(argv[2]) : 1024;
  const int repetitions = argc > 3 ? atoi(argv[3]) : 10;
  if (strcmp(mode, "no-mpi") == 0) {
    printf("Time in seconds = 1\n");
    return 0;
  }
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "hang") == 0 && rank == size - 1) {
    for (;;) {
      pause();
    }
  }
  if (strcmp(mode, "crash") == 0 && rank == size - 1) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  char* out = calloc((size_t)bytes, 1);
  char* in = calloc((size_t)bytes, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < repetitions; ++i) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, bytes, MPI_CHAR, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const double mine = MPI_Wtime() - begin;
  double seconds = 0.0;
  MPI_Reduce(&mine, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (strcmp(mode, "garbage") == 0) {
      printf("Time in seconds = \xff\xfe soon\n");
    } else if (strcmp(mode, "silent") != 0) {
      printf("Time in seconds = %.9f\n", seconds);
    }
    printf(strcmp(mode, "wrong") == 0 ? "VERIFICATION FAILED\n" : "VERIFICATION SUCCESSFUL\n");
  }
  free(out);
  free(in);
  if (strcmp(mode, "exit") == 0) {
    fprintf(stderr, "tuned: no mesh\n");
  }
  MPI_Finalize();
  return strcmp(mode, "exit") == 0 ? 3 : 0;
}
