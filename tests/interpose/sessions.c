/* A program that initializes MPI with MPI_Session_init only, and one that then calls MPI_Init: sessions [init].
 * Compiled without ADCL. */
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
    MPI_Bcast(&sum, 1, MPI_INT, i % size, comm);
  }
}

int main(int argc, char **argv) {
#if MPI_VERSION >= 4
  const int init = argc > 1 && strcmp(argv[1], "init") == 0;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS ||
      MPI_Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS ||
      MPI_Comm_create_from_group(group, "adcl", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) != MPI_SUCCESS) {
    return 1;
  }
  MPI_Group_free(&group);
  use(comm);
  if (init) {
    MPI_Init(&argc, &argv);
    use(MPI_COMM_WORLD);
    use(comm);
    MPI_Finalize();
    use(comm);
  }
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
#else
  MPI_Init(&argc, &argv);
  use(MPI_COMM_WORLD);
  MPI_Finalize();
#endif
  if (failures > 0) {
    fprintf(stderr, "%d failures\n", failures);
  }
  return failures > 0;
}
