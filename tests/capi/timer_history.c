/* ranks: 1 2 3 4
 * valgrind: 1 2
 * ADCL_HISTORY and timers: the next timer of the same requests verifies the stored winner instead of searching. The
 * test sets the times. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <unistd.h>

#include "timed_sets.h"

/* Iterations of a verification, and an additional first iteration, in which the timer records the modes in use. */
enum { verification_iterations = 11 };

/* If set, b and c take much longer than before. */
static int changed;

/* Runs a program with one timer; returns the number of iterations of its search. */
static int program(int best_halo, int best_sum) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  int iterations = 0;
  for (int s = 0; s < 2; ++s) {
    both[s] = request_of(s);
  }
  OK(ADCL_Timer_create(2, both, &timer));
  for (; timer_state(timer) == ADCL_STATE_SEARCH && iterations < most; ++iterations) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(both[0]));
    OK(ADCL_Request_start(both[1]));
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Request_update(both[1], changed && ran[0] == 1 && ran[1] == 2 ? 2e-3 : together[ran[0]][ran[1]]));
  }
  CHECK(winner_is(both[0], names[best_halo]) && winner_is(both[1], names[best_sum]));
  OK(ADCL_Timer_free(&timer));
  for (int s = 0; s < 2; ++s) {
    OK(ADCL_Request_free(&both[s]));
  }
  return iterations;
}

/* Removes the folder; returns the number of problems that it had. */
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

static void winner_is_verified(void) {
  char folder[64] = "/tmp/adcl-timer-XXXXXX";
  if (harness_rank() == 0 && mkdtemp(folder) == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  OK(ADCL_Option_set("ADCL_HISTORY", harness_rank() == 0 ? folder : "/nowhere/at/all"));
  CHECK(program(1, 2) > 9 * 4);
  CHECK(program(1, 2) <= verification_iterations);
  /* Varying one coordinate after the other is a different search. */
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "8"));
  CHECK(program(0, 0) > 2 * 3 * 4);
  CHECK(program(0, 0) <= 2 * verification_iterations);
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "64"));
  /* The machine has changed: the stored winner is not confirmed, and the new winner replaces it. */
  changed = 1;
  CHECK(program(0, 0) > 9 * 4);
  CHECK(program(0, 0) <= verification_iterations);
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  CHECK(program(0, 0) > 9 * 4);
  MPI_Barrier(MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    CHECK(problems_of(folder) == 3); /* all combinations, and two stages */
  }
}

static int iterations_of_search(ADCL_Timer timer, const ADCL_Request both[2]) {
  int iterations = 0;
  for (; timer_state(timer) == ADCL_STATE_SEARCH && iterations < most; ++iterations) {
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(both[0]));
    OK(ADCL_Request_start(both[1]));
    OK(ADCL_Timer_stop(timer));
    OK(ADCL_Request_update(both[1], together[ran[0]][ran[1]]));
  }
  return iterations;
}

/* A search of one set after the other that the application requests begins with the next iteration. */
static void requested_search_begins_at_once(void) {
  ADCL_Request both[2];
  ADCL_Timer timer = ADCL_TIMER_NULL;
  int first;
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "8"));
  for (int s = 0; s < 2; ++s) {
    both[s] = request_of(s);
  }
  OK(ADCL_Timer_create(2, both, &timer));
  first = iterations_of_search(timer, both);
  CHECK(first < most);
  for (int i = 0; i < 20; ++i) { /* the first check, and starts without a check */
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(both[0]));
    OK(ADCL_Request_start(both[1]));
    OK(ADCL_Timer_stop(timer));
  }
  OK(ADCL_Request_verify(both[0]));
  CHECK(timer_state(timer) == ADCL_STATE_SEARCH);
  CHECK(iterations_of_search(timer, both) <= first);
  OK(ADCL_Timer_free(&timer));
  for (int s = 0; s < 2; ++s) {
    OK(ADCL_Request_free(&both[s]));
  }
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", "64"));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "6"));
  make_sets();
  winner_is_verified();
  requested_search_begins_at_once();
  free_sets();
  OK(ADCL_Finalize());
  return harness_verdict();
}
