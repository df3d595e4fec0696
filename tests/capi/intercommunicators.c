/* ranks: 2 3 4
 * not smpi: it has no intercommunicators
 * Every function that takes a communicator returns an error for an intercommunicator on all ranks. */
#include "harness.h"

static double data[2][16];

int main(int argc, char **argv) {
  const int dims[1] = {16};
  const int none[1] = {MPI_PROC_NULL};
  const char *const remedy = "merge it with MPI_Intercomm_merge first";
  MPI_Comm half, inter;
  ADCL_Request req = ADCL_REQUEST_NULL;
  ADCL_Topology topo = ADCL_TOPOLOGY_NULL;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  MPI_Comm_split(MPI_COMM_WORLD, harness_rank() % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - harness_rank() % 2, 3, &inter);
  for (int round = 0; round < 2; ++round) { /* also after a refusal */
    FAILS(ADCL_ERR_ARGUMENT, remedy, ADCL_Halo_init(ADCL_HALO(data[0], 1, dims, 0, 1, MPI_DOUBLE), inter, &req));
    FAILS(ADCL_ERR_ARGUMENT, remedy, ADCL_Barrier_init(inter, &req));
    FAILS(ADCL_ERR_ARGUMENT, remedy, ADCL_Bcast_init(data[0], 1, MPI_DOUBLE, 0, inter, &req));
    FAILS(ADCL_ERR_ARGUMENT, remedy, ADCL_Topology_create(inter, 0, &topo));
    FAILS(ADCL_ERR_ARGUMENT, remedy,
          ADCL_Topology_create_generic(1, none, none, NULL, ADCL_DIRECTION_BOTH, inter, &topo));
    FAILS(ADCL_ERR_ARGUMENT, remedy, ADCL_Topology_create_extended(inter, &topo));
    CHECK(req == ADCL_REQUEST_NULL && topo == ADCL_TOPOLOGY_NULL);
  }
  FAILS(ADCL_ERR_ARGUMENT, "MPI_COMM_NULL",
        ADCL_Halo_init(ADCL_HALO(data[0], 1, dims, 0, 1, MPI_DOUBLE), MPI_COMM_NULL, &req));
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  OK(ADCL_Finalize());
  return harness_verdict();
}
