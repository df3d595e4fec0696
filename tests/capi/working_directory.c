/* ranks: 1 2 3
 * not smpi: its ranks are one process with one working directory
 * Relative names of files and folders refer to the working directory at ADCL_Init, or at the call that sets them. If
 * a program changes its directory, its report, trace and history stay in the first directory. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { room = 256 };

static double data[64];
static char base[room] = "/tmp/adcl-directory-XXXXXX";

/* The path of a file below the folder of the test. */
static const char *path_below(const char *name) {
  static char path[4 * room];
  snprintf(path, sizeof path, "%s/%s", base, name);
  return path;
}

/* Number of entries of a folder without . and .., or -1. */
static int entries(const char *path) {
  DIR *folder = opendir(path);
  int found = folder == NULL ? -1 : 0;
  while (folder != NULL) {
    const struct dirent *entry = readdir(folder);
    if (entry == NULL) {
      closedir(folder);
      break;
    }
    found += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  }
  return found;
}

static void expect_outputs_in(const char *name) {
  CHECK(chdir(path_below(name)) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Checks that the value of an option is this path. */
static void expect_path(const char *option, const char *name) {
  char value[4 * room];
  OK(ADCL_Option_get(option, value, sizeof value));
  CHECK(strcmp(value, path_below(name)) == 0);
}

static void decide(MPI_Comm cart) {
  const int dims[2] = {8, 8};
  ADCL_Request request;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  for (int i = 0; i < 30; ++i) {
    OK(ADCL_Request_start(request));
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_free(&request));
}

/* Initializes and finalizes the library; the program begins in one folder and changes to another folder. The
 * environment or the program sets the paths. */
static void run_library(MPI_Comm cart, const char *begin, int by_environment) {
  char path[room];
  expect_outputs_in(begin);
  if (by_environment) {
    setenv("ADCL_REPORT", "./report.txt", 1);
    setenv("ADCL_TRACE", "trace", 1);
    setenv("ADCL_HISTORY", "../both/history", 1);
  }
  OK(ADCL_Init());
  if (!by_environment) {
    OK(ADCL_Option_set("ADCL_REPORT", "./report.txt"));
    OK(ADCL_Option_set("ADCL_TRACE", "trace"));
    OK(ADCL_Option_set("ADCL_HISTORY", "../both/history"));
  }
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "5"));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_pair"));
  expect_outputs_in("elsewhere");
  snprintf(path, sizeof path, "%s/report.txt", begin);
  expect_path("ADCL_REPORT", path);
  snprintf(path, sizeof path, "%s/trace", begin);
  expect_path("ADCL_TRACE", path);
  expect_path("ADCL_HISTORY", "both/history");
  decide(cart);
  OK(ADCL_Finalize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(entries(path_below("elsewhere")) == 0);
  CHECK(entries(path_below("both/history")) >= 1);
  snprintf(path, sizeof path, "%s/trace", begin);
  CHECK(entries(path_below(path)) == 1);
  snprintf(path, sizeof path, "%s/report.txt", begin);
  CHECK(access(path_below(path), R_OK) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  unsetenv("ADCL_REPORT");
  unsetenv("ADCL_TRACE");
  unsetenv("ADCL_HISTORY");
}

/* Keywords are not treated as file names. */
static void keywords(void) {
  char value[ADCL_MAX_NAME];
  static const char *const pairs[][2] = {{"ADCL_REPORT", "stderr"},  {"ADCL_REPORT", "off"},
                                         {"ADCL_TRACE", "off"},      {"ADCL_HISTORY", "off"},
                                         {"ADCL_HISTORY", "memory"}, {"ADCL_TRACE", "/tmp/t"}};
  OK(ADCL_Init());
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    OK(ADCL_Option_set(pairs[i][0], pairs[i][1]));
    OK(ADCL_Option_get(pairs[i][0], value, sizeof value));
    CHECK(strcmp(value, pairs[i][1]) == 0);
  }
  OK(ADCL_Option_set("ADCL_TRACE", "off"));
  OK(ADCL_Finalize());
}

int main(int argc, char **argv) {
  char remove_all[2 * room];
  MPI_Comm cart;
  MPI_Init(&argc, &argv);
  if (harness_rank() == 0) {
    CHECK(mkdtemp(base) != NULL);
    CHECK(mkdir(path_below("first"), 0777) == 0 && mkdir(path_below("second"), 0777) == 0);
    CHECK(mkdir(path_below("elsewhere"), 0777) == 0 && mkdir(path_below("both"), 0777) == 0);
  }
  MPI_Bcast(base, room, MPI_CHAR, 0, MPI_COMM_WORLD);
  cart = harness_cart(2, 1);
  run_library(cart, "first", 1);
  run_library(cart, "second", 0);
  keywords();
  MPI_Comm_free(&cart);
  CHECK(chdir("/") == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    snprintf(remove_all, sizeof remove_all, "rm -rf '%s'", base);
    CHECK(system(remove_all) == 0);
  }
  return harness_verdict();
}
