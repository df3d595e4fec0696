/* ranks: 2 3 4
 * not smpi: the two requests differ in Shm_direct, which is not a candidate there
 * Requests of equal problems share a search only if they have the same candidates: a request with an array that the
 * neighbors can map has one more candidate than a request with an array of the application. */
#include "harness.h"

enum { side = 8 };

static const int dims[2] = {side, side};
static double own[side * side];
static MPI_Comm cart;

static ADCL_Request halo(ADCL_Vector vec) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(cart, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  return request;
}

static void decide(ADCL_Request request) {
  for (int i = 0; i < 5000 && is_searching(request); ++i) {
    OK(ADCL_Request_start(request));
  }
  CHECK(state_of(request) == ADCL_STATE_PRODUCTION);
}

int main(int argc, char **argv) {
  void *memory;
  ADCL_Vector mapped, registered, again;
  ADCL_Request first, second, third;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack,Shm_direct"));
  OK(ADCL_Vector_allocate(2, dims, 0, MPI_DOUBLE, &memory, &mapped));
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, own, &registered));
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, own, &again));
  first = halo(mapped);
  second = halo(registered);
  third = halo(again);
  CHECK(candidate_count(first) == 3 && candidate_count(second) == 2 && candidate_count(third) == 2);
  decide(first);
  CHECK(is_searching(second));
  OK(ADCL_Request_start(second));
  CHECK(is_searching(second));
  decide(second);
  OK(ADCL_Request_start(third));
  CHECK(state_of(third) == ADCL_STATE_PRODUCTION);
  OK(ADCL_Request_free(&first));
  OK(ADCL_Request_free(&second));
  OK(ADCL_Request_free(&third));
  OK(ADCL_Vector_free(&mapped));
  OK(ADCL_Vector_deregister(&registered));
  OK(ADCL_Vector_deregister(&again));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
