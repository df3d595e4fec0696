/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 2
 * The collectives for init, progress and wait: through their searches, in place and not in place, with other arrays,
 * two operations in flight at a time, in one call, and decided by a timer. Also tests the candidates of each mode, and
 * the progress calls that a codelet uses. */
#include "harness.h"

enum { most_ranks = 16, block = 6, starts = 150, most = most_ranks * block };
enum operation { ibcast, iallgather, ialltoall, ireduce, iallreduce, operations };

static const char *const names[] = {"ibcast", "iallgather", "ialltoall", "ireduce", "iallreduce"};
static int rank, size, round_number;

struct arrays {
  int out[most], in[most], expected[most];
};

static int value(int from, int to, int i) { return 10007 * round_number + 1000 * from + 50 * to + i; }

/* Fills in contributions and the expected receive array, with -1 where nothing is received. */
static void fill(enum operation operation, int in_place, struct arrays *a) {
  const int root = size - 1;
  ++round_number;
  for (int i = 0; i < most; ++i) {
    a->out[i] = value(rank, i / block, i % block);
    a->in[i] = in_place ? a->out[i] : -1;
    a->expected[i] = a->in[i];
  }
  for (int i = 0; i < size * block; ++i) {
    const int other = i / block;
    int sum = 0;
    for (int from = 0; from < size; ++from) {
      sum += value(from, 0, i);
    }
    if (operation == ibcast && i < block) {
      a->in[i] = rank == root ? value(root, 0, i) : -1;
      a->expected[i] = value(root, 0, i);
    } else if (operation == iallgather) {
      /* In place: each rank's own block is at its position in the receive array. */
      if (in_place && other == rank) {
        a->in[i] = a->out[i % block];
      }
      a->expected[i] = value(other, 0, i % block);
    } else if (operation == ialltoall) {
      a->expected[i] = value(other, rank, i % block);
    } else if (operation == iallreduce && i < block) {
      a->expected[i] = sum;
    } else if (operation == ireduce && i < block && rank == root) {
      a->expected[i] = sum;
    }
  }
}

static int is_right(const struct arrays *a) { return memcmp(a->in, a->expected, sizeof a->in) == 0; }

static int make(enum operation operation, int in_place, struct arrays *a, ADCL_Request *req) {
  const int root = size - 1;
  const void *out = in_place ? MPI_IN_PLACE : a->out;
  switch (operation) {
    case ibcast:
      return ADCL_Ibcast_init(a->in, block, MPI_INT, root, MPI_COMM_WORLD, req);
    case iallgather:
      return ADCL_Iallgather_init(out, block, MPI_INT, a->in, block, MPI_INT, MPI_COMM_WORLD, req);
    case ialltoall:
      return ADCL_Ialltoall_init(out, block, MPI_INT, a->in, block, MPI_INT, MPI_COMM_WORLD, req);
    case ireduce:
      return ADCL_Ireduce_init(in_place && rank == root ? MPI_IN_PLACE : a->out, a->in, block, MPI_INT, MPI_SUM, root,
                               MPI_COMM_WORLD, req);
    default:
      return ADCL_Iallreduce_init(out, a->in, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, req);
  }
}

/* Two nested loops of computation. */
static void overlap(ADCL_Request req) {
  for (int i = 0; i < 3; ++i) {
    OK(ADCL_Request_progress(req, 0));
    for (int j = 0; j < 3; ++j) {
      OK(ADCL_Request_progress(req, 1));
    }
  }
}

/* Every codelet gives the right result in each mode; all of them have run at the end. */
static void run_searches(enum operation operation, int in_place) {
  static struct arrays a, other;
  ADCL_Request req;
  OK(make(operation, in_place, &a, &req));
  char fsname[ADCL_MAX_NAME];
  OK(ADCL_Request_get_fsname(req, fsname, sizeof fsname));
  CHECK(strcmp(fsname, names[operation]) == 0);
  for (int i = 0; i < starts; ++i) {
    int done = 0;
    fill(operation, in_place, &a);
    OK(ADCL_Request_init(req));
    overlap(req);
    if (i % 3 == 0) {
      OK(ADCL_Request_test(req, &done));
    }
    if (!done) {
      OK(ADCL_Request_wait(req));
    }
    CHECK(is_right(&a));
  }
  for (int i = 0; i < starts / 3; ++i) {
    fill(operation, in_place, &a);
    OK(ADCL_Request_start(req));
    CHECK(is_right(&a));
    fill(operation, in_place, &other);
    /* In place: the data to send are in the receive array, except on ranks that receive no result. */
    OK(ADCL_Request_init_with(req, in_place && (operation != ireduce || rank == size - 1) ? NULL : other.out,
                              other.in));
    overlap(req);
    OK(ADCL_Request_wait(req));
    CHECK(is_right(&other));
  }
  OK(ADCL_Request_free(&req));
}

/* True if the codelet `wanted` ran, by init and wait or in one call, with the codelets `only` selected. */
static int codelet_ran(const char *only, int in_one_call, const char *wanted) {
  static struct arrays a;
  int found = 0;
  ADCL_Request req;
  OK(ADCL_Option_set("ADCL_CODELETS", only));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "2"));
  OK(make(iallreduce, 0, &a, &req));
  for (int i = 0; i < 20; ++i) {
    fill(iallreduce, 0, &a);
    if (in_one_call) {
      OK(ADCL_Request_start(req));
    } else {
      OK(ADCL_Request_init(req));
      found |= current_is(req, wanted);
      overlap(req);
      OK(ADCL_Request_wait(req));
    }
    found |= current_is(req, wanted);
    CHECK(is_right(&a));
  }
  OK(ADCL_Request_free(&req));
  OK(ADCL_Option_set("ADCL_SEARCH", "model"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "10"));
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  return found;
}

/* Function sets with similar names are not treated as misspellings of each other. */
static void similar_set_names(void) {
  static struct arrays a;
  ADCL_Request req = ADCL_REQUEST_NULL;
  OK(ADCL_Option_set("ADCL_CODELETS", "allreduce:Native;iallreduce:Linear;alltoall:Linear"));
  OK(make(iallreduce, 0, &a, &req));
  OK(ADCL_Request_free(&req));
  OK(ADCL_Allreduce_init(a.out, a.in, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req));
  OK(ADCL_Request_free(&req));
  OK(make(ialltoall, 0, &a, &req));
  OK(ADCL_Request_free(&req));
  OK(ADCL_Option_set("ADCL_CODELETS", "iallreduc:Linear"));
  CHECK(make(iallreduce, 0, &a, &req) == ADCL_ERR_OPTION);
  CHECK(strstr(ADCL_Last_error(), "did you mean iallreduce?") != NULL);
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

static void candidates(void) {
  /* Blocking codelets are candidates of init and wait without an option; variants with other depths of progress are
   * candidates of ADCL_Request_start if no other candidate is left, and otherwise only of init and wait. */
  CHECK(codelet_ran("iallreduce:Native", 0, "Native"));
  CHECK(codelet_ran("iallreduce:Native,Linear_inner", 0, "Linear_inner"));
  CHECK(codelet_ran("iallreduce:Native,Linear_no_progress", 0, "Linear_no_progress"));
  CHECK(!codelet_ran("iallreduce:Native,Linear_inner", 1, "Linear_inner"));
  CHECK(codelet_ran("iallreduce:Linear_inner", 1, "Linear_inner"));
}

enum { look = 77, looked, complete };

/* Rank 0's part of `progress_depths`; returns true if the other ranks were complete after its calls of progress. */
static int progress_on_rank_0(ADCL_Request req, int deepest, int until_complete) {
  int waiting = size - 1, done = 0;
  const double begin = MPI_Wtime();
  while (until_complete ? waiting > 0 && MPI_Wtime() - begin < 20.0 : MPI_Wtime() - begin < 0.02) {
    int arrived = 0;
    for (int depth = 0; depth <= deepest; ++depth) {
      OK(ADCL_Request_progress(req, depth));
    }
    MPI_Iprobe(MPI_ANY_SOURCE, complete, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
    if (arrived) {
      MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, complete, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      --waiting;
    }
  }
  if (until_complete) {
    return waiting == 0;
  }
  for (int other = 1; other < size; ++other) {
    int flag;
    MPI_Send(NULL, 0, MPI_INT, other, look, MPI_COMM_WORLD);
    MPI_Recv(&flag, 1, MPI_INT, other, looked, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    done |= flag;
  }
  return done;
}

/* The other ranks' part: test until complete, and send the state on demand. */
static void test_on_other_ranks(ADCL_Request req, int looks) {
  int done = 0;
  while (!done || looks > 0) {
    int asked = 0;
    if (!done) {
      OK(ADCL_Request_test(req, &done));
    }
    MPI_Iprobe(0, look, MPI_COMM_WORLD, &asked, MPI_STATUS_IGNORE);
    if (asked) {
      MPI_Recv(NULL, 0, MPI_INT, 0, look, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&done, 1, MPI_INT, 0, looked, MPI_COMM_WORLD);
      --looks;
    }
  }
  MPI_Send(NULL, 0, MPI_INT, 0, complete, MPI_COMM_WORLD);
}

/* Tests which calls of progress a codelet uses: the other ranks' results depend on rank 0's calls after all values have
 * arrived. */
static void progress_depths(void) {
  static struct arrays a;
  static const char *const codelets[] = {"iallreduce:Linear", "iallreduce:Linear_inner",
                                         "iallreduce:Linear_no_progress"};
  for (int way = 0; way < 3 && size > 1; ++way) {
    ADCL_Request req;
    OK(ADCL_Option_set("ADCL_CODELETS", codelets[way]));
    OK(make(iallreduce, 0, &a, &req));
    for (int i = 0; i < 3; ++i) {
      fill(iallreduce, 0, &a);
      OK(ADCL_Request_init(req));
      if (rank > 0) {
        test_on_other_ranks(req, way > 0);
      } else {
        if (way > 0) {
          CHECK(!progress_on_rank_0(req, way == 1 ? 0 : 2, 0));
        }
        if (way < 2) {
          CHECK(progress_on_rank_0(req, way, 1));
        }
        OK(ADCL_Request_wait(req));
        for (int other = 1; other < size && way == 2; ++other) {
          MPI_Recv(NULL, 0, MPI_INT, other, complete, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      }
      CHECK(is_right(&a));
    }
    OK(ADCL_Request_free(&req));
  }
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

/* All ranks wait in the same order, which may differ from the order of the starts. */
static void in_flight_together(void) {
  static struct arrays a[2];
  ADCL_Request reqs[2];
  OK(make(iallreduce, 0, &a[0], &reqs[0]));
  OK(make(ialltoall, 0, &a[1], &reqs[1]));
  for (int i = 0; i < starts; ++i) {
    fill(iallreduce, 0, &a[0]);
    OK(ADCL_Request_init(reqs[0]));
    fill(ialltoall, 0, &a[1]);
    OK(ADCL_Request_init(reqs[1]));
    overlap(reqs[0]);
    overlap(reqs[1]);
    OK(ADCL_Request_wait(reqs[1 - i % 2]));
    OK(ADCL_Request_wait(reqs[i % 2]));
    CHECK(is_right(&a[0]));
    CHECK(is_right(&a[1]));
  }
  OK(ADCL_Request_free(&reqs[0]));
  OK(ADCL_Request_free(&reqs[1]));
}

/* A timer decides by the time of the whole iteration. */
static void decided_by_timer(void) {
  static struct arrays a;
  ADCL_Request req;
  ADCL_Timer timer;
  int state = ADCL_STATE_SEARCH;
  OK(ADCL_Option_set("ADCL_CODELETS", "ibcast:Native_nonblocking,Native,Linear,Linear_inner,Linear_no_progress"));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(make(ibcast, 0, &a, &req));
  OK(ADCL_Timer_create(1, &req, &timer));
  for (int i = 0; i < starts; ++i) {
    fill(ibcast, 0, &a);
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_init(req));
    overlap(req);
    OK(ADCL_Request_wait(req));
    OK(ADCL_Timer_stop(timer));
    CHECK(is_right(&a));
  }
  OK(ADCL_Timer_get_state(timer, &state));
  CHECK(state == ADCL_STATE_PRODUCTION);
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Option_set("ADCL_SEARCH", "model"));
  OK(ADCL_Request_free(&req));
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

static void wrong_arguments(void) {
  static struct arrays a;
  const int last = rank == size - 1;
  ADCL_Request req = ADCL_REQUEST_NULL;
  CHECK(ADCL_Ibcast_init(last ? NULL : a.in, block, MPI_INT, 0, MPI_COMM_WORLD, &req) == ADCL_ERR_ARGUMENT);
  CHECK(strstr(ADCL_Last_error(), "ADCL_Ibcast_init") != NULL);
  CHECK(ADCL_Ireduce_init(a.out, a.in, block, MPI_INT, MPI_SUM, size, MPI_COMM_WORLD, &req) == ADCL_ERR_ARGUMENT);
  if (size > 1) {
    CHECK((last ? ADCL_Allreduce_init(a.out, a.in, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req)
                : ADCL_Iallreduce_init(a.out, a.in, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req)) ==
          ADCL_ERR_MISMATCH);
  }
  CHECK(req == ADCL_REQUEST_NULL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  rank = harness_rank();
  size = harness_size();
  for (int operation = 0; operation < operations; ++operation) {
    run_searches((enum operation)operation, 0);
    if (operation != ibcast) {
      run_searches((enum operation)operation, 1);
    }
  }
  candidates();
  progress_depths();
  similar_set_names();
  in_flight_together();
  decided_by_timer();
  wrong_arguments();
  OK(ADCL_Finalize());
  return harness_verdict();
}
