/* ranks: 4
 * arguments: message scatter iscatter gather igather
 * Entries are C structures of an int and a double, sent as MPI_PACKED, which matches every datatype of the receiver. A
 * long message is reported as truncated: it arrives in fragments that end within a double, and the receiver unpacks
 * only whole doubles. MPI_Scatter and MPI_Gather send packed messages internally. Nonblocking calls lose the error. */
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

struct entry {
  int number;
  double value;
};
enum { most_bytes = 1 << 20 };

static MPI_Datatype type_of_entry(void) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, sizeof(double)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type, entry;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_create_resized(type, 0, sizeof(struct entry), &entry);
  MPI_Type_commit(&entry);
  return entry;
}

static int as_expected(const struct entry *entries, int count, int first) {
  for (int i = 0; i < count; ++i) {
    if (entries[i].number != first + i || entries[i].value != 0.5 * (first + i)) {
      return 0;
    }
  }
  return 1;
}

int main(int argc, char **argv) {
  static struct entry all[4 * most_bytes / sizeof(struct entry)], mine[4 * most_bytes / sizeof(struct entry)];
  static char packed[most_bytes];
  int rank, size, code = MPI_SUCCESS, wrong = 0;
  MPI_Datatype entry;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  start_watchdog();
  call = argc > 1 ? argv[1] : "message";
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  entry = type_of_entry();
  for (int count = 100; count <= 12800 && wrong == 0; count *= 2) {
    MPI_Request request = MPI_REQUEST_NULL;
    int failed, written = 0;
    for (int i = 0; i < size * count; ++i) {
      all[i].number = i;
      all[i].value = 0.5 * i;
    }
    memset(mine, 0, sizeof mine);
    if (strcmp(call, "message") == 0 && rank == 0) {
      MPI_Pack(all + count, count, entry, packed, most_bytes, &written, comm);
      code = MPI_Send(packed, written, MPI_PACKED, 1, 0, comm);
    } else if (strcmp(call, "message") == 0) {
      code = rank == 1 ? MPI_Recv(mine, count, entry, 0, 0, comm, MPI_STATUS_IGNORE) : MPI_SUCCESS;
    } else if (strcmp(call, "scatter") == 0) {
      code = MPI_Scatter(all, count, entry, mine, count, entry, 0, comm);
    } else if (strcmp(call, "iscatter") == 0) {
      code = MPI_Iscatter(all, count, entry, mine, count, entry, 0, comm, &request);
    } else if (strcmp(call, "gather") == 0) {
      code = MPI_Gather(all + rank * count, count, entry, mine, count, entry, 0, comm);
    } else if (strcmp(call, "igather") == 0) {
      code = MPI_Igather(all + rank * count, count, entry, mine, count, entry, 0, comm, &request);
    } else {
      return 2;
    }
    code = code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
    if (code != MPI_SUCCESS) {
      wrong = 2;
    } else if (strstr(call, "gather") != NULL) {
      wrong = rank == 0 && !as_expected(mine, size * count, 0);
    } else if (strcmp(call, "message") != 0 || rank == 1) {
      wrong = !as_expected(mine, count, rank * count);
    }
    MPI_Allreduce(&wrong, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed != 0 && rank == 0) {
      printf("with %d entries of %d bytes:\n", count, (int)sizeof(struct entry));
    }
    wrong = failed;
  }
  return verdict("entries of an int and a double arrive", wrong);
}
