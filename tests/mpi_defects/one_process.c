/* ranks: 1
 * arguments: alltoallw allgatherv iallgatherv
 * A collective call of one process stores its block at the displacement: in bytes for MPI_Alltoallw, in extents of the
 * datatype for MPI_Allgatherv. */
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

enum { entries = 2, length = 24, middle = 10 };

int main(int argc, char **argv) {
  static const int places[] = {3, -3};
  const int count = entries;
  const MPI_Datatype type = MPI_INT;
  const MPI_Comm comm = MPI_COMM_SELF;
  int wrong = 0;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "alltoallw";
  for (int i = 0; i < 2; ++i) {
    int out[length], in[length], expected[length];
    const int place = places[i];
    const int zero = 0;
    const int place_bytes = place * (int)sizeof(int);
    MPI_Request request = MPI_REQUEST_NULL;
    for (int k = 0; k < length; ++k) {
      out[k] = k;
      in[k] = expected[k] = -1;
    }
    for (int k = 0; k < entries; ++k) {
      expected[middle + place + k] = out[middle + k];
    }
    if (strcmp(call, "alltoallw") == 0) {
      MPI_Alltoallw(out + middle, &count, &zero, &type, in + middle, &count, &place_bytes, &type, comm);
    } else if (strcmp(call, "allgatherv") == 0) {
      MPI_Allgatherv(out + middle, count, type, in + middle, &count, &place, type, comm);
    } else if (strcmp(call, "iallgatherv") == 0) {
      MPI_Iallgatherv(out + middle, count, type, in + middle, &count, &place, type, comm, &request);
    } else {
      return 2;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong |= memcmp(in, expected, sizeof in) != 0;
  }
  return verdict("the block is at its displacement, and nothing else is written", wrong);
}
