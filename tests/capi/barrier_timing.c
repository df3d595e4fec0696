/* ranks: 1 2 3 4
 * ADCL_TIMING=barrier: while a search measures, the ranks synchronize before and after each operation that runs in
 * one call, and before each operation that runs in two calls. They do not synchronize in production. */
#include "harness.h"

enum { most = 200 };

static int meetings;
static int meetings_at_work;

int MPI_Barrier(MPI_Comm comm) {
  ++meetings;
  return PMPI_Barrier(comm);
}

static void first(ADCL_Request req) {
  (void)req;
  meetings_at_work = meetings;
}
static void second(ADCL_Request req) {
  (void)req;
  meetings_at_work = meetings;
}
enum way { whole, split, overlapped };

static void operation(ADCL_Request request, enum way way) {
  switch (way) {
    case whole:
      OK(ADCL_Request_start(request));
      break;
    case split:
      OK(ADCL_Request_init(request));
      OK(ADCL_Request_wait(request));
      break;
    case overlapped:
      OK(ADCL_Request_start_overlap(request, no_work, no_work, no_work));
      break;
  }
}

/* Functions in one part or in two. */
static void check_barriers(enum way way, int parts) {
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Request request;
  int starts = 0;
  for (int i = 0; i < 2; ++i) {
    ADCL_work_fnct_ptr *const work = i == 0 ? first : second;
    const char *const name = i == 0 ? "first" : "second";
    if (parts == 1) {
      OK(ADCL_Function_create(work, ADCL_ATTRSET_NULL, NULL, name, &functions[i]));
    } else {
      OK(ADCL_Function_create_async(work, no_work, ADCL_ATTRSET_NULL, NULL, name, &functions[i]));
    }
  }
  OK(ADCL_Fnctset_create(2, functions, "pair", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  for (; starts < most && is_searching(request); ++starts) {
    const int before = meetings;
    operation(request, way);
    if (is_searching(request)) {
      CHECK(meetings_at_work == before + 1);
      CHECK(meetings == before + (way == split ? 1 : 2));
    }
  }
  CHECK(starts > 20 && starts < most);
  meetings = 0;
  for (int i = 0; i < 20; ++i) {
    operation(request, way);
  }
  CHECK(meetings == 0);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_TIMING", "barrier"));
  OK(ADCL_Option_set("ADCL_MONITOR", "0"));
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  check_barriers(whole, 1);
  check_barriers(whole, 2);
  check_barriers(split, 2);
  check_barriers(overlapped, 1);
  check_barriers(overlapped, 2);
  OK(ADCL_Finalize());
  return harness_verdict();
}
