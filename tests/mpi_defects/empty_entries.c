/* ranks: 3
 * arguments: ialltoallv gatherv igatherv scatterv iscatterv allgatherv bcast ibcast
 * One side of a message has the count 0 of MPI_INT, the other side the count 3 of an empty datatype. Both type
 * signatures are empty, so the call is legal and transfers nothing. A library hangs if it decides by the count on one
 * side, and by the number of bytes on the other side, whether to omit the message. */
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

int main(int argc, char **argv) {
  static const int zero[64], three[64] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, places[64];
  int rank, data[4] = {0}, other[4] = {0};
  MPI_Datatype empty;
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "ialltoallv";
  MPI_Comm_rank(comm, &rank);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  if (strcmp(call, "ialltoallv") == 0) {
    MPI_Ialltoallv(data, zero, places, MPI_INT, other, three, places, empty, comm, &request);
  } else if (strcmp(call, "gatherv") == 0) {
    MPI_Gatherv(data, 0, MPI_INT, other, three, places, empty, 0, comm);
  } else if (strcmp(call, "igatherv") == 0) {
    MPI_Igatherv(data, 0, MPI_INT, other, three, places, empty, 0, comm, &request);
  } else if (strcmp(call, "scatterv") == 0) {
    MPI_Scatterv(data, zero, places, MPI_INT, other, 3, empty, 0, comm);
  } else if (strcmp(call, "iscatterv") == 0) {
    MPI_Iscatterv(data, zero, places, MPI_INT, other, 3, empty, 0, comm, &request);
  } else if (strcmp(call, "allgatherv") == 0) {
    MPI_Allgatherv(data, 0, MPI_INT, other, three, places, empty, comm);
  } else if (strcmp(call, "bcast") == 0) {
    MPI_Bcast(data, rank == 0 ? 0 : 3, rank == 0 ? MPI_INT : empty, 0, comm);
  } else if (strcmp(call, "ibcast") == 0) {
    MPI_Ibcast(data, rank == 0 ? 0 : 3, rank == 0 ? MPI_INT : empty, 0, comm, &request);
  } else {
    return 2;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return verdict("a call without data returns", 0);
}
