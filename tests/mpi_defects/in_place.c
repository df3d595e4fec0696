/* ranks: 3
 * arguments: reduce
 * MPI_Reduce with MPI_IN_PLACE at a root that is not rank 0. */
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

enum { integers = 3000 };

static int reduce(MPI_Comm comm, int rank, int size) {
  static int data[integers];
  int code, wrong = 0;
  const int root = size - 1;
  for (int i = 0; i < integers; ++i) {
    data[i] = rank + i;
  }
  code = rank == root ? MPI_Reduce(MPI_IN_PLACE, data, integers, MPI_INT, MPI_SUM, root, comm)
                      : MPI_Reduce(data, NULL, integers, MPI_INT, MPI_SUM, root, comm);
  for (int i = 0; i < integers && rank == root; ++i) {
    wrong |= data[i] != size * i + size * (size - 1) / 2;
  }
  return code != MPI_SUCCESS ? 2 : wrong;
}

int main(int argc, char **argv) {
  int rank, size, wrong = 0;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "reduce";
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int n = 0; n < 5 && wrong == 0; ++n) {
    int any;
    wrong = reduce(comm, rank, size);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    wrong = any;
  }
  return verdict("the call in place gives the result of the call with two arrays", wrong);
}
