/* Program for the tests of adcl.launch: the first argument selects the behavior of the ranks. The last rank
 * misbehaves. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forever(void) {
  for (;;) {
    pause();
  }
}

static void flood(long lines) {
  for (long line = 0; line < lines; ++line) {
    printf("out %09ld\n", line);
    fprintf(stderr, "err %09ld\n", line);
  }
}

static void copy_input(void) {
  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    printf("in: %s", line);
  }
}

/* Starts a process that detaches from its parent, session and environment, and ignores termination signals. */
static void leave_daemon(void) {
  if (fork() == 0) {
    signal(SIGTERM, SIG_IGN);
    setsid();
    for (int descriptor = 0; descriptor < 1024; ++descriptor) {
      close(descriptor);
    }
    if (fork() == 0) {
      char* const arguments[] = {"sleep", "617", NULL};
      char* const environment[] = {NULL};
      execve("/bin/sleep", arguments, environment);
    }
    _exit(0);
  }
}

/* The last rank receives a message of 32 KB a while after rank 0 has sent it, and prints how long the receive took. */
static void receive_late(int rank, int last) {
  static char message[32768];
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(message, (int)sizeof message, MPI_BYTE, last, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == last) {
    usleep(10000);
    const double begin = MPI_Wtime();
    MPI_Recv(message, (int)sizeof message, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("waited %.9f s\n", MPI_Wtime() - begin + 1e-6);
  }
}

/* Writes the line in one piece: a launcher may mix pieces of several ranks. */
static void show_variable(int rank, const char* name) {
  char shown[256] = "(unset)";
  const char* value = getenv(name);
  if (value != NULL) {
    size_t length = 0;
    for (; *value != '\0' && length + 3 < sizeof shown; ++value) {
      if (*value == '\n') {
        shown[length++] = '\\';
      }
      shown[length++] = *value == '\n' ? 'n' : *value;
    }
    shown[length] = '\0';
  }
  printf("rank %d: %s=[%s]\n", rank, name, shown);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(mode, "stubborn") == 0) {
    signal(SIGTERM, SIG_IGN);
  }
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int last = rank == size - 1;
  if (strcmp(mode, "hello") == 0) {
    char folder[4096];
    printf("rank %d of %d in %s\n", rank, size, getcwd(folder, sizeof folder));
  } else if (strcmp(mode, "variables") == 0) {
    for (int i = 2; i < argc; ++i) {
      show_variable(rank, argv[i]);
    }
  } else if (strcmp(mode, "arguments") == 0) {
    for (int i = 2; rank == 0 && i < argc; ++i) {
      printf("argument [%s]\n", argv[i]);
    }
  } else if (strcmp(mode, "flood") == 0) {
    if (rank == 0) {
      flood(number);
    }
  } else if (strcmp(mode, "input") == 0) {
    if (rank == 0) {
      copy_input();
    }
  } else if (strcmp(mode, "complain") == 0) {
    fprintf(stderr, "%s\n", argc > 2 ? argv[2] : "");
  } else if (strcmp(mode, "late") == 0) {
    receive_late(rank, size - 1);
  } else if (strcmp(mode, "daemon") == 0) {
    if (rank == 0) {
      leave_daemon();
    }
  } else if (strcmp(mode, "hang") == 0 || strcmp(mode, "stubborn") == 0) {
    printf("rank %d is ready\n", rank);
    fflush(stdout);
    forever();
  } else if (strcmp(mode, "chatter") == 0) {
    printf("rank %d is ready\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    for (;;) {
      puts("and still there");
      fflush(stdout);
      usleep(20000);
    }
  } else if (strcmp(mode, "raise") == 0 && last) {
    signal(number, SIG_DFL);
    raise(number);
  } else if (strcmp(mode, "abort") == 0 && last) {
    MPI_Abort(MPI_COMM_WORLD, number);
  }
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(mode, "complain") == 0) {
    return 4;
  }
  return strcmp(mode, "exit") == 0 ? number : 0;
}
