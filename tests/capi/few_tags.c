/* ranks: 1 2 3
 * not smpi: its library is linked statically, and the calls below cannot be replaced
 * An MPI library with few tags. Live requests use different tags, and tags of a freed request are reused. When all
 * tags are in use, creating a request is an error on all ranks, and the message states a remedy. */
#include "harness.h"

enum { points = 6, upper_bound = 99, most_requests = 200 };

static int bound = upper_bound;

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *found) {
  if (key == MPI_TAG_UB) {
    *(int **)value = &bound;
    *found = 1;
    return MPI_SUCCESS;
  }
  return PMPI_Comm_get_attr(comm, key, value, found);
}

/* Tags of messages sent since the array was cleared. */
static int sent[upper_bound + 1];
static int beyond;

int MPI_Isend(const void *data, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) {
  if (tag >= 0 && tag <= upper_bound) {
    sent[tag] = 1;
  } else {
    ++beyond;
  }
  return PMPI_Isend(data, n, type, peer, tag, comm, request);
}

static double blocks[most_requests][points][points];

static int create(MPI_Comm cart, int i, ADCL_Request *request) {
  const int dims[2] = {points, points};
  return ADCL_Halo_init(ADCL_HALO(blocks[i], 2, dims, 0, 1, MPI_DOUBLE), cart, request);
}

int main(int argc, char **argv) {
  int used[upper_bound + 1] = {0};
  int alive = 0;
  MPI_Comm cart;
  ADCL_Request requests[most_requests];
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao"));
  cart = harness_cart(2, 1);
  for (int i = 0; i < 5 * upper_bound; ++i) {
    OK(create(cart, 0, &requests[0]));
    OK(ADCL_Request_free(&requests[0]));
  }
  while (alive < most_requests && create(cart, alive, &requests[alive]) == ADCL_SUCCESS) {
    int tags = 0;
    memset(sent, 0, sizeof sent);
    OK(ADCL_Request_start(requests[alive]));
    for (int tag = 0; tag <= upper_bound; ++tag) {
      CHECK(!(sent[tag] && used[tag]));
      used[tag] |= sent[tag];
      tags += sent[tag];
    }
    CHECK(tags == 4);
    ++alive;
  }
  CHECK(beyond == 0);
  CHECK(alive >= 10 && alive <= upper_bound / 4);
  CHECK(create(cart, alive, &requests[alive]) == ADCL_ERR_UNSUPPORTED);
  CHECK(strstr(ADCL_Last_error(), "MPI_TAG_UB is 99; free requests that are no longer needed") != NULL);
  OK(ADCL_Request_free(&requests[0]));
  OK(create(cart, 0, &requests[0]));
  OK(ADCL_Request_start(requests[0]));
  for (int i = 0; i < alive; ++i) {
    OK(ADCL_Request_free(&requests[i]));
  }
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
