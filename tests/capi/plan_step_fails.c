/* ranks: 1 2 3
 * timeout: 180
 * not smpi: its library is linked statically, and the calls below cannot be replaced
 * Each MPI call at the creation of a request or of a collective plan fails on one rank, one call at a time. All
 * ranks return the same error, or they drop the codelet together and continue with another codelet; no rank hangs. If a
 * collective call fails on a rank, its object is lost there. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"

enum { points = 8, most_calls = 8 };

enum kind {
  win_create,
  reserve_memory,
  win_set_errhandler,
  win_lock_all,
  win_get_attr,
  comm_split,
  comm_dup,
  comm_split_type,
  comm_set_errhandler,
  comm_group,
  dist_graph,
  type_subarray,
  type_commit,
  type_contiguous,
  type_hindexed,
  type_resized,
  type_dup,
  group_incl,
  send_init,
  recv_init,
  topo_test,
  op_create,
  kinds
};

/* Countdown to the call of each kind that fails on this rank; 0: none. */
static int fails_in[kinds + 1];
/* Number of calls of each kind in the starts of a request. */
static int called[kinds];
static int failed;

static int fails(enum kind kind) {
  ++called[kind];
  if (fails_in[kind] > 0 && --fails_in[kind] == 0) {
    failed = 1;
    return 1;
  }
  return 0;
}

/* Body of an MPI wrapper with an injected failure: makes the real call, leaks the new object, and returns
 * MPI_ERR_NO_MEM. */
#define LOSES(kind, result, null, call)       \
  do {                                        \
    int code = (call);                        \
    if (code == MPI_SUCCESS && fails(kind)) { \
      *(result) = (null);                     \
      return MPI_ERR_NO_MEM;                  \
    }                                         \
    return code;                              \
  } while (0)

#define REFUSED(kind, call) return fails(kind) ? MPI_ERR_NO_MEM : (call)

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  LOSES(win_create, win, MPI_WIN_NULL, PMPI_Win_create(base, size, unit, info, comm, win));
}
/* Replaces the call with which the library reserves the shared memory of a plan. The library tries two locations, so
 * both calls must fail. */
int posix_fallocate(int file, off_t begin, off_t bytes) {
  if (fails_in[reserve_memory] > 0) {
    failed = 1;
    return ENOSPC;
  }
  return ftruncate(file, begin + bytes) == 0 ? 0 : errno;
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part) {
  LOSES(comm_split, part, MPI_COMM_NULL, PMPI_Comm_split(comm, color, key, part));
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy) { LOSES(comm_dup, copy, MPI_COMM_NULL, PMPI_Comm_dup(comm, copy)); }
/* If set, a node has two processes instead of all processes of the machine. */
static int small_nodes;
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part) {
  if (small_nodes) {
    LOSES(comm_split_type, part, MPI_COMM_NULL, PMPI_Comm_split(comm, harness_rank() / 2, key, part));
  }
  LOSES(comm_split_type, part, MPI_COMM_NULL, PMPI_Comm_split_type(comm, type, key, info, part));
}
int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int n, const int from[], const int fw[], int m, const int to[],
                                   const int tw[], MPI_Info info, int reorder, MPI_Comm *graph) {
  LOSES(dist_graph, graph, MPI_COMM_NULL,
        PMPI_Dist_graph_create_adjacent(comm, n, from, fw, m, to, tw, info, reorder, graph));
}
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler) {
  REFUSED(win_set_errhandler, PMPI_Win_set_errhandler(win, handler));
}
int MPI_Win_lock_all(int assertion, MPI_Win win) { REFUSED(win_lock_all, PMPI_Win_lock_all(assertion, win)); }
int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag) {
  REFUSED(win_get_attr, PMPI_Win_get_attr(win, key, value, flag));
}
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  REFUSED(comm_set_errhandler, PMPI_Comm_set_errhandler(comm, handler));
}
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) { REFUSED(comm_group, PMPI_Comm_group(comm, group)); }
int MPI_Group_incl(MPI_Group all, int n, const int ranks[], MPI_Group *part) {
  REFUSED(group_incl, PMPI_Group_incl(all, n, ranks, part));
}
int MPI_Type_create_subarray(int n, const int dims[], const int extent[], const int start[], int order,
                             MPI_Datatype old, MPI_Datatype *type) {
  REFUSED(type_subarray, PMPI_Type_create_subarray(n, dims, extent, start, order, old, type));
}
int MPI_Type_commit(MPI_Datatype *type) { REFUSED(type_commit, PMPI_Type_commit(type)); }
int MPI_Type_contiguous(int n, MPI_Datatype old, MPI_Datatype *type) {
  REFUSED(type_contiguous, PMPI_Type_contiguous(n, old, type));
}
int MPI_Type_create_hindexed(int n, const int lengths[], const MPI_Aint places[], MPI_Datatype old,
                             MPI_Datatype *type) {
  REFUSED(type_hindexed, PMPI_Type_create_hindexed(n, lengths, places, old, type));
}
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint begin, MPI_Aint extent, MPI_Datatype *type) {
  REFUSED(type_resized, PMPI_Type_create_resized(old, begin, extent, type));
}
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type) { REFUSED(type_dup, PMPI_Type_dup(old, type)); }
int MPI_Send_init(const void *data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  REFUSED(send_init, PMPI_Send_init(data, n, type, peer, tag, comm, request));
}
int MPI_Recv_init(void *data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  REFUSED(recv_init, PMPI_Recv_init(data, n, type, peer, tag, comm, request));
}
int MPI_Topo_test(MPI_Comm comm, int *kind) { REFUSED(topo_test, PMPI_Topo_test(comm, kind)); }
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op) {
  REFUSED(op_create, PMPI_Op_create(function, commutes, op));
}

/* A two-dimensional block of one process in a periodic line, with columns that are not contiguous. */
static double (*block)[points];

static void fill(int rank) {
  for (int i = 0; i < points; ++i) {
    for (int j = 0; j < points; ++j) {
      block[i][j] = 1000.0 * rank + points * i + j;
    }
  }
}

static int is_right(int rank, int size) {
  const double left = 1000.0 * ((rank + size - 1) % size);
  const double right = 1000.0 * ((rank + 1) % size);
  int right_places = 0;
  for (int i = 1; i < points - 1; ++i) {
    right_places += block[i][0] == left + points * i + points - 2;
    right_places += block[i][points - 1] == right + points * i + 1;
  }
  return right_places == 2 * (points - 2);
}

/* True if the same codelet runs on all ranks. */
static int agreed_codelet(ADCL_Request request) {
  char name[ADCL_MAX_NAME] = "";
  int hash[2] = {0, 0};
  OK(ADCL_Request_get_curr_function(request, name, sizeof name));
  for (const char *c = name; *c != '\0'; ++c) {
    hash[0] = (hash[0] * 31 + *c) % 1000003;
  }
  hash[1] = -hash[0];
  PMPI_Allreduce(MPI_IN_PLACE, hash, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return hash[0] == -hash[1];
}

/* Time at which an MPI call fails. */
enum time { creating, starting };

/* Returns true if the victim reached the call. */
static int one_failure(enum time time, enum kind kind, int call, int victim) {
  const int dims[2] = {points, points};
  const int periods[2] = {0, 1};
  const int rank = harness_rank();
  int grid[2] = {1, 0};
  int code;
  MPI_Comm cart;
  ADCL_Request request;
  grid[1] = harness_size();
  PMPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &cart);
  failed = 0;
  fails_in[kind] = rank == victim && time == creating ? call : 0;
  code = ADCL_Halo_init(ADCL_HALO(block, 2, dims, 0, 1, MPI_DOUBLE), cart, &request);
  fails_in[kind] = rank == victim && time == starting ? call : 0;
  if (kind == kinds) {
    memset(called, 0, sizeof called); /* count the starts only */
  }
  PMPI_Bcast(&failed, 1, MPI_INT, victim, MPI_COMM_WORLD);
  CHECK(code == (failed ? ADCL_ERR_MPI : ADCL_SUCCESS));
  if (code == ADCL_SUCCESS) {
    for (int start = 0; start < 4; ++start) {
      fill(rank);
      OK(ADCL_Request_start(request));
      CHECK(is_right(rank, harness_size()));
      CHECK(agreed_codelet(request));
    }
    fails_in[kind] = 0;
    OK(ADCL_Request_free(&request));
  }
  fails_in[kind] = 0;
  PMPI_Bcast(&failed, 1, MPI_INT, victim, MPI_COMM_WORLD);
  MPI_Comm_free(&cart);
  return failed;
}

/* Makes every call of every kind fail, or the first calls of many, with each rank in turn as the victim. Returns the
 * number of failures. */
static int fail_each_call(enum time time, const int worth[kinds], int shift) {
  int reached = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    int call = 1;
    const int calls = worth[kind] == 0 ? 1 : kind == reserve_memory ? 2 : harness_size() > 2 ? 3 : most_calls;
    while (call < calls && one_failure(time, (enum kind)kind, call, (call + shift) % harness_size())) {
      ++call;
      ++reached;
    }
  }
  return reached;
}

/* Plan creation does not depend on the codelet. Makes each kind of call fail, on each rank in turn. */
static int failures_of_creation(void) {
  static const struct {
    enum kind kind;
    const char *name;
  } made_of[] = {{comm_dup, "MPI_Comm_dup"},
                 {comm_split_type, "MPI_Comm_split_type"},
                 {comm_set_errhandler, "MPI_Comm_set_errhandler"},
                 {topo_test, "MPI_Topo_test"},
                 {type_commit, "MPI_Type_commit"},
                 {type_contiguous, "MPI_Type_contiguous"},
                 {op_create, "MPI_Op_create"}};
  int reached = 0;
  for (int victim = 0; victim < harness_size(); ++victim) {
    for (size_t i = 0; i < sizeof made_of / sizeof made_of[0]; ++i) {
      int call = 1;
      while (one_failure(creating, made_of[i].kind, call, victim)) {
        CHECK(strstr(ADCL_Last_error(), made_of[i].name) != NULL);
        ++call;
        ++reached;
      }
      CHECK(call > 1);
    }
  }
  return reached;
}

int main(int argc, char **argv) {
  static const char *const codelets[] = {
      "WinfenceGet_pair",   "PostStartPut_aao",        "PassivePut_notify",       "Shm_window",    "Shm_direct",
      "Neighbor_alltoallw", "Neighbor_alltoallw_init", "Neighbor_alltoallv_pack", "Node_aggregate"};
  const int dims[2] = {points, points};
  ADCL_Vector vector;
  int worth[kinds];
  int reached = 0;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Vector_allocate(2, dims, 0, MPI_DOUBLE, &block, &vector));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao"));
  reached = failures_of_creation();
  for (size_t c = 0; c < sizeof codelets / sizeof codelets[0]; ++c) {
    char names[ADCL_MAX_NAME];
    snprintf(names, sizeof names, "neighborhood:IsIr_aao,SIr_aao,%s", codelets[c]);
    OK(ADCL_Option_set("ADCL_CODELETS", names));
    small_nodes = strcmp(codelets[c], "Node_aggregate") == 0;
    one_failure(starting, kinds, 1, 0); /* no failure: only counts the calls */
    called[reserve_memory] = 1;
    PMPI_Allreduce(MPI_IN_PLACE, called, kinds, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    memcpy(worth, called, sizeof worth);
    reached += fail_each_call(starting, worth, (int)c);
  }
  if (harness_rank() == 0) {
    printf("%d calls failed\n", reached);
  }
  CHECK(reached > 50);
  OK(ADCL_Vector_free(&vector));
  OK(ADCL_Finalize());
  return harness_verdict();
}
