/* Common code of the tests of the C interface. A failed check prints file, line and rank. The verdict is the sum
 * over all ranks, so every rank ends with the same exit code. */
#ifndef ADCL_TESTS_HARNESS_H
#define ADCL_TESTS_HARNESS_H

#include <ADCL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int harness_failures = 0;
static int harness_checks = 0;

static inline int harness_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int harness_size(void) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

#define CHECK(condition)                                                                               \
  do {                                                                                                 \
    ++harness_checks;                                                                                  \
    if (!(condition)) {                                                                                \
      ++harness_failures;                                                                              \
      fprintf(stderr, "%s:%d: rank %d: failed: %s\n", __FILE__, __LINE__, harness_rank(), #condition); \
    }                                                                                                  \
  } while (0)

/* Checks that the call succeeds. */
#define OK(call)                                                                                                    \
  do {                                                                                                              \
    int harness_code = (call);                                                                                      \
    ++harness_checks;                                                                                               \
    if (harness_code != ADCL_SUCCESS) {                                                                             \
      ++harness_failures;                                                                                           \
      fprintf(stderr, "%s:%d: rank %d: %s: code %d, %s\n", __FILE__, __LINE__, harness_rank(), #call, harness_code, \
              ADCL_Last_error());                                                                                   \
    }                                                                                                               \
  } while (0)

static inline int state_of(ADCL_Request request) {
  int state = -1;
  OK(ADCL_Request_get_state(request, &state));
  return state;
}

static inline int is_searching(ADCL_Request request) { return state_of(request) == ADCL_STATE_SEARCH; }

/* True if the codelet that ran last has this name. */
static inline int current_is(ADCL_Request request, const char *expected) {
  char name[ADCL_MAX_NAME];
  OK(ADCL_Request_get_curr_function(request, name, sizeof name));
  return strcmp(name, expected) == 0;
}

static inline int winner_is(ADCL_Request request, const char *expected) {
  char name[ADCL_MAX_NAME];
  OK(ADCL_Request_get_winner(request, name, sizeof name));
  return strcmp(name, expected) == 0;
}

/* Number of candidates of the request. */
static inline int candidate_count(ADCL_Request request) {
  int num = 0;
  OK(ADCL_Request_get_functions_num(request, &num));
  return num;
}

/* A work function that does nothing. */
static inline void no_work(ADCL_Request request) { (void)request; }

/* Keeps the processor busy. */
static inline void busy_wait_us(int microseconds) {
  const double end = MPI_Wtime() + 1e-6 * microseconds;
  while (MPI_Wtime() < end) {
  }
}

/* True if the last message begins with the name of the call, and contains the name only once. */
static inline int harness_named_once(const char *call) {
  const char *message = ADCL_Last_error();
  const size_t length = strcspn(call, "(");
  char name[ADCL_MAX_NAME];
  int found = 0;
  snprintf(name, sizeof name, "%.*s", (int)length, call);
  for (const char *at = strstr(message, name); at != NULL; at = strstr(at + 1, name)) {
    found += strspn(at + length, "_abcdefghijklmnopqrstuvwxyz") == 0;
  }
  return found == 1 && strncmp(message, name, length) == 0 && message[length] == ':';
}

/* Checks that the call fails with `code`, and that the message contains `part` and names the call once. */
#define FAILS(code, part, call)                                                                                    \
  do {                                                                                                             \
    int harness_code = (call);                                                                                     \
    ++harness_checks;                                                                                              \
    if (harness_code != (code) || strstr(ADCL_Last_error(), (part)) == NULL || !harness_named_once(#call)) {       \
      ++harness_failures;                                                                                          \
      fprintf(stderr, "%s:%d: rank %d: %s: code %d (expected %d), message '%s' (expected '%s' in it)\n", __FILE__, \
              __LINE__, harness_rank(), #call, harness_code, (code), ADCL_Last_error(), (part));                   \
    }                                                                                                              \
  } while (0)

/* Like FAILS; the message must contain the wrong value and the remedy. */
#define REFUSES(code, value, remedy, call)                                                                       \
  do {                                                                                                           \
    FAILS(code, value, call);                                                                                    \
    ++harness_checks;                                                                                            \
    if (strstr(ADCL_Last_error(), (remedy)) == NULL) {                                                           \
      ++harness_failures;                                                                                        \
      fprintf(stderr, "%s:%d: rank %d: %s: message '%s' (expected the remedy '%s' in it)\n", __FILE__, __LINE__, \
              harness_rank(), #call, ADCL_Last_error(), (remedy));                                               \
    }                                                                                                            \
  } while (0)

/* Initializes MPI with MPI_THREAD_MULTIPLE. If it is not supported, prints a message, finalizes MPI and returns 0. */
static inline int harness_threads(int *argc, char ***argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("the MPI library has no MPI_THREAD_MULTIPLE: nothing to test\n");
    MPI_Finalize();
  }
  return provided >= MPI_THREAD_MULTIPLE;
}

static inline int harness_verdict(void) {
  int totals[2];
  totals[0] = harness_failures;
  totals[1] = harness_checks;
  MPI_Allreduce(MPI_IN_PLACE, totals, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    printf("%d checks, %d failures over %d ranks\n", totals[1], totals[0], harness_size());
  }
  MPI_Finalize();
  return totals[0] != 0 || totals[1] == 0;
}

/* A periodic Cartesian communicator over all processes. */
static inline MPI_Comm harness_cart(int ndims, int periodic) {
  int dims[8] = {0};
  int periods[8];
  MPI_Comm cart;
  for (int d = 0; d < ndims; ++d) {
    periods[d] = periodic;
  }
  MPI_Dims_create(harness_size(), ndims, dims);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &cart);
  return cart;
}

/* Factor on the time limit of a test. */
static inline double harness_share(void) {
  const char *share = getenv("ADCL_TEST_SHARE");
  return share != NULL && *share != '\0' ? atof(share) : 1.0;
}

static unsigned long long harness_state = 0;

/* Random numbers that are the same on all ranks. The seed is printed, and ADCL_TEST_SEED repeats it. Collective. */
static inline void harness_seed(void) {
  const char *given = getenv("ADCL_TEST_SEED");
  harness_state = given != NULL ? strtoull(given, NULL, 10)
                                : (unsigned long long)time(NULL) * 1000003ULL + (unsigned long long)clock();
  MPI_Bcast(&harness_state, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    printf("ADCL_TEST_SEED=%llu\n", harness_state);
    fflush(stdout);
  }
}

/* Uniform in low ... high, both included: SplitMix64 (Steele et al. 2014). */
static inline int harness_between(int low, int high) {
  unsigned long long z = harness_state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return low + (int)(z % (unsigned long long)(high - low + 1));
}

/* Draws the search logic of the requests that follow; returns the number of measurements. */
static inline int harness_any_search(void) {
  static const char *const searches[] = {"hypothesis", "factorial", "brute_force"};
  static const char *const methods[] = {"none", "heuristic"};
  static const int numbers[] = {1, 2, 3, 5, 7, 10, 11};
  const char *const search = searches[harness_between(0, 2)];
  const char *const method = methods[harness_between(0, 1)];
  const int measurements = numbers[harness_between(0, 6)];
  char text[16];
  snprintf(text, sizeof text, "%d", measurements);
  OK(ADCL_Option_set("ADCL_SEARCH", search));
  OK(ADCL_Option_set("ADCL_OUTLIERS", method));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", text));
  return measurements;
}

#endif
