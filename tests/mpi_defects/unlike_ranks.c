/* ranks: 3
 * arguments: extents entries allgather
 * Ranks gather the same integers with different datatypes. Type signatures are equal, so the calls are legal.
 * extents: MPI_Allgatherv, each rank receives into entries of its own extent.
 * entries: MPI_Allgatherv, entries have one or two integers, different on both sides and on adjacent ranks.
 * allgather: MPI_Allgather, ranks send one entry of many integers and receive integers. */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *call = "";
static int decided = 0;

static void print(const char *text) {
  if (write(STDOUT_FILENO, text, strlen(text)) < 0) {
    _exit(2);
  }
}

/* Exit handler: reports that the library ended the program instead of returning an error. */
static void report_exit(void) {
  if (!decided) {
    print(call);
    print(" ended the program\nDEFECT PRESENT\n");
  }
}

/* Signal handler: reports a call that does not return (alarm) or a crash. */
static void report_signal(int signal_number) {
  print(call);
  print(signal_number == SIGALRM ? " does not return\n" : " crashed\n");
  print("DEFECT PRESENT\n");
  _exit(1);
}

static void start_watchdog(void) {
  const char *seconds = getenv("DEFECT_SECONDS");
  atexit(report_exit);
  signal(SIGALRM, report_signal);
  signal(SIGSEGV, report_signal);
  signal(SIGBUS, report_signal);
  signal(SIGABRT, report_signal);
  alarm(seconds != NULL ? (unsigned)atoi(seconds) : 10);
}

/* Combines the results of all ranks, prints the verdict and ends the program. */
static int verdict(const char *requirement, int wrong) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int rank, length, any;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\r\n")] = '\0';
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  decided = 1;
  if (rank == 0) {
    printf("MPI requires: %s\n%s: %s\n%s\n", requirement, version,
           any == 0 ? "as required" : (any == 1 ? "the data are wrong" : "the call returned an error"),
           any == 0 ? "defect absent" : "DEFECT PRESENT");
    fflush(stdout);
  }
  if (any != 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(1);
  }
  MPI_Finalize();
  return 0;
}

enum { most_ranks = 16 };

static MPI_Datatype strided(int ints, int stride) {
  MPI_Datatype vector, type;
  MPI_Type_vector(ints, 1, stride, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, (MPI_Aint)sizeof(int) * (ints * stride + (stride > 1 ? 1 : 0)), &type);
  MPI_Type_commit(&type);
  return type;
}

/* Integer number i of an array of entries with `ints` integers at distance `stride`. */
static int *at(int *array, int ints, int stride, int i) {
  return array + i / ints * (ints * stride + (stride > 1 ? 1 : 0)) + i % ints * stride;
}

/* All ranks gather `integers` integers from each rank. */
static int gather(MPI_Comm comm, int integers) {
  int rank, size, code, wrong = 0, counts[most_ranks], places[most_ranks];
  int out_ints = 1, out_stride = 2, in_ints = 1, in_stride = 2;
  int *out, *in;
  MPI_Datatype out_type, in_type;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (strcmp(call, "extents") == 0) {
    in_ints = 3;
    in_stride = 1 + rank % 2;
  } else if (strcmp(call, "entries") == 0) {
    out_ints = rank % 2 != 0 ? 2 : 1;
    in_ints = rank % 2 != 0 ? 1 : 2;
  } else {
    out_ints = integers;
    out_stride = in_stride = 1;
  }
  out_type = strided(out_ints, out_stride);
  in_type = strided(in_ints, in_stride);
  out = malloc((size_t)integers * 4 * sizeof(int));
  in = calloc((size_t)integers * 4 * (size_t)size, sizeof(int));
  for (int i = 0; i < integers; ++i) {
    *at(out, out_ints, out_stride, i) = 1000000 * rank + i;
  }
  for (int i = 0; i < size; ++i) {
    counts[i] = integers / in_ints;
    places[i] = i * counts[i];
  }
  if (strcmp(call, "allgather") == 0) {
    code = MPI_Allgather(out, integers / out_ints, out_type, in, counts[0], in_type, comm);
  } else {
    code = MPI_Allgatherv(out, integers / out_ints, out_type, in, counts, places, in_type, comm);
  }
  for (int i = 0; i < size * integers && code == MPI_SUCCESS; ++i) {
    wrong |= *at(in, in_ints, in_stride, i) != 1000000 * (i / integers) + i % integers;
  }
  free(out);
  free(in);
  MPI_Type_free(&out_type);
  MPI_Type_free(&in_type);
  return code != MPI_SUCCESS ? 2 : wrong;
}

int main(int argc, char **argv) {
  int wrong = 0;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "extents";
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int integers = 12; integers <= 12000 && wrong == 0; integers *= 10) {
    int any;
    wrong = gather(comm, integers);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    wrong = any;
  }
  return verdict("all ranks receive the integers of all ranks", wrong);
}
