/* ranks: 2
 * arguments: alltoallw
 * Rank 1 sends two blocks to rank 0 and receives none: a graph in which a rank is a neighbor twice, and the numbers of
 * sources and destinations differ. Rank 0 receives both blocks, in any order. */
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

enum { blocks = 2, length = 3, unset = -1 };

int main(int argc, char **argv) {
  static const int repeated[blocks] = {1, 1};
  static const int zeros[blocks] = {0, 0};
  static const int weights[blocks] = {1, 1};
  const int counts[blocks] = {length, length};
  const MPI_Aint places[blocks] = {0, length * sizeof(int)};
  const MPI_Datatype types[blocks] = {MPI_INT, MPI_INT};
  int sent[blocks * length];
  int received[blocks * length];
  int rank, i;
  int wrong = 0;
  MPI_Comm graph;
  MPI_Init(&argc, &argv);
  start_watchdog();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2 || strcmp(argv[1], "alltoallw") != 0) {
    decided = 1;
    fprintf(stderr, "usage: repeated_neighbors alltoallw\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  call = "MPI_Neighbor_alltoallw";
  if (rank == 0) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, blocks, repeated, weights, 0, zeros, weights, MPI_INFO_NULL, 0,
                                   &graph);
  } else {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, repeated, weights, rank == 1 ? blocks : 0, zeros, weights,
                                   MPI_INFO_NULL, 0, &graph);
  }
  for (i = 0; i < blocks * length; ++i) {
    sent[i] = i;
    received[i] = unset;
  }
  MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
  if (MPI_Neighbor_alltoallw(sent, counts, places, types, received, counts, places, types, graph) != MPI_SUCCESS) {
    wrong = 2;
  } else if (rank == 0) {
    const int swapped = received[0] == length;
    for (i = 0; i < blocks * length; ++i) {
      if (received[i] != (swapped ? (i + length) % (blocks * length) : i)) {
        wrong = 1;
      }
    }
  }
  return verdict("rank 0 receives both blocks", wrong);
}
