/* ranks: 1 2 3 4
 * ADCL_Request_test and ADCL_Request_wait measure an operation in the same way. */
#include "harness.h"

enum { most = 200, measured = 10 };

static void first(ADCL_Request req) { (void)req; }
static void second(ADCL_Request req) { (void)req; }
static void end(ADCL_Request req) { (void)req; }

static void run(ADCL_Request request) {
  int done = 0;
  OK(ADCL_Request_init(request));
  while (!done) {
    OK(ADCL_Request_test(request, &done));
  }
  OK(ADCL_Request_update(request, current_is(request, "first") ? 0.2 : 0.1));
}

int main(int argc, char **argv) {
  int measurements[2];
  int outliers[2];
  double mean_s[2];
  double filtered_s[2];
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Request request;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "10"));
  OK(ADCL_Function_create_async(first, end, ADCL_ATTRSET_NULL, NULL, "first", &functions[0]));
  OK(ADCL_Function_create_async(second, end, ADCL_ATTRSET_NULL, NULL, "second", &functions[1]));
  OK(ADCL_Fnctset_create(2, functions, "pair", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  for (int i = 0; i < most && is_searching(request); ++i) {
    run(request);
  }
  CHECK(winner_is(request, "second"));
  OK(ADCL_Request_save_status(request, 2, measurements, mean_s, filtered_s, outliers));
  CHECK(measurements[0] == measured && measurements[1] == measured);
  CHECK(mean_s[0] > 0.199 && mean_s[0] < 0.201 && mean_s[1] > 0.099 && mean_s[1] < 0.101);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
  OK(ADCL_Finalize());
  return harness_verdict();
}
