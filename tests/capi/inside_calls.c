/* ranks: 1 2 3 4
 * valgrind: 2
 * Functions of an application must not free, start or rebind the request that runs them, or finalize the library.
 * Such a call returns an error and has no effect, in the work functions of ADCL_Request_start_overlap and in
 * codelets of the application, during the search and in production. A null work function makes no other rank wait. */
#include "harness.h"

enum { points = 8 };

static MPI_Comm ring;
static ADCL_Topology topo;
static ADCL_Vmap vmap;
static ADCL_Vector vec;
static double line[points];
static double other[points];
static int before, after;
static int calls;

static void expect_all_refused(ADCL_Request request) {
  ADCL_Request copy = request;
  ++calls;
  FAILS(ADCL_ERR_STATE, "make this call after", ADCL_Request_free(&copy));
  CHECK(copy == request);
  FAILS(ADCL_ERR_STATE, "make this call after", ADCL_Request_start(request));
  FAILS(ADCL_ERR_STATE, "make this call after", ADCL_Request_init(request));
  FAILS(ADCL_ERR_STATE, "make this call after",
        ADCL_Request_start_overlap(request, expect_all_refused, expect_all_refused, expect_all_refused));
  FAILS(ADCL_ERR_STATE, "make this call after", ADCL_Request_update(request, 1.0));
  FAILS(ADCL_ERR_STATE, "ADCL_", ADCL_Finalize());
  CHECK(ADCL_Request_wait(request) == ADCL_ERR_STATE);
}

/* Every rank's vector belongs to the request: rebinding is collective, and fails on all ranks. */
static void expect_rebinding_refused(ADCL_Request request) {
  expect_all_refused(request);
  FAILS(ADCL_ERR_STATE, "make this call after", ADCL_Vector_rebind(vec, other));
}

static void fill(int round) {
  for (int i = 0; i < points; ++i) {
    line[i] = 100.0 * harness_rank() + i + round;
  }
}

static int arrived(int round) {
  return line[0] == 100.0 * before + points - 2 + round && line[points - 1] == 100.0 * after + 1 + round;
}

static void within_overlap(const char *codelets) {
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_CODELETS", codelets));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < 14; ++round) {
    const int earlier = calls;
    fill(round);
    OK(ADCL_Request_start_overlap(request, expect_rebinding_refused, expect_rebinding_refused,
                                  expect_rebinding_refused));
    CHECK(calls > earlier);
    CHECK(arrived(round));
    fill(round + 1);
    OK(ADCL_Request_start(request)); /* the request still works */
    CHECK(arrived(round + 1));
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

/* Codelets of the application, of both kinds, in each mode. */
static void within_user_codelets(void) {
  ADCL_Function functions[2];
  ADCL_Fnctset set;
  ADCL_Request request;
  OK(ADCL_Function_create(expect_all_refused, ADCL_ATTRSET_NULL, NULL, "whole", &functions[0]));
  OK(ADCL_Function_create_async(expect_all_refused, expect_all_refused, ADCL_ATTRSET_NULL, NULL, "parts",
                                &functions[1]));
  OK(ADCL_Fnctset_create(2, functions, "mine", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  calls = 0;
  for (int round = 0; round < 10; ++round) {
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
    OK(ADCL_Request_start_overlap(request, expect_all_refused, expect_all_refused, expect_all_refused));
  }
  CHECK(calls >= 10 * (1 + 2 + 2));
  OK(ADCL_Request_free(&request));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&functions[0]));
  OK(ADCL_Function_free(&functions[1]));
}

static void null_work_on_one_rank(const char *codelet) {
  const int mine = harness_rank() == harness_size() - 1;
  ADCL_Request request;
  OK(ADCL_Option_set("ADCL_CODELETS", codelet));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < 3; ++round) {
    fill(round);
    if (mine) {
      FAILS(ADCL_ERR_ARGUMENT, "null", ADCL_Request_start_overlap(request, no_work, NULL, NULL));
    } else {
      OK(ADCL_Request_start_overlap(request, no_work, no_work, no_work));
    }
    CHECK(arrived(round));
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
}

int main(int argc, char **argv) {
  const int dims[1] = {points};
  const int periods[1] = {1};
  int size;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  size = harness_size();
  before = (harness_rank() + size - 1) % size;
  after = (harness_rank() + 1) % size;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &ring);
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, line, &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(ring, 0, &topo));
  within_overlap("neighborhood:IsIr_aao,IsIr_aao_pack");
  within_overlap("neighborhood:Sr_pair,Sr_pair_pack");
  within_user_codelets();
  null_work_on_one_rank("neighborhood:IsIr_aao");
  null_work_on_one_rank("neighborhood:Sr_pair_pack");
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  MPI_Comm_free(&ring);
  OK(ADCL_Finalize());
  return harness_verdict();
}
