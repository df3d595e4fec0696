/* ranks: 1 2 3 4
 * Functions of an application in the style of ADCL 1.x: with attributes, one function for all combinations, with a
 * timer; and queries of requests. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <ADCL_v1.h>

enum { starts = 120 };

static int calls[4];
static int sum;

/* One of two functions that add up the ranks. */
static void by_allreduce(ADCL_Request req) {
  MPI_Comm comm;
  int rank, size;
  ADCL_Request_get_comm(req, &comm, &rank, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  ++calls[0];
}

static void by_reduce(ADCL_Request req) {
  MPI_Comm comm;
  int rank, size;
  ADCL_Request_get_comm(req, &comm, &rank, &size);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Bcast(&sum, 1, MPI_INT, 0, comm);
  ++calls[1];
}

static int sum_is_right(void) { return sum == harness_size() * (harness_size() - 1) / 2; }

static ADCL_Attrset attributes(ADCL_Attribute attrs[2]) {
  int ways[2] = {10, 11}, depths[2] = {20, 21};
  char *way_names[2] = {(char *)"direct", (char *)"composed"};
  char *depth_names[2] = {(char *)"flat", (char *)"deep"};
  ADCL_Attrset attrset;
  OK(ADCL_Attribute_create(2, ways, way_names, (char *)"way", &attrs[0]));
  OK(ADCL_Attribute_create(2, depths, depth_names, (char *)"depth", &attrs[1]));
  OK(ADCL_Attrset_create(2, attrs, &attrset));
  return attrset;
}

static void free_attributes(ADCL_Attribute attrs[2], ADCL_Attrset *attrset) {
  OK(ADCL_Attrset_free(attrset));
  OK(ADCL_Attribute_free(&attrs[0]));
  OK(ADCL_Attribute_free(&attrs[1]));
}

/* True if the codelet that ran has the name and the values of one of the two functions. */
static int codelet_is_right(ADCL_Request request) {
  char *name, **attr_names, **value_names;
  int n, *values;
  OK(ADCL_Request_get_curr_function(request, &name, &attr_names, &n, &value_names, &values));
  const int first = strcmp(name, "allreduce") == 0;
  const int right = n == 2 && strcmp(attr_names[0], "way") == 0 && strcmp(attr_names[1], "depth") == 0 &&
                    values[0] == (first ? 10 : 11) && values[1] == (first ? 20 : 21) &&
                    strcmp(value_names[0], first ? "direct" : "composed") == 0 &&
                    strcmp(value_names[1], first ? "flat" : "deep") == 0;
  for (int i = 0; i < n; ++i) {
    free(attr_names[i]);
    free(value_names[i]);
  }
  free(attr_names);
  free(value_names);
  free(values);
  free(name);
  return right;
}

static ADCL_Fnctset two_functions(ADCL_Attrset attrset, ADCL_Function funcs[2]) {
  int first[2] = {10, 20}, second[2] = {11, 21};
  ADCL_Fnctset set;
  OK(ADCL_Function_create((ADCL_work_fnct_ptr *)by_allreduce, attrset, first, (char *)"allreduce", &funcs[0]));
  OK(ADCL_Function_create((ADCL_work_fnct_ptr *)by_reduce, attrset, second, (char *)"reduce", &funcs[1]));
  OK(ADCL_Fnctset_create(2, funcs, (char *)"sum of ranks", &set));
  return set;
}

/* The application sets the times: the first function wins, and its times are available. */
static void search(ADCL_Request request) {
  int state = ADCL_STATE_SEARCH;
  memset(calls, 0, sizeof calls);
  for (int start = 0; start < starts; ++start) {
    const int before = calls[0];
    sum = -1;
    OK(ADCL_Request_start(request));
    CHECK(sum_is_right() && codelet_is_right(request));
    TIME_TYPE seconds = calls[0] > before ? 0.25 : 0.5;
    OK(ADCL_Request_update(request, seconds));
  }
  OK(ADCL_Request_get_state(request, &state));
  CHECK(state == ADCL_STATE_PRODUCTION && calls[0] > calls[1] && calls[1] > 0);
  double filtered = 0, unfiltered = 0, outliers = -1;
  OK(ADCL_Request_get_winner_stat(request, &filtered, &unfiltered, &outliers));
  CHECK(filtered == 0.25 && unfiltered == 0.25 && outliers == 0);
}

/* A request that restores the results of an earlier request has a shorter search. */
static void restore_from(ADCL_Request from, ADCL_Request to) {
  double *unfiltered, *filtered, *outliers;
  int n = 0, winner = -1;
  OK(ADCL_Request_save_status(from, &n, &unfiltered, &filtered, &outliers, &winner));
  CHECK(n == 2 && winner == 0 && filtered[0] == 0.25 && filtered[1] == 0.5 && unfiltered[1] == 0.5);
  OK(ADCL_Request_restore_status(to, n, unfiltered, filtered, outliers));
  free(unfiltered);
  free(filtered);
  free(outliers);
  memset(calls, 0, sizeof calls);
  for (int start = 0; start < 40; ++start) {
    OK(ADCL_Request_start(to));
    OK(ADCL_Request_update(to, 0.25));
  }
  CHECK(calls[1] == 0);
}

static void user_functions(ADCL_Topology topo) {
  ADCL_Attribute attrs[2];
  ADCL_Attrset attrset = attributes(attrs);
  ADCL_Function funcs[2];
  ADCL_Fnctset set = two_functions(attrset, funcs);
  ADCL_Request request, later;
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &request));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &later));
  search(request);
  restore_from(request, later);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Request_free(&later));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&funcs[0]));
  OK(ADCL_Function_free(&funcs[1]));
  free_attributes(attrs, &attrset);
}

/* ---- One function for all combinations of values ----------------------------------------------------------------- */

static int seen[2][2];

static void sum_by_values(ADCL_Request req) {
  int *values;
  OK(ADCL_Request_get_curr_function(req, NULL, NULL, NULL, NULL, &values));
  ++seen[values[0] - 10][values[1] - 20];
  free(values);
}

static void combinations(ADCL_Topology topo) {
  ADCL_Attribute attrs[2];
  ADCL_Attrset attrset = attributes(attrs);
  int left_out[2] = {11, 20};
  int *without[1];
  without[0] = left_out;
  ADCL_Fnctset set;
  ADCL_Request request;
  OK(ADCL_Fnctset_create_single((ADCL_work_fnct_ptr *)sum_by_values, ADCL_NULL_FNCT_PTR, attrset, (char *)"values",
                                without, 1, &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &request));
  for (int start = 0; start < starts; ++start) {
    OK(ADCL_Request_start(request));
  }
  CHECK(seen[0][0] > 0 && seen[0][1] > 0 && seen[1][1] > 0 && seen[1][0] == 0);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  free_attributes(attrs, &attrset);
}

/* ---- Split codelets (init and wait) with overlapped work, and a timer over two requests -------------------------- */

static int started, waited, worked, all_at_once;

static void start_part(ADCL_Request req) {
  (void)req;
  ++started;
}
static void wait_part(ADCL_Request req) {
  (void)req;
  ++waited;
}
static void work(ADCL_Request req) {
  (void)req;
  ++worked;
}
static void whole_work(ADCL_Request req) {
  (void)req;
  ++all_at_once;
}

static void overlap_and_timer(ADCL_Topology topo) {
  ADCL_Function func;
  ADCL_Fnctset set;
  ADCL_Request requests[2];
  ADCL_Timer timer;
  OK(ADCL_Function_create_async(start_part, wait_part, ADCL_ATTRSET_NULL, NULL, (char *)"parts", &func));
  OK(ADCL_Fnctset_create(1, &func, (char *)"in two parts", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &requests[0]));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, topo, set, &requests[1]));
  for (int i = 0; i < 10; ++i) {
    OK(ADCL_Request_start_overlap(requests[0], work, ADCL_NULL_FNCT_PTR, whole_work));
  }
  CHECK(started == 10 && waited == 10 && worked == 10 && all_at_once == 0);
  OK(ADCL_Timer_create(2, requests, &timer));
  for (int i = 0; i < 20; ++i) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_init(requests[0]));
    OK(ADCL_Request_start(requests[1]));
    OK(ADCL_Request_wait(requests[0]));
    OK(ADCL_Timer_stop(timer));
  }
  CHECK(started == 50 && waited == 50);
  OK(ADCL_Timer_free(&timer));
  CHECK(timer == ADCL_TIMER_NULL);
  OK(ADCL_Request_free(&requests[0]));
  OK(ADCL_Request_free(&requests[1]));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&func));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  setenv("ADCL_SEARCH", "brute_force", 1);
  OK(ADCL_Init());
  ADCL_Topology topo;
  OK(ADCL_Topology_create_generic(0, 0, NULL, NULL, NULL, NULL, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topo));
  user_functions(topo);
  combinations(topo);
  overlap_and_timer(topo);
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Finalize());
  return harness_verdict();
}
