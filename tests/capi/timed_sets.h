/* Two function sets for tests of timers, halo and sum, with three functions each that only record that they ran. */
#ifndef TIMED_SETS_H
#define TIMED_SETS_H

#include "harness.h"

enum { kinds = 3, most = 4000 };

static int ran[2]; /* index of the function of each set that ran last */

static void halo_a(ADCL_Request req) {
  (void)req;
  ran[0] = 0;
}
static void halo_b(ADCL_Request req) {
  (void)req;
  ran[0] = 1;
}
static void halo_c(ADCL_Request req) {
  (void)req;
  ran[0] = 2;
}
static void sum_a(ADCL_Request req) {
  (void)req;
  ran[1] = 0;
}
static void sum_b(ADCL_Request req) {
  (void)req;
  ran[1] = 1;
}
static void sum_c(ADCL_Request req) {
  (void)req;
  ran[1] = 2;
}

static ADCL_Function functions[2][kinds];
static ADCL_Fnctset sets[2];
static const char *const names[kinds] = {"a", "b", "c"};

/* Seconds of a pair of functions. The pair (a, a) is the best if each set is judged separately. A search that changes
 * one function at a time cannot reach (b, c) from there. */
static const double together[kinds][kinds] = {{1e-3, 4e-3, 4e-3}, {4e-3, 4e-3, 1e-4}, {4e-3, 4e-3, 4e-3}};

static void make_sets(void) {
  ADCL_work_fnct_ptr *const work[2][kinds] = {{halo_a, halo_b, halo_c}, {sum_a, sum_b, sum_c}};
  for (int s = 0; s < 2; ++s) {
    for (int k = 0; k < kinds; ++k) {
      OK(ADCL_Function_create(work[s][k], ADCL_ATTRSET_NULL, NULL, names[k], &functions[s][k]));
    }
    OK(ADCL_Fnctset_create(kinds, functions[s], s == 0 ? "halo" : "sum", &sets[s]));
  }
}

static void free_sets(void) {
  for (int s = 0; s < 2; ++s) {
    OK(ADCL_Fnctset_free(&sets[s]));
    for (int k = 0; k < kinds; ++k) {
      OK(ADCL_Function_free(&functions[s][k]));
    }
  }
}

static ADCL_Request request_of(int set) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, sets[set], &request));
  return request;
}

static int timer_state(ADCL_Timer timer) {
  int state = -1;
  OK(ADCL_Timer_get_state(timer, &state));
  return state;
}

#endif
