/* ranks: 1 2 3
 * not smpi: its ranks are one process with one environment
 * Blanks around the value of an option are ignored. Control characters of names and files are escaped in
 * messages and in the report. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <unistd.h>

static void value_is(const char *option, const char *expected) {
  char value[ADCL_MAX_NAME];
  OK(ADCL_Option_get(option, value, sizeof value));
  CHECK(strcmp(value, expected) == 0);
}

static void blanks_in_values(void) {
  static const char *const numbers[] = {"5", " 5", "5 ", " 5 ", "\t5\t", "5\n"};
  setenv("ADCL_CONFIDENCE", " 3 ", 1);
  setenv("ADCL_OUTLIERS", "none ", 1);
  OK(ADCL_Init());
  value_is("ADCL_CONFIDENCE", "3");
  value_is("ADCL_OUTLIERS", "none");
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    OK(ADCL_Option_set("ADCL_MEASUREMENTS", "7"));
    OK(ADCL_Option_set("ADCL_MEASUREMENTS", numbers[i]));
    value_is("ADCL_MEASUREMENTS", "5");
  }
  OK(ADCL_Option_set("ADCL_SEARCH", " brute_force "));
  value_is("ADCL_SEARCH", "brute_force");
  FAILS(ADCL_ERR_OPTION, "ADCL_MEASUREMENTS=5 5", ADCL_Option_set("ADCL_MEASUREMENTS", "5 5"));
  FAILS(ADCL_ERR_OPTION, "ADCL_MEASUREMENTS", ADCL_Option_set("ADCL_MEASUREMENTS", " "));
  OK(ADCL_Finalize());
  unsetenv("ADCL_CONFIDENCE");
  unsetenv("ADCL_OUTLIERS");
}

/* A file with zero bytes, which a C string cannot contain. */
static void configuration(const char *path) {
  static const char *const messages[] = {":1: ADCL_SEARCH=mo\\x00del: did you mean model?",
                                         ":1: expected NAME = value, found 'a\\x00b\\x1b[31m'"};
  static const char first[] = "ADCL_SEARCH = mo\0del\n";
  static const char second[] = "a\0b\x1b[31m\n";
  for (int i = 0; i < 2; ++i) {
    if (harness_rank() == 0) {
      FILE *file = fopen(path, "wb");
      CHECK(file != NULL);
      fwrite(i == 0 ? first : second, 1, i == 0 ? sizeof first - 1 : sizeof second - 1, file);
      fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    setenv("ADCL_CONFIG", path, 1);
    FAILS(ADCL_ERR_OPTION, messages[i], ADCL_Init());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  unsetenv("ADCL_CONFIG");
}

/* The report has no control characters except line breaks, and names are readable. */
static void report(const char *path) {
  static char content[1 << 14];
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Request request;
  size_t size = 0;
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Function_create(no_work, ADCL_ATTRSET_NULL, NULL, "by\thand\x7f", &functions[0]));
  OK(ADCL_Function_create(no_work, ADCL_ATTRSET_NULL, NULL, "other\r", &functions[1]));
  OK(ADCL_Fnctset_create(2, functions, "my\nset", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  OK(ADCL_Request_set_name(request, "pres\nsure\x1b[31m"));
  for (int i = 0; i < 30; ++i) {
    OK(ADCL_Request_start(request));
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
  OK(ADCL_Finalize());
  if (harness_rank() == 0) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    for (size_t i = 0; i < size; ++i) {
      CHECK((unsigned char)content[i] >= 0x20 ? content[i] != 0x7f : content[i] == '\n');
    }
    CHECK(strstr(content, "pres\\nsure\\x1b[31m") != NULL);
    CHECK(strstr(content, "by\\thand\\x7f") != NULL);
    CHECK(strstr(content, "other\\x0d") != NULL);
    CHECK(strstr(content, "my\\nset #") != NULL);
    remove(path);
  }
}

/* Messages name their call once, which FAILS checks. */
static void call_named_once(void) {
  const int none[1] = {MPI_PROC_NULL};
  int right[1] = {MPI_PROC_NULL};
  ADCL_Topology topology = ADCL_TOPOLOGY_NULL;
  const int direction = harness_rank() == 0 ? ADCL_DIRECTION_BOTH : ADCL_DIRECTION_LEFT_TO_RIGHT;
  OK(ADCL_Init());
  if (harness_size() > 1) {
    FAILS(ADCL_ERR_MISMATCH, "ndims or direction",
          ADCL_Topology_create_generic(1, none, none, NULL, direction, MPI_COMM_WORLD, &topology));
  }
  right[0] = 0; /* rank 0 does not list this rank as its left neighbor */
  FAILS(ADCL_ERR_MISMATCH, "do not match",
        ADCL_Topology_create_generic(1, none, right, NULL, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topology));
  OK(ADCL_Finalize());
}

int main(int argc, char **argv) {
  char path[64];
  MPI_Init(&argc, &argv);
  snprintf(path, sizeof path, "./adcl_unusual_%d.txt", harness_size());
  if (harness_rank() == 0) {
    remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  blanks_in_values();
  configuration(path);
  if (harness_rank() == 0) {
    remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  report(path);
  call_named_once();
  return harness_verdict();
}
