/* ranks: 1 2 3 4
 * not smpi: no persistent codelets are tried there
 * While the default search pauses, it frees the plans of clearly slower codelets. */
#include "harness.h"

enum { side = 6, most = 4096 };

static double data[side * side];
static MPI_Request made[most];
static int count;
static int most_alive;

static int alive(void) {
  int result = 0;
  for (int i = 0; i < count; ++i) {
    result += made[i] != MPI_REQUEST_NULL;
  }
  return result;
}

int MPI_Send_init(const void *buffer, int size, MPI_Datatype type, int target, int tag, MPI_Comm comm,
                  MPI_Request *request) {
  const int code = PMPI_Send_init(buffer, size, type, target, tag, comm, request);
  CHECK(count < most);
  made[count++] = *request;
  return code;
}

int MPI_Request_free(MPI_Request *request) {
  for (int i = 0; i < count; ++i) {
    if (made[i] == *request) {
      made[i] = MPI_REQUEST_NULL;
      break;
    }
  }
  return PMPI_Request_free(request);
}

int main(int argc, char **argv) {
  const int dims[2] = {side, side};
  MPI_Comm cart;
  ADCL_Request request;
  int start = 0;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "model"));
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,Sr_pair,Persist_aao"));
  cart = harness_cart(2, 1);
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  for (; start < 3000 && is_searching(request); ++start) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_update(request, current_is(request, "Persist_aao") ? 2.0 : 1.0));
    most_alive = alive() > most_alive ? alive() : most_alive;
  }
  OK(ADCL_Request_start(request));
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
  CHECK(most_alive > 0);
  CHECK(alive() == 0);
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
