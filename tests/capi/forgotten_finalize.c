/* ranks: 1 2 3 4
 * not smpi: it does not free the attributes of MPI_COMM_SELF in MPI_Finalize
 * A program that never calls ADCL_Finalize: MPI_Finalize writes the report and the trace, and returns. The program has
 * one decided search, one running search (with windows, if the MPI library's windows are usable), a timer, and an
 * operation in flight. */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <dirent.h>
#include <unistd.h>

static double data[4][64];

static ADCL_Request halo(MPI_Comm cart, int field, const char *codelets, const char *name) {
  const int dims[2] = {8, 8};
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Option_set("ADCL_CODELETS", codelets));
  OK(ADCL_Halo_init(ADCL_HALO(data[field], 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  OK(ADCL_Request_set_name(request, name));
  return request;
}

static int has(const char *path, const char *text) {
  char line[4096];
  int found = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    fprintf(stderr, "%s was not written\n", path);
    return 0;
  }
  while (!found && fgets(line, sizeof line, file) != NULL) {
    found = strstr(line, text) != NULL;
  }
  fclose(file);
  if (!found) {
    fprintf(stderr, "%s has no '%s'\n", path, text);
  }
  return found;
}

/* The folder of the newest run that was traced to a folder. */
static void newest_run(const char *folder, char *run, size_t size) {
  char newest[256] = "";
  const struct dirent *entry;
  DIR *entries = opendir(folder);
  while (entries != NULL && (entry = readdir(entries)) != NULL) {
    if (entry->d_name[0] != '.' && strlen(entry->d_name) < sizeof newest && strcmp(entry->d_name, newest) > 0) {
      strcpy(newest, entry->d_name);
    }
  }
  if (entries != NULL) {
    closedir(entries);
  }
  snprintf(run, size, "%s/%s", folder, newest);
}

int main(int argc, char **argv) {
  char report[64];
  char folder[64];
  char run[400];
  char trace[450];
  ADCL_Request decided;
  ADCL_Request searching;
  ADCL_Request in_flight;
  ADCL_Request timed;
  ADCL_Timer timer;
  MPI_Comm cart;
  int rank;
  int good = 1;
  MPI_Init(&argc, &argv);
  rank = harness_rank();
  cart = harness_cart(2, 1);
  snprintf(report, sizeof report, "./adcl_forgotten_%d.txt", harness_size());
  snprintf(folder, sizeof folder, "adcl_forgotten_%d", harness_size());
  if (rank == 0) {
    remove(report);
  }
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", report));
  OK(ADCL_Option_set("ADCL_TRACE", folder));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  decided = halo(cart, 0, "neighborhood:IsIr_aao,IsIr_aao_pack", "pressure");
  in_flight = halo(cart, 2, "neighborhood:IsIr_aao", "velocity");
  timed = halo(cart, 3, "neighborhood:IsIr_aao,IsIr_pair", "energy");
  OK(ADCL_Timer_create(1, &timed, &timer));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1000"));
  searching = halo(cart, 1, "neighborhood:WinfencePut_aao,PostStartPut_aao,IsIr_aao,IsIr_pair", "density");
  for (int i = 0; i < 200; ++i) {
    OK(ADCL_Request_start(decided));
    OK(ADCL_Request_start(searching));
    OK(ADCL_Timer_start(timer));
    OK(ADCL_Request_start(timed));
    OK(ADCL_Timer_stop(timer));
  }
  OK(ADCL_Request_init(in_flight));
  MPI_Allreduce(MPI_IN_PLACE, &harness_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  good = harness_failures == 0 && harness_checks > 0;
  newest_run(folder, run, sizeof run);
  snprintf(trace, sizeof trace, "%s/adcl.%d.jsonl", run, rank);
  good = has(trace, "\"event\":\"decision\"") && good;
  good = has(trace, "\"name\":\"density\"") && good;
  if (rank == 0) {
    good = has(report, "pressure, used by start") && good;
    good = has(report, "the program ended while brute_force was searching") && good;
    good = has(report, "used by a timer") && good;
    good = has(report, "has not called ADCL_Finalize") && good;
    remove(report);
  }
  remove(trace);
  rmdir(run);
  rmdir(folder);
  return good ? 0 : 1;
}
