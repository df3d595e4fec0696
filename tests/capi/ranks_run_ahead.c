/* ranks: 1 2 3 4
 * timeout: 240
 * Tests operations that some ranks complete before other ranks have started them. If only local times are available, a
 * search synchronizes the ranks before each measured block of executions, and production monitors the slowest rank. The
 * test sets the times of the second part. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "harness.h"

enum { most = 600, block = 100, interval = 10, check = 6 /* starts: five are timed, one posts the result */ };
enum operation { bcast, reduce, scan, allreduce, operations };

static int barriers;
static int sent[block], received[block];

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

static ADCL_Request make(enum operation operation) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  const int root = harness_size() - 1;
  switch (operation) {
    case bcast:
      OK(ADCL_Bcast_init(received, block, MPI_INT, root, MPI_COMM_WORLD, &request));
      break;
    case reduce:
      OK(ADCL_Reduce_init(sent, received, block, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request));
      break;
    case scan:
      OK(ADCL_Scan_init(sent, received, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
      break;
    default:
      OK(ADCL_Allreduce_init(sent, received, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  }
  return request;
}

/* Starts once with the data of a round; true if the result is right. */
static int right(ADCL_Request request, enum operation operation, int round, int split) {
  const int rank = harness_rank();
  const int size = harness_size();
  const int root = size - 1;
  int last;
  int expected;
  for (int i = 0; i < block; ++i) {
    sent[i] = round + rank;
    received[i] = operation == bcast && rank == root ? round : -1;
  }
  if (split) {
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
  } else {
    OK(ADCL_Request_start(request));
  }
  last = operation == scan ? rank : size - 1;
  expected = (last + 1) * round + last * (last + 1) / 2;
  if (operation == bcast) {
    expected = round;
  } else if (operation == reduce && rank != root) {
    expected = -1;
  }
  return received[0] == expected && received[block - 1] == expected;
}

/* Each rank in turn is late, so that the other ranks run ahead as far as a codelet allows. */
static void run_search(enum operation operation, int split) {
  ADCL_Request request = make(operation);
  int bounds[2];
  int wrong = 0;
  int round = 0;
  barriers = 0;
  for (; round < most && is_searching(request); ++round) {
    if (round / 5 % harness_size() == harness_rank()) {
      nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    wrong += !right(request, operation, round, split);
  }
  CHECK(wrong == 0);
  CHECK(round < most);
  if (operation == allreduce || harness_size() == 1) {
    CHECK(barriers == 0);
  } else {
    CHECK(barriers >= 2); /* each codelet has been measured in a block */
    CHECK(barriers * 3 <= round);
  }
  bounds[0] = barriers;
  bounds[1] = -barriers;
  MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(bounds[0] == -bounds[1]);
  barriers = 0;
  for (int i = 0; i < 100; ++i) {
    wrong += !right(request, operation, round + i, split);
  }
  CHECK(wrong == 0);
  CHECK(barriers == 0); /* in production */
  OK(ADCL_Request_free(&request));
}

/* Ranks that share a clock need no synchronization. */
static void arrival_timing(void) {
#ifndef SMPI_H /* with SMPI each rank has its own node */
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_TIMING", "arrival"));
  request = make(bcast);
  barriers = 0;
  for (int i = 0; i < 60; ++i) {
    CHECK(right(request, bcast, i, 0));
  }
  CHECK(barriers == 0);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_TIMING", "nobarrier"));
#endif
}

/* Starts until the request is in this state, with one time for the rank that runs ahead and another time for all other
 * ranks. */
static int run_until_state(ADCL_Request request, int state, double ahead_s, double usual_s, int starts) {
  const int first = harness_rank() == 0;
  int i = 0;
  for (; i < starts && state_of(request) != state; ++i) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, (current_is(request, "Linear") ? 1.0 : 2.0) * (first ? ahead_s : usual_s)));
  }
  return i;
}

/* A rank that becomes a hundred times slower is no drift while another rank is still slower. */
static void monitors_slowest_rank(void) {
  const int cycle = interval + check;
  ADCL_Request request = make(bcast);
  if (harness_size() == 1) {
    OK(ADCL_Request_free(&request));
    return;
  }
  run_until_state(request, ADCL_STATE_PRODUCTION, 0.001, 0.2, most);
  CHECK(winner_is(request, "Linear"));
  for (int i = 0; i < 6; ++i) {
    CHECK(run_until_state(request, ADCL_STATE_SEARCH, i % 2 ? 0.1 : 0.001, 0.2, 8 * cycle) == 8 * cycle);
  }
  CHECK(run_until_state(request, ADCL_STATE_SEARCH, 0.001, 0.6, 20 * cycle) < 6 * cycle);
  run_until_state(request, ADCL_STATE_PRODUCTION, 0.001, 0.6, most);
  CHECK(winner_is(request, "Linear"));
  OK(ADCL_Request_free(&request));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_TIMING", "nobarrier"));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  for (int operation = 0; operation < operations; ++operation) {
    run_search((enum operation)operation, 0);
  }
  run_search(bcast, 1);
  arrival_timing();
  OK(ADCL_Option_set("ADCL_CODELETS", "bcast:Native,Linear"));
  OK(ADCL_Option_set("ADCL_MONITOR", "10"));
  monitors_slowest_rank();
  OK(ADCL_Finalize());
  return harness_verdict();
}
