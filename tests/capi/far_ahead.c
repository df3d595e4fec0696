/* ranks: 1 2 3 4 5
 * timeout: 120
 * Ranks that only send run ahead of the receivers as far as a codelet allows, with new data in the same arrays. In each
 * operation, every codelet delivers the data of the correct start to every rank, even if one rank is very late. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "harness.h"

enum { most = 800, rounds = 120, late_every = 20, late_ns = 2000000, most_names = 32 };
enum operation { bcast, gather, scatter, reduce, scan, exscan, operations };

static const char *const sets[operations] = {"bcast", "gather", "scatter", "reduce", "scan", "exscan"};
static int sent[16 * most], received[16 * most];

static ADCL_Request make(enum operation operation, int count, int root) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  switch (operation) {
    case bcast:
      OK(ADCL_Bcast_init(received, count, MPI_INT, root, MPI_COMM_WORLD, &request));
      break;
    case gather:
      OK(ADCL_Gather_init(sent, count, MPI_INT, received, count, MPI_INT, root, MPI_COMM_WORLD, &request));
      break;
    case scatter:
      OK(ADCL_Scatter_init(sent, count, MPI_INT, received, count, MPI_INT, root, MPI_COMM_WORLD, &request));
      break;
    case reduce:
      OK(ADCL_Reduce_init(sent, received, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request));
      break;
    case scan:
      OK(ADCL_Scan_init(sent, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
      break;
    default:
      OK(ADCL_Exscan_init(sent, received, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  }
  return request;
}

/* Element i that rank `rank` sends in a round; depends on the receiver `to` only if blocks differ. */
static int value(int round, int rank, int to, int i) { return 1000 * round + 100 * rank + 10 * to + i % 7; }

static int is_right(ADCL_Request request, enum operation operation, int count, int root, int round) {
  const int rank = harness_rank();
  const int size = harness_size();
  const int first = operation == scan || operation == exscan || operation == reduce ? 0 : root;
  int last = root;
  int wrong = 0;
  for (int i = 0; i < count * size; ++i) {
    sent[i] = value(round, rank, operation == scatter ? i / count : 0, i % count);
    received[i] = operation == bcast && rank == root ? value(round, root, 0, i % count) : -1;
  }
  OK(ADCL_Request_start(request));
  if (operation == gather) {
    for (int i = 0; i < count * size && rank == root; ++i) {
      wrong += received[i] != value(round, i / count, 0, i % count);
    }
    return wrong == 0;
  }
  if (operation == scan || operation == exscan) {
    last = rank - (operation == exscan);
  } else if (operation == reduce) {
    last = rank == root ? size - 1 : -1;
  }
  for (int i = 0; i < count && last >= 0; ++i) {
    int expected = 0;
    for (int from = first; from <= last; ++from) {
      expected += value(round, from, operation == scatter ? rank : 0, i);
    }
    wrong += received[i] != expected;
  }
  return wrong == 0;
}

/* Each rank is late once. */
static void one_codelet(enum operation operation, const char *name, int count) {
  const int root = harness_size() - 1;
  char chosen[2 * ADCL_MAX_NAME];
  ADCL_Request request;
  int wrong = 0;
  snprintf(chosen, sizeof chosen, "%s:%.*s", sets[operation], ADCL_MAX_NAME, name);
  OK(ADCL_Option_set("ADCL_CODELETS", chosen));
  request = make(operation, count, root);
  for (int round = 0; round < rounds; ++round) {
    if (round % late_every == 0 && round / late_every % harness_size() == harness_rank()) {
      nanosleep(&(struct timespec){.tv_nsec = late_ns}, NULL);
    }
    wrong += !is_right(request, operation, count, root, round);
  }
  if (wrong > 0) {
    fprintf(stderr, "rank %d: %s of %d elements: %d of %d starts are wrong\n", harness_rank(), chosen, count, wrong,
            rounds);
  }
  CHECK(wrong == 0);
  OK(ADCL_Request_free(&request));
}

static void every_codelet(enum operation operation) {
  static const int counts[] = {1, 25, 60, most};
  char names[most_names][ADCL_MAX_NAME];
  int measurements = 0;
  int number = 0;
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  request = make(operation, 1, 0);
  OK(ADCL_Request_get_functions_num(request, &number));
  CHECK(number <= most_names);
  for (int i = 0; i < number && i < most_names; ++i) {
    OK(ADCL_Request_get_statistics(request, i, names[i], ADCL_MAX_NAME, &measurements, NULL, NULL, NULL));
  }
  OK(ADCL_Request_free(&request));
  for (int i = 0; i < number && i < most_names; ++i) {
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
      one_codelet(operation, names[i], counts[c]);
    }
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  for (int operation = bcast; operation < operations; ++operation) {
    every_codelet((enum operation)operation);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
