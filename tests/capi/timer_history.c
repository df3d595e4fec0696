/* ranks: 1 2 3 4
 * valgrind: 1 2
 * ADCL_HISTORY and timers: what a timer has found, the next one of the same requests verifies instead of searching.
 * Times are the test's own. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <unistd.h>

#include "harness.h"

enum {
  kinds = 3,
  most = 4000,
  /* One more than a verification: in the first iteration the timer learns what is used. */
  at_once = 11
};

static int ran[2]; /* which function of each set ran last */

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

/* What the two functions cost together. From a and a, only one of both being exchanged, no way leads to b and c. */
static double together[kinds][kinds] = {{1e-3, 4e-3, 4e-3}, {4e-3, 4e-3, 1e-4}, {4e-3, 4e-3, 4e-3}};

/* A program of one timer: how many iterations its search takes. */
static int program(int best_halo, int best_sum) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  int state = ADCL_STATE_SEARCH;
  int iterations = 0;
  for (int s = 0; s < 2; ++s) {
    OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, sets[s], &both[s]));
  }
  OK(ADCL_Timer_create(2, both, &timer));
  for (; state == ADCL_STATE_SEARCH && iterations < most; ++iterations) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(both[0]));
    OK(ADCL_Request_start(both[1]));
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Request_update(both[1], together[ran[0]][ran[1]]));
    OK(ADCL_Timer_get_state(timer, &state));
  }
  CHECK(winner_is(both[0], names[best_halo]) && winner_is(both[1], names[best_sum]));
  OK(ADCL_Timer_free(&timer));
  for (int s = 0; s < 2; ++s) {
    OK(ADCL_Request_free(&both[s]));
  }
  return iterations;
}

/* Removes the folder; how many problems it knew. */
static int problems_of(const char *folder) {
  int files = 0;
  DIR *open_folder = opendir(folder);
  for (struct dirent *item = readdir(open_folder); item != NULL; item = readdir(open_folder)) {
    char name[512];
    snprintf(name, sizeof name, "%s/%.255s", folder, item->d_name);
    files += strstr(item->d_name, ".json") != NULL;
    unlink(name);
  }
  closedir(open_folder);
  rmdir(folder);
  return files;
}

static void remembered(void) {
  char folder[64] = "/tmp/adcl-timer-XXXXXX";
  if (harness_rank() == 0 && mkdtemp(folder) == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  OK(ADCL_Option_set("ADCL_HISTORY", harness_rank() == 0 ? folder : "/nowhere/at/all"));
  CHECK(program(1, 2) > 9 * 4);
  CHECK(program(1, 2) <= at_once);
  /* One coordinate after the other is another search. */
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "8"));
  CHECK(program(0, 0) > 2 * 3 * 4);
  CHECK(program(0, 0) <= 2 * at_once);
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "64"));
  /* The machine has changed: what was known does not hold, and what is found takes its place. */
  together[1][2] = 2e-3;
  CHECK(program(0, 0) > 9 * 4);
  CHECK(program(0, 0) <= at_once);
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  CHECK(program(0, 0) > 9 * 4);
  MPI_Barrier(MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    CHECK(problems_of(folder) == 3); /* all combinations, and two stages */
  }
}

int main(int argc, char **argv) {
  ADCL_work_fnct_ptr *const work[2][kinds] = {{halo_a, halo_b, halo_c}, {sum_a, sum_b, sum_c}};
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "6"));
  for (int s = 0; s < 2; ++s) {
    for (int k = 0; k < kinds; ++k) {
      OK(ADCL_Function_create(work[s][k], ADCL_ATTRSET_NULL, NULL, names[k], &functions[s][k]));
    }
    OK(ADCL_Fnctset_create(kinds, functions[s], s == 0 ? "halo" : "sum", &sets[s]));
  }
  remembered();
  for (int s = 0; s < 2; ++s) {
    OK(ADCL_Fnctset_free(&sets[s]));
    for (int k = 0; k < kinds; ++k) {
      OK(ADCL_Function_free(&functions[s][k]));
    }
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
