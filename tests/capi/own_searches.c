/* ranks: 1 2 3 4
 * Requests of the application's function set that differ only in properties that the library does not see, such as
 * their context. Each request finds its own best codelet. Requests share a search if the application allows it, but
 * not with another set of the same name. */
#include "harness.h"

enum { first_is_best = 0, second_is_best = 1, most_starts = 200 };

static double data[8];

static void first(ADCL_Request request) { (void)request; }
static void second(ADCL_Request request) { (void)request; }

static ADCL_Fnctset set_of(ADCL_work_fnct_ptr *a, ADCL_work_fnct_ptr *b) {
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  OK(ADCL_Function_create(a, ADCL_ATTRSET_NULL, NULL, "first", &functions[0]));
  OK(ADCL_Function_create(b, ADCL_ATTRSET_NULL, NULL, "second", &functions[1]));
  OK(ADCL_Fnctset_create(2, functions, "mine", &set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
  return set;
}

/* Starts with a time that makes one codelet the best for this request. */
static void start(ADCL_Request request) {
  void *context = NULL;
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_get_context(request, &context));
  const int best = current_is(request, *(int *)context == first_is_best ? "first" : "second");
  OK(ADCL_Request_update(request, best ? 0.1 : 0.2));
}

/* Starts both requests alternately until both have decided; returns the number of starts. */
static int search_in_turn(ADCL_Request one, ADCL_Request other) {
  int starts = 0;
  while (starts < most_starts && (is_searching(one) || is_searching(other))) {
    start(one);
    start(other);
    ++starts;
  }
  CHECK(starts < most_starts);
  return starts;
}

static void different_winners(ADCL_Vector vec, ADCL_Topology topo) {
  int best[2] = {first_is_best, second_is_best};
  ADCL_Fnctset set = set_of(first, second);
  ADCL_Request requests[2];
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Request_create(vec, ADCL_VMAP_NULL, topo, set, &requests[i]));
    OK(ADCL_Request_set_context(requests[i], &best[i]));
  }
  search_in_turn(requests[0], requests[1]);
  CHECK(winner_is(requests[0], "first"));
  CHECK(winner_is(requests[1], "second"));
  OK(ADCL_Request_free(&requests[0]));
  OK(ADCL_Request_free(&requests[1]));
  OK(ADCL_Fnctset_free(&set));
}

/* Number of starts of each of two requests of these sets. */
static int starts_of(ADCL_Fnctset one, ADCL_Fnctset other) {
  int best = second_is_best;
  int starts;
  ADCL_Request requests[2];
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, one, &requests[0]));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, other, &requests[1]));
  OK(ADCL_Request_set_context(requests[0], &best));
  OK(ADCL_Request_set_context(requests[1], &best));
  starts = search_in_turn(requests[0], requests[1]);
  CHECK(winner_is(requests[0], "second") && winner_is(requests[1], "second"));
  OK(ADCL_Request_free(&requests[0]));
  OK(ADCL_Request_free(&requests[1]));
  return starts;
}

static void set_sharing(void) {
  ADCL_Fnctset set = set_of(first, second);
  ADCL_Fnctset twin = set_of(second, first);
  const int alone = starts_of(set, set);
  CHECK(alone == 22); /* 2 codelets x 10 starts, and two starts for the agreement */
  OK(ADCL_Fnctset_set_sharing(set, 1));
  OK(ADCL_Fnctset_set_sharing(twin, 1));
  CHECK(starts_of(set, set) == alone / 2);
  CHECK(starts_of(set, twin) == alone);
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"));
  CHECK(starts_of(set, set) == alone);
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "1"));
  OK(ADCL_Fnctset_set_sharing(set, 0));
  CHECK(starts_of(set, set) == alone);
  FAILS(ADCL_ERR_ARGUMENT, "sharing is 2", ADCL_Fnctset_set_sharing(set, 2));
  FAILS(ADCL_ERR_ARGUMENT, "predefined", ADCL_Fnctset_set_sharing(ADCL_FNCTSET_NEIGHBORHOOD, 1));
  FAILS(ADCL_ERR_HANDLE, "null", ADCL_Fnctset_set_sharing(ADCL_FNCTSET_NULL, 1));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Fnctset_free(&twin));
}

int main(int argc, char **argv) {
  const int dims[1] = {8};
  ADCL_Vector vec;
  ADCL_Topology topo;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, data, &vec));
  OK(ADCL_Topology_create(MPI_COMM_WORLD, 0, &topo));
  different_winners(ADCL_VECTOR_NULL, ADCL_TOPOLOGY_NULL);
  different_winners(vec, topo);
  set_sharing();
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Finalize());
  return harness_verdict();
}
