/* ranks: 1 2 3 4
 * timeout: 240
 * not smpi: its ranks are one process with one environment
 * Ranks with different environments, as with a launcher that forwards variables to some ranks only. Rank 0's options
 * apply to all ranks, and all ranks run the same codelets without a hang. A misspelled variable is an error of
 * ADCL_Init. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <sys/stat.h>

static double data[64];

/* Checks that all ranks run the same codelet; names are compared by their hash. */
static void same_codelet(ADCL_Request request) {
  char name[ADCL_MAX_NAME];
  unsigned long hash = 5381;
  unsigned long range[2];
  OK(ADCL_Request_get_curr_function(request, name, sizeof name));
  for (const char *letter = name; *letter != '\0'; ++letter) {
    hash = hash * 33 + (unsigned char)*letter;
  }
  range[0] = hash;
  range[1] = ~hash;
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
  CHECK(range[0] == ~range[1]);
}

static void options_of_rank_0(void) {
  const int dims[2] = {8, 8};
  const int rank = harness_rank();
  MPI_Comm cart;
  ADCL_Request request;
  setenv("ADCL_SEARCH", rank == 0 ? "brute_force" : "hypothesis", 1);
  setenv("ADCL_MEASUREMENTS", rank == 0 ? "2" : "7", 1);
  setenv("ADCL_CODELETS", rank == 0 ? "neighborhood:IsIr_aao,IsIr_aao_pack" : "neighborhood:^IsIr_aao", 1);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  for (int i = 0; i < 4; ++i) {
    OK(ADCL_Request_start(request));
    same_codelet(request);
    CHECK(is_searching(request));
  }
  /* 2 codelets x 2 measurements and one start for the agreement, then production */
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_start(request));
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  CHECK(winner_is(request, "IsIr_aao") || winner_is(request, "IsIr_aao_pack"));
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
}

static void misspelled_option(void) {
  unsetenv("ADCL_CODELETS");
  setenv("ADCL_SERCH", "brute_force", 1);
  FAILS(ADCL_ERR_OPTION, "ADCL_SEARCH", ADCL_Init());
  unsetenv("ADCL_SERCH");
  setenv("ADCL_SEARCH", "fast", 1);
  FAILS(ADCL_ERR_OPTION, "ADCL_SEARCH=fast", ADCL_Init());
  unsetenv("ADCL_SEARCH");
  setenv("ADCL_ROOT", "a module system's variable", 1);
  setenv("ADCL_PROFILE", "the profiler's folder", 1);
  OK(ADCL_Init());
  OK(ADCL_Finalize());
}

static void misspelled_function_set(void) {
  const int dims[2] = {8, 8};
  MPI_Comm cart = harness_cart(2, 1);
  ADCL_Request request;
  setenv("ADCL_CODELETS", "neighbourhood:IsIr_aao", 1);
  OK(ADCL_Init());
  FAILS(ADCL_ERR_OPTION, "no function set 'neighbourhood'; did you mean neighborhood",
        ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  OK(ADCL_Finalize());
  setenv("ADCL_CODELETS", "of_my_own:a", 1);
  OK(ADCL_Init());
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Finalize());
  unsetenv("ADCL_CODELETS");
  MPI_Comm_free(&cart);
}

/* The environment takes precedence over the file, the file over the program. */
static void precedence(void) {
  char path[64];
  char value[ADCL_MAX_NAME];
  FILE *file;
  snprintf(path, sizeof path, "adcl_options_%d.conf", harness_rank());
  file = fopen(path, "w");
  CHECK(file != NULL);
  fputs("# options of a test\nADCL_MEASUREMENTS = 4   # a comment\n\nADCL_CONFIDENCE=3\n", file);
  fclose(file);
  setenv("ADCL_CONFIG", path, 1);
  setenv("ADCL_MEASUREMENTS", "5", 1);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "6"));
  OK(ADCL_Option_set("ADCL_CONFIDENCE", "6"));
  OK(ADCL_Option_set("ADCL_OUTLIER_BOUND", "6"));
  OK(ADCL_Option_get("ADCL_MEASUREMENTS", value, sizeof value));
  CHECK(strcmp(value, "5") == 0);
  OK(ADCL_Option_get("ADCL_CONFIDENCE", value, sizeof value));
  CHECK(strcmp(value, "3") == 0);
  OK(ADCL_Option_get("ADCL_OUTLIER_BOUND", value, sizeof value));
  CHECK(strcmp(value, "6") == 0);
  OK(ADCL_Finalize());
  file = fopen(path, "w");
  fputs("ADCL_MEASUREMENTS = 4\nADCL_CONFIDENT = 3\n", file);
  fclose(file);
  FAILS(ADCL_ERR_OPTION, ".conf:2: ADCL_CONFIDENT", ADCL_Init());
  remove(path);
  FAILS(ADCL_ERR_FILE, "ADCL_CONFIG", ADCL_Init());
}

static void write_config(const char *path, const char *content) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0);
}

/* Files as editors write them, and files that never end. */
static void unusual_configs(void) {
  const char *endless[] = {"/dev/full", "/dev/zero", "/dev/null", "/"};
  char path[64];
  char value[ADCL_MAX_NAME];
  snprintf(path, sizeof path, "adcl_unusual_%d.conf", harness_rank());
  remove(path); /* a killed run may have left the FIFO */
  setenv("ADCL_CONFIG", path, 1);
  unsetenv("ADCL_MEASUREMENTS");
  write_config(path, "");
  OK(ADCL_Init());
  OK(ADCL_Finalize());
  write_config(path, "\xef\xbb\xbf");
  OK(ADCL_Init());
  OK(ADCL_Finalize());
  write_config(path,
               "\xef\xbb\xbf"
               "ADCL_MEASUREMENTS = 4\r\n");
  OK(ADCL_Init());
  OK(ADCL_Option_get("ADCL_MEASUREMENTS", value, sizeof value));
  CHECK(strcmp(value, "4") == 0);
  OK(ADCL_Finalize());
  remove(path);
  CHECK(mkfifo(path, 0600) == 0);
  FAILS(ADCL_ERR_FILE, "this is a folder, a device or a pipe", ADCL_Init());
  remove(path);
  for (size_t i = 0; i < sizeof endless / sizeof *endless; ++i) {
    setenv("ADCL_CONFIG", endless[i], 1);
    FAILS(ADCL_ERR_FILE, endless[i], ADCL_Init());
  }
  unsetenv("ADCL_CONFIG");
}

/* Boundary values of numbers and destinations. */
static void unusual_values(void) {
  const char *numbers[] = {"1e300", "-1e300", "9223372036854775808", "nan", "inf", "1e999", "", " ", "0x10",
                           "3 3",   "++3"};
  char value[ADCL_MAX_NAME];
  OK(ADCL_Init());
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    FAILS(ADCL_ERR_OPTION, "expected a whole number from 1 to 1000000",
          ADCL_Option_set("ADCL_MEASUREMENTS", numbers[i]));
  }
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1e3"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", " +12"));
  FAILS(ADCL_ERR_OPTION, "did you mean stderr", ADCL_Option_set("ADCL_REPORT", "stder"));
  FAILS(ADCL_ERR_OPTION, "did you mean off", ADCL_Option_set("ADCL_REPORT", "of"));
  FAILS(ADCL_ERR_OPTION, "such as ./table", ADCL_Option_set("ADCL_REPORT", "table"));
  OK(ADCL_Option_set("ADCL_REPORT", "adcl_never_written.txt"));
  OK(ADCL_Option_set("ADCL_REPORT", "./adcl_never_written"));
  OK(ADCL_Option_get("ADCL_REPORT", value, sizeof value));
  CHECK(value[0] == '/' && strstr(value, "/adcl_never_written") != NULL && strstr(value, "/./") == NULL);
  OK(ADCL_Option_set("ADCL_REPORT", "off"));
  OK(ADCL_Finalize());
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  options_of_rank_0();
  unsetenv("ADCL_MEASUREMENTS");
  misspelled_option();
  misspelled_function_set();
  precedence();
  unusual_configs();
  unusual_values();
  return harness_verdict();
}
