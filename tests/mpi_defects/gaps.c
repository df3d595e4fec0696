/* ranks: 4
 * arguments: reduce_scatter reduce
 * A reduction of entries with a gap by a user-defined operation must not modify the gaps of the receive array, or
 * adjacent memory. reduce_scatter: MPI_Reduce_scatter_block with a non-commutative operation.
 * reduce: MPI_Reduce with a commutative operation. */
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

enum { count = 10, stride = 3, guard = 64, most = 2 * guard + 16 * count * stride };

static void add(void *in, void *inout, int *entries, MPI_Datatype *type) {
  const int *from = in;
  int *to = inout;
  (void)type;
  for (int i = 0; i < *entries; ++i) {
    to[i * stride] += from[i * stride];
  }
}

int main(int argc, char **argv) {
  static int out[most], in[most], expected[most];
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank, size, first, gets, wrong;
  MPI_Datatype entry;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "reduce_scatter";
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Type_create_resized(MPI_INT, 0, stride * (MPI_Aint)sizeof(int), &entry);
  MPI_Type_commit(&entry);
  MPI_Op_create(add, strcmp(call, "reduce") == 0, &op);
  for (int i = 0; i < most; ++i) {
    out[i] = -2;
    in[i] = expected[i] = -1;
  }
  for (int i = 0; i < size * count; ++i) {
    out[guard + i * stride] = rank + i;
  }
  first = strcmp(call, "reduce") == 0 ? 0 : rank * count;
  gets = strcmp(call, "reduce") != 0 || rank == 0;
  for (int i = 0; i < count && gets; ++i) {
    expected[guard + i * stride] = size * (first + i) + size * (size - 1) / 2;
  }
  if (strcmp(call, "reduce") == 0) {
    MPI_Reduce(out + guard, in + guard, count, entry, op, 0, comm);
  } else if (strcmp(call, "reduce_scatter") == 0) {
    MPI_Reduce_scatter_block(out + guard, in + guard, count, entry, op, comm);
  } else {
    return 2;
  }
  wrong = memcmp(in, expected, sizeof in) != 0;
  MPI_Op_free(&op);
  MPI_Type_free(&entry);
  return verdict("the entries have the result, and nothing else is written", wrong);
}
