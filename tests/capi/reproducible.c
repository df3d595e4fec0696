/* ranks: 1 2 3 4 7
 * timeout: 120
 * ADCL_REPRODUCIBLE: floating-point sums are bitwise equal to MPI's own call at every start, with every codelet that
 * is tried. If the order does not affect the result, there are several candidates. */
#include "harness.h"

enum { count = 64, starts = 150 };

/* Number of codelets that are MPI's own calls. SMPI's nonblocking calls are not candidates, and its MPI_Scan adds in
 * the order of arrival, so the results of two calls may differ. */
#ifdef SMPI_H
enum { natives = 1, repeatable_scan = 0 };
#else
enum { natives = 2, repeatable_scan = 1 };
#endif

static double given[count], result[count], reference[count];
static int rank, size;

/* Numbers whose sum depends on the order: they differ greatly in size and nearly cancel. */
static void fill(int start) {
  unsigned state = 7U + 31U * (unsigned)rank + 1009U * (unsigned)start;
  for (int i = 0; i < count; ++i) {
    double scale = 1.0;
    state = state * 1664525U + 1013904223U;
    for (unsigned power = 0; power < state % 13U; ++power) {
      scale *= 17.3;
    }
    given[i] = ((double)(state >> 8) / 16777216.0 - 0.5) * scale;
  }
}

/* Number of starts of an allreduce or a scan whose result is not bitwise equal to MPI's on some rank. */
static int count_differences(int scan, int split) {
  ADCL_Request request;
  int differ = 0, all = 0;
  if (scan) {
    OK(ADCL_Scan_init(given, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
  } else {
    OK(ADCL_Allreduce_init(given, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
  }
  for (int start = 0; start < starts; ++start) {
    fill(start);
    if (split) {
      MPI_Request call;
      OK(ADCL_Request_init(request));
      OK(ADCL_Request_wait(request));
      MPI_Iallreduce(given, reference, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &call);
      MPI_Wait(&call, MPI_STATUS_IGNORE);
    } else {
      OK(ADCL_Request_start(request));
      if (scan) {
        MPI_Scan(given, reference, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      } else {
        MPI_Allreduce(given, reference, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      }
    }
    differ += memcmp(result, reference, sizeof result) != 0;
  }
  OK(ADCL_Request_free(&request));
  MPI_Allreduce(&differ, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static int candidates_of(MPI_Datatype type, MPI_Op op) {
  ADCL_Request request;
  int num;
  OK(ADCL_Allreduce_init(given, result, count / 2, type, op, MPI_COMM_WORLD, &request));
  num = candidate_count(request);
  OK(ADCL_Request_free(&request));
  return num;
}

static void last_wins(void *in, void *inout, int *entries, MPI_Datatype *type) {
  (void)type;
  memcpy(inout, in, (size_t)*entries * sizeof(int));
}

int main(int argc, char **argv) {
  MPI_Op own;
  int all, alone;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  MPI_Op_create(&last_wins, 1, &own);
  all = candidates_of(MPI_INT, MPI_SUM);
  if (size > 2) {
    CHECK(count_differences(0, 0) > 0); /* without the option, bits differ */
  }

  OK(ADCL_Option_set("ADCL_REPRODUCIBLE", "1"));
  CHECK(count_differences(0, 0) == 0);
  if (natives > 1) {
    CHECK(count_differences(0, 1) == 0);
  }
  if (repeatable_scan) {
    CHECK(count_differences(1, 0) == 0);
  }
  alone = size == 1 ? candidates_of(MPI_DOUBLE, MPI_MAX) : natives;
  CHECK(candidates_of(MPI_INT, MPI_SUM) == all);
  CHECK(candidates_of(MPI_INT, MPI_BXOR) == all);
  CHECK(candidates_of(MPI_2INT, MPI_MINLOC) >= all - 1 && (size == 1 || candidates_of(MPI_2INT, MPI_MINLOC) > natives));
  CHECK(candidates_of(MPI_DOUBLE, MPI_MAX) == alone);
  CHECK(candidates_of(MPI_INT, own) == alone);
  CHECK((candidates_of(MPI_DOUBLE, MPI_SUM) > natives) == (size <= 2));

  OK(ADCL_Option_set("ADCL_CODELETS", "allreduce:Ring"));
  if (size > 2) {
    ADCL_Request request;
    FAILS(ADCL_ERR_NO_CODELET, "ADCL_REPRODUCIBLE is 1",
          ADCL_Allreduce_init(given, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request));
  }
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  MPI_Op_free(&own);
  OK(ADCL_Finalize());
  return harness_verdict();
}
