/* Runs every codelet of a request on arrays of integers, and compares the received array with the result of
 * MPI's own call. */
#ifndef ADCL_TESTS_EVERY_CODELET_H
#define ADCL_TESTS_EVERY_CODELET_H

#include "harness.h"

#ifndef EVERY_CODELET_MOST
#define EVERY_CODELET_MOST 96
#endif

enum { most_ranks = 4, most = EVERY_CODELET_MOST, most_starts = 400 };

static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank, size;

static inline void every_codelet_begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  OK(ADCL_Init());
  rank = harness_rank();
  size = harness_size();
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  harness_seed();
}

static inline void numbers(int *array, int first) {
  for (int i = 0; i < most; ++i) {
    array[i] = first + i;
  }
}

/* Starts the request until it has a winner and then once more, and frees it. `in` equals `before` before each
 * start and must equal `expected` after it. */
static inline void run(const char *what, ADCL_Request *request, int *in, const int *before, const int *expected) {
  char name[ADCL_MAX_NAME] = "";
  int left = most_starts, decided = 0;
  if (state_of(*request) < 0) {
    return; /* the request was not created */
  }
  while (left-- > 0 && !decided) {
    OK(ADCL_Request_get_winner(*request, name, sizeof name));
    decided = name[0] != '\0';
    memcpy(in, before, most * sizeof *in);
    OK(ADCL_Request_start(*request));
    OK(ADCL_Request_get_curr_function(*request, name, sizeof name));
    CHECK(memcmp(in, expected, most * sizeof *in) == 0);
    if (memcmp(in, expected, most * sizeof *in) != 0) {
      fprintf(stderr, "rank %d: wrong data of %s by %s\n", rank, what, name);
    }
  }
  CHECK(decided);
  OK(ADCL_Request_free(request));
}

#endif
