/* ranks: 3
 * large: 5
 * not smpi: its library is linked statically, and the calls below cannot be replaced
 * Only some ranks can create a plan, because the first node has no shared memory. All ranks drop the codelet, in all
 * modes of the request, and no rank hangs. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"

enum { points = 8 };

static int refusals;

/* Node number; a node has two processes. */
static int node(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank / 2;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part) {
  (void)type;
  (void)info;
  return PMPI_Comm_split(comm, node(), key, part);
}

/* This call replaces the call with which the library reserves the shared memory of a plan. */
static int armed;
int posix_fallocate(int file, off_t begin, off_t bytes) {
  if (armed && node() == 0) {
    ++refusals;
    return ENOSPC;
  }
  return ftruncate(file, begin + bytes) == 0 ? 0 : errno;
}

static int before, after;

static void fill(double *line, int round) {
  for (int i = 0; i < points; ++i) {
    line[i] = 100.0 * harness_rank() + i + round;
  }
}

static int halo_is_right(const double *line, int round) {
  return line[0] == 100.0 * before + points - 2 + round && line[points - 1] == 100.0 * after + 1 + round;
}

static void one_request(MPI_Comm ring, const char *search) {
  const int dims[1] = {points};
  double line[points];
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_SEARCH", search));
  OK(ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, MPI_DOUBLE), ring, &request));
  for (int round = 0; round < 40; ++round) {
    fill(line, round);
    OK(ADCL_Request_start(request));
    CHECK(halo_is_right(line, round));
  }
  for (int round = 0; round < 40; ++round) {
    fill(line, round);
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
    CHECK(halo_is_right(line, round));
  }
  OK(ADCL_Request_free(&request));
}

/* A timer for two requests: no combination contains the codelet, and each start runs its operation. */
static void timer_of_two(MPI_Comm ring, const char *search, const char *combinations) {
  const int dims[1] = {points};
  double lines[2][points];
  ADCL_Request requests[2];
  ADCL_Timer timer;
  int state = ADCL_STATE_SEARCH;
  OK(ADCL_Option_set("ADCL_SEARCH", search));
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "0"));
  OK(ADCL_Option_set("ADCL_TIMER_COMBINATIONS", combinations));
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Halo_init(ADCL_HALO(lines[i], 1, dims, 0, 1, MPI_DOUBLE), ring, &requests[i]));
  }
  OK(ADCL_Timer_create(2, requests, &timer));
  for (int round = 0; round < 200; ++round) {
    OK(ADCL_Timer_start(timer));
    for (int i = 0; i < 2; ++i) {
      char name[ADCL_MAX_NAME];
      fill(lines[i], round);
      OK(ADCL_Request_start(requests[i]));
      OK(ADCL_Request_get_curr_function(requests[i], name, sizeof name));
      CHECK(halo_is_right(lines[i], round) && strcmp(name, "Shm_window") != 0);
    }
    OK(ADCL_Timer_stop(timer));
  }
  OK(ADCL_Timer_get_state(timer, &state));
  CHECK(state == ADCL_STATE_PRODUCTION);
  OK(ADCL_Timer_free(&timer));
  OK(ADCL_Request_free(&requests[0]));
  OK(ADCL_Request_free(&requests[1]));
  OK(ADCL_Option_set("ADCL_MERGE_REQUESTS", "1"));
}

int main(int argc, char **argv) {
  static const char *const searches[] = {"brute_force", "hypothesis", "factorial"};
  const int periods[1] = {1};
  MPI_Comm ring;
  int size;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  armed = 1;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,Shm_window"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "2"));
  size = harness_size();
  before = (harness_rank() + size - 1) % size;
  after = (harness_rank() + 1) % size;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &ring);
  for (int s = 0; s < 3; ++s) {
    one_request(ring, searches[s]);
  }
  for (int s = 0; s < 3; ++s) {
    timer_of_two(ring, searches[s], "64");
    timer_of_two(ring, searches[s], "1");
  }
  CHECK(node() != 0 || refusals > 0);
  MPI_Comm_free(&ring);
  OK(ADCL_Finalize());
  return harness_verdict();
}
