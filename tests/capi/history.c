/* ranks: 1 2 3 4
 * valgrind: 1 2
 * ADCL_HISTORY: the next request of the same problem verifies the stored winner in eight starts instead of
 * searching. Invalid files are not changed and are reported once. The test sets the times. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

enum { side = 8, measurements = 10, room = 256 };

static double data[4 * side * side]; /* 4 * side rows at most */
static MPI_Comm cart;
static char folder[room] = "/tmp/adcl-history-XXXXXX";
static char report[2 * room];

static ADCL_Request halo(int rows) {
  const int dims[2] = {rows, side};
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

/* Starts operations with times set by the test until the search has decided. */
static int search(ADCL_Request request, double aao_s, double pack_s) {
  int starts = 0;
  while (is_searching(request) && starts < 1000) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, current_is(request, "IsIr_aao_pack") ? pack_s : aao_s));
    ++starts;
  }
  return starts;
}

/* Runs a request from its creation to its decision; returns the number of starts. */
static int run_request(int rows, double aao_s, double pack_s, const char *winner) {
  ADCL_Request request = halo(rows);
  const int starts = search(request, aao_s, pack_s);
  CHECK(winner_is(request, winner));
  OK(ADCL_Request_free(&request));
  return starts;
}

/* Counts the files of the folder with this ending; stores the name of the last file. */
static int count_files(const char *ending, char *name) {
  DIR *open_folder = opendir(folder);
  int found = 0;
  for (struct dirent *item = readdir(open_folder); item != NULL; item = readdir(open_folder)) {
    const size_t length = strlen(item->d_name);
    if (length > strlen(ending) && strcmp(item->d_name + length - strlen(ending), ending) == 0) {
      ++found;
      snprintf(name, 2 * room, "%s/%.200s", folder, item->d_name);
    }
  }
  closedir(open_folder);
  return found;
}

/* Number of times that the file contains the text. */
static int count_in(const char *path, const char *part) {
  static char content[1 << 16];
  int found = 0;
  FILE *file = fopen(path, "r");
  size_t size;
  if (file == NULL) {
    return -1;
  }
  size = fread(content, 1, sizeof content - 1, file);
  content[size] = '\0';
  fclose(file);
  for (const char *at = strstr(content, part); at != NULL; at = strstr(at + 1, part)) {
    ++found;
  }
  return found;
}

/* Starts of a verification: three warm-up starts, five measured starts, a start that posts their times, and the start
 * of the decision. */
enum { verification_starts = 10 };

static void winner_is_verified(void) {
  char name[2 * room];
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") >= 2 * measurements);
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") <= verification_starts);
  /* Another problem has another file. */
  CHECK(run_request(2 * side, 0.2, 0.4, "IsIr_aao") >= 2 * measurements);
  CHECK(run_request(2 * side, 0.2, 0.4, "IsIr_aao") <= verification_starts);
  MPI_Barrier(MPI_COMM_WORLD);
  if (harness_rank() == 0) {
    CHECK(count_files(".json", name) == 2);
    CHECK(count_files(".tmp", name) == 0);
  }
  /* Each mode has its own winner. */
  {
    ADCL_Request request = halo(side);
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
    for (int i = 0; i < verification_starts; ++i) {
      OK(ADCL_Request_init(request));
      OK(ADCL_Request_wait(request));
      CHECK(is_searching(request));
    }
    OK(ADCL_Request_free(&request));
  }
}

/* The winner takes three times as long on one rank: a search begins, and its winner replaces the stored winner. */
static void slower_winner(void) {
  const double slow = harness_rank() == harness_size() - 1 ? 0.6 : 0.2;
  CHECK(run_request(side, 0.4, slow, "IsIr_aao") >= 2 * measurements);
  CHECK(run_request(side, 0.4, slow, "IsIr_aao") <= verification_starts);
}

/* Stored times differ in magnitude from the measured times: they are not confirmed, and a search begins. */
static void implausible_times(void) {
  CHECK(run_request(4 * side, 4000.0, 2000.0, "IsIr_aao_pack") >= 2 * measurements);
  CHECK(run_request(4 * side, 0.2, 0.4, "IsIr_aao") >= 2 * measurements);
  CHECK(run_request(4 * side, 0.2, 0.4, "IsIr_aao") <= verification_starts);
}

/* Only rank 0 reads the folder; ranks without access to it take the same branch. */
static void folder_on_rank_0_only(void) {
  OK(ADCL_Option_set("ADCL_HISTORY", harness_rank() == 0 ? folder : "/nowhere/at/all"));
  CHECK(run_request(side, 0.4, 0.6, "IsIr_aao") <= verification_starts);
  OK(ADCL_Option_set("ADCL_HISTORY", harness_rank() == 0 ? "off" : folder));
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") >= 2 * measurements);
  OK(ADCL_Option_set("ADCL_HISTORY", folder));
}

/* A truncated file leads to a full search, which stores the winner again. */
static void truncated_file(void) {
  if (harness_rank() == 0) {
    char name[2 * room];
    while (count_files(".json", name) > 0) {
      char aside[3 * room];
      CHECK(truncate(name, 40) == 0);
      snprintf(aside, sizeof aside, "%s-cut", name);
      CHECK(rename(name, aside) == 0);
    }
    while (count_files("-cut", name) > 0) {
      char back[2 * room];
      snprintf(back, sizeof back, "%s", name);
      back[strlen(back) - strlen("-cut")] = '\0';
      CHECK(rename(name, back) == 0);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  {
    /* Two requests read the same invalid file; it is reported once. */
    ADCL_Request first = halo(side);
    ADCL_Request second;
    OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"));
    second = halo(side);
    OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "1"));
    CHECK(search(first, 0.4, 0.2) >= 2 * measurements);
    OK(ADCL_Request_free(&first));
    OK(ADCL_Request_free(&second));
  }
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") <= verification_starts);
}

static void unwritable_folder(void) {
  OK(ADCL_Option_set("ADCL_HISTORY", "/dev/null/folder"));
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") >= 2 * measurements);
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") >= 2 * measurements);
}

/* Restored knowledge of the application is not verified, and is not stored in the history. */
static void restored_status(void) {
  const int many[2] = {5, 5};
  const double mean[2] = {0.1, 0.3};
  const int none[2] = {0, 0};
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_HISTORY", folder));
  request = halo(side);
  OK(ADCL_Request_restore_status(request, 2, many, mean, mean, none));
  CHECK(search(request, 0.4, 0.2) == 1);
  CHECK(winner_is(request, "IsIr_aao"));
  OK(ADCL_Request_free(&request));
  CHECK(run_request(side, 0.4, 0.2, "IsIr_aao_pack") <= verification_starts);
}

static void check_report(void) {
  if (harness_rank() == 0) {
    char command[3 * room];
    CHECK(count_in(report, ".json is ignored: invalid JSON at byte") == 1);
    CHECK(count_in(report, "/dev/null/folder") == 1);
    CHECK(count_in(report, "the former winner") >= 4);
    CHECK(count_in(report, "history IsIr_aao_pack won on") >= 2);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (harness_rank() == 0 && mkdtemp(folder) == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(folder, room, MPI_CHAR, 0, MPI_COMM_WORLD);
  snprintf(report, sizeof report, "%s/report.txt", folder);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_REPORT", report));
  OK(ADCL_Option_set("ADCL_HISTORY", folder));
  winner_is_verified();
  slower_winner();
  implausible_times();
  folder_on_rank_0_only();
  truncated_file();
  unwritable_folder();
  restored_status();
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  check_report();
  return harness_verdict();
}
