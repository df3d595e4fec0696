/* Programs that end early: endings killed|aborts|after_finalize|twice. Compiled without ADCL. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void exchange(int size, int times) {
  int in[64] = {0};
  int out[64] = {0};
  const int n = 64 / size;
  for (int i = 0; i < times; ++i) {
    MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  const char *const ending = argc > 1 ? argv[1] : "";
  int rank = 0;
  int size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exchange(size, 50); /* a search has begun */
  if (strcmp(ending, "killed") == 0) {
    if (rank == size - 1) {
      raise(SIGKILL);
    }
    exchange(size, 100000);
    sleep(100);
  } else if (strcmp(ending, "aborts") == 0) {
    if (rank == 0) {
      MPI_Abort(MPI_COMM_WORLD, 42);
    }
    exchange(size, 100000);
    sleep(100);
  } else if (strcmp(ending, "twice") == 0) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    exchange(size, 50);
  }
  MPI_Finalize();
  if (strcmp(ending, "after_finalize") == 0) {
    exchange(size, 1);
  }
  printf("the end\n");
  return 0;
}
