/* ranks: 1 2 3
 * A request that runs alternately by start, and by init and wait. Each mode has its own winner, and queries of the
 * request, also by codelets, return the values of the running mode. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "harness.h"

static int current_mode; /* 0: start, 1: init and wait */
static int runs;         /* executions of the codelets */
static int wrong;        /* runs of the value that loses in this mode */
static int decided;      /* both modes have winners */

/* Value 0 is slow in the first mode, value 1 in the second. */
static void begin(ADCL_Request request) {
  const struct timespec slow = {0, 2000000};
  int value = -1;
  OK(ADCL_Request_get_attribute_values(request, 1, &value));
  ++runs;
  if (value == current_mode) {
    wrong += decided;
    nanosleep(&slow, NULL);
  }
}

static void end(ADCL_Request request) { (void)request; }

static void run(ADCL_Request request, int mode, const char *winner) {
  char name[ADCL_MAX_NAME];
  current_mode = mode;
  if (current_mode == 0) {
    OK(ADCL_Request_start(request));
  } else {
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
  }
  if (decided) {
    OK(ADCL_Request_get_curr_function(request, name, sizeof name));
    CHECK(strcmp(name, winner) == 0);
    OK(ADCL_Request_get_winner(request, name, sizeof name));
    CHECK(strcmp(name, winner) == 0);
  }
}

int main(int argc, char **argv) {
  const int values[2] = {0, 1};
  const char *names[2] = {"zero", "one"};
  ADCL_Attribute attribute;
  ADCL_Attrset attrset;
  ADCL_Fnctset set;
  ADCL_Request request;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  OK(ADCL_Attribute_create(2, values, names, "slow_way", &attribute));
  OK(ADCL_Attrset_create(1, &attribute, &attrset));
  OK(ADCL_Fnctset_create_single(begin, end, attrset, "mine", NULL, 0, &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  for (int mode = 0; mode < 2; ++mode) {
    for (int i = 0; i < 12; ++i) {
      run(request, mode, "");
    }
  }
  decided = 1;
  for (int i = 0; i < 20; ++i) {
    run(request, 0, "mine_one");
    run(request, i % 2, i % 2 == 0 ? "mine_one" : "mine_zero");
    run(request, 1, "mine_zero");
  }
  CHECK(runs == 24 + 60);
  CHECK(wrong == 0);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Attrset_free(&attrset));
  OK(ADCL_Attribute_free(&attribute));
  OK(ADCL_Finalize());
  return harness_verdict();
}
