/* ranks: 3
 * arguments: ireduce allreduce
 * A reduction of entries that begin before their address, by a commutative user-defined operation. The library must not
 * access memory outside of its buffers; malloc, whose blocks begin with their length, detects such accesses. */
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

enum { doubles = 3, count = 5000, repetitions = 10 };

/* An entry consists of the doubles before, at and after its address. */
static void add(void *in, void *inout, int *entries, MPI_Datatype *type) {
  const double *from = (const double *)in - 1;
  double *to = (double *)inout - 1;
  (void)type;
  for (int i = 0; i < *entries * doubles; ++i) {
    to[i] += from[i];
  }
}

int main(int argc, char **argv) {
  const int lengths[doubles] = {1, 1, 1};
  const MPI_Aint places[doubles] = {-(MPI_Aint)sizeof(double), 0, sizeof(double)};
  const MPI_Comm comm = MPI_COMM_WORLD;
  int rank, size, wrong = 0;
  MPI_Datatype three;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "ireduce";
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Type_create_hindexed(doubles, lengths, places, MPI_DOUBLE, &three);
  MPI_Type_commit(&three);
  MPI_Op_create(add, 1, &op);
  for (int n = 0; n < repetitions; ++n) {
    const int all = doubles * count;
    double *out = malloc((size_t)all * sizeof *out);
    double *in = calloc((size_t)all, sizeof *in);
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < all; ++i) {
      out[i] = (double)(rank + 1) * (i % 100);
    }
    if (strcmp(call, "ireduce") == 0) {
      MPI_Ireduce(out + 1, in + 1, count, three, op, 0, comm, &request);
    } else if (strcmp(call, "allreduce") == 0) {
      MPI_Allreduce(out + 1, in + 1, count, three, op, comm);
    } else {
      return 2;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < all && (rank == 0 || strcmp(call, "allreduce") == 0); ++i) {
      wrong |= in[i] != (double)(size * (size + 1) / 2) * (i % 100);
    }
    free(in);
    free(out);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&three);
  return verdict("the sum is right, and the program's memory is intact", wrong);
}
