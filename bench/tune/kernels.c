/* Small communication kernels whose times are recorded for the bench tune_search:
 *   tune_kernels KERNEL BYTES[,BYTES...] ITERATIONS
 * KERNEL is pingpong (ranks 0 and 1), exchange (with both neighbors of a ring), flood (FLOOD messages to each of
 * them at once), alltoall or allgather. Rank 0 prints the lower decile of 200 blocks of ITERATIONS, each the maximum
 * over the ranks, in seconds per iteration. The blocks are short, so that a tenth of them is undisturbed even on a
 * shared machine. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 200, MOST_SIZES = 8, FLOOD = 32 };

struct problem {
  int rank, size, sizes;
  int bytes[MOST_SIZES];
  char *send, *receive;
};

static void pingpong(const struct problem *p) {
  for (int i = 0; i < p->sizes; ++i) {
    if (p->rank == 0) {
      MPI_Send(p->send, p->bytes[i], MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(p->receive, p->bytes[i], MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (p->rank == 1) {
      MPI_Recv(p->receive, p->bytes[i], MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(p->send, p->bytes[i], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  }
}

static void exchange(const struct problem *p) {
  int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size;
  for (int i = 0; i < p->sizes; ++i) {
    MPI_Request requests[4];
    MPI_Irecv(p->receive, p->bytes[i], MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(p->receive + p->bytes[i], p->bytes[i], MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(p->send, p->bytes[i], MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(p->send + p->bytes[i], p->bytes[i], MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

static void flood(const struct problem *p) {
  int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size;
  for (int i = 0; i < p->sizes; ++i) {
    MPI_Request requests[4 * FLOOD], *next = requests;
    for (int j = 0; j < FLOOD; ++j) {
      MPI_Irecv(p->receive, p->bytes[i], MPI_BYTE, left, 0, MPI_COMM_WORLD, next++);
      MPI_Irecv(p->receive + p->bytes[i], p->bytes[i], MPI_BYTE, right, 1, MPI_COMM_WORLD, next++);
    }
    for (int j = 0; j < FLOOD; ++j) {
      MPI_Isend(p->send, p->bytes[i], MPI_BYTE, right, 0, MPI_COMM_WORLD, next++);
      MPI_Isend(p->send + p->bytes[i], p->bytes[i], MPI_BYTE, left, 1, MPI_COMM_WORLD, next++);
    }
    MPI_Waitall(4 * FLOOD, requests, MPI_STATUSES_IGNORE);
  }
}

static void alltoall(const struct problem *p) {
  for (int i = 0; i < p->sizes; ++i)
    MPI_Alltoall(p->send, p->bytes[i], MPI_BYTE, p->receive, p->bytes[i], MPI_BYTE, MPI_COMM_WORLD);
}

static void allgather(const struct problem *p) {
  for (int i = 0; i < p->sizes; ++i)
    MPI_Allgather(p->send, p->bytes[i], MPI_BYTE, p->receive, p->bytes[i], MPI_BYTE, MPI_COMM_WORLD);
}

static const struct {
  const char *name;
  void (*run)(const struct problem *);
} kernels[] = {
    {"pingpong", pingpong}, {"exchange", exchange}, {"flood", flood}, {"alltoall", alltoall}, {"allgather", allgather}};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct problem p = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.size);
  int iterations = argc == 4 ? atoi(argv[3]) : 0, most = 0;
  void (*run)(const struct problem *) = NULL;
  if (argc == 4 && iterations > 0 && p.size > 1) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
      if (!strcmp(argv[1], kernels[i].name))
        run = kernels[i].run;
    for (char *word = strtok(argv[2], ","); word && p.sizes < MOST_SIZES; word = strtok(NULL, ",")) {
      p.bytes[p.sizes] = atoi(word);
      if (p.bytes[p.sizes] > most)
        most = p.bytes[p.sizes];
      ++p.sizes;
    }
  }
  if (!run || most == 0) {
    if (p.rank == 0)
      fprintf(stderr, "usage: tune_kernels pingpong|exchange|flood|alltoall|allgather BYTES[,BYTES...] ITERATIONS\n");
    MPI_Finalize();
    return 2;
  }
  p.send = calloc((size_t)most * (size_t)p.size, 2);
  p.receive = calloc((size_t)most * (size_t)p.size, 2);
  double times[BLOCKS];
  for (int i = 0; i < iterations; ++i)
    run(&p);
  for (int block = 0; block < BLOCKS; ++block) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; ++i)
      run(&p);
    double mine = (MPI_Wtime() - start) / iterations;
    MPI_Allreduce(&mine, &times[block], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  qsort(times, BLOCKS, sizeof *times, compare);
  if (p.rank == 0)
    printf("seconds per iteration: %.9f\n", times[BLOCKS / 10]);
  free(p.send);
  free(p.receive);
  MPI_Finalize();
  return 0;
}
