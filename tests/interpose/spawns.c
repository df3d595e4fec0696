/* A program that starts further processes (MPI_Comm_spawn) and calls collectives with them. Ends with 77 if the MPI
 * library cannot start processes here. Compiled without ADCL. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void use(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < 100; ++i) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures += sum != size * (size - 1) / 2;
  }
}

int main(int argc, char **argv) {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  int total = 0;
  const int one = 1;
  MPI_Init(&argc, &argv);
  /* MPI_Comm_spawn of Intel MPI's package on PyPI crashes. */
  MPI_Get_library_version(version, &length);
  if (strstr(version, "Intel") != NULL) {
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_get_parent(&parent);
  use(MPI_COMM_WORLD);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE) !=
        MPI_SUCCESS) {
      MPI_Finalize();
      return 77;
    }
  } else {
    inter = parent;
  }
  for (int i = 0; i < 50; ++i) {
    int others = 0;
    MPI_Comm_remote_size(inter, &others);
    MPI_Allreduce(&one, &total, 1, MPI_INT, MPI_SUM, inter);
    failures += total != others;
  }
  MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &all);
  use(all);
  MPI_Comm_free(&all);
  use(MPI_COMM_WORLD);
  MPI_Comm_disconnect(&inter);
  MPI_Finalize();
  if (failures > 0) {
    fprintf(stderr, "%d failures\n", failures);
  }
  return failures > 0;
}
