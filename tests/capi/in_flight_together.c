/* ranks: 1 2 3
 * Concurrent operations must not disturb each other. A rank that tests an operation also makes progress on the others,
 * and messages of the user's codelets never match messages of the library. */
#include "harness.h"

enum { points = 8, columns = 1 << 18 };

static MPI_Comm ring;
static int before, after;

/* A halo of one layer on the ring, with one codelet only. */
static ADCL_Request halo(double *data, int ndims, const int *dims, const char *codelet) {
  const int widths[2] = {1, 0};
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request = ADCL_REQUEST_NULL;
  MPI_Comm grid;
  const int extents[2] = {harness_size(), 1};
  const int periods[2] = {1, 0};
  OK(ADCL_Option_set("ADCL_CODELETS", codelet));
  MPI_Cart_create(MPI_COMM_WORLD, ndims, extents, periods, 0, &grid);
  OK(ADCL_Vector_register(ndims, dims, 0, MPI_DOUBLE, data, &vec));
  OK(ADCL_Vmap_halo_allocate_generic(ndims, widths, widths, &vmap));
  OK(ADCL_Topology_create(grid, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  OK(ADCL_Vector_deregister(&vec));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Topology_free(&topo));
  MPI_Comm_free(&grid);
  return request;
}

/* The first rank tests only the later operation, which its neighbors start after the earlier one is complete. */
static void test_one_of_two(const char *codelet) {
  const int line[1] = {points};
  const int block[2] = {4, columns};
  static double small[points], large[4 * columns];
  ADCL_Request earlier = halo(large, 2, block, "neighborhood:IsIr_aao");
  ADCL_Request later = halo(small, 1, line, codelet);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < points; ++i) {
      small[i] = 100.0 * harness_rank() + i + round;
    }
    OK(ADCL_Request_init(earlier));
    if (harness_rank() == 0) {
      int done = 0;
      OK(ADCL_Request_init(later));
      while (!done) {
        OK(ADCL_Request_test(later, &done));
      }
      OK(ADCL_Request_wait(earlier));
    } else {
      OK(ADCL_Request_wait(earlier));
      OK(ADCL_Request_init(later));
      OK(ADCL_Request_wait(later));
    }
    CHECK(small[0] == 100.0 * before + points - 2 + round);
    CHECK(small[points - 1] == 100.0 * after + 1 + round);
  }
  OK(ADCL_Request_free(&later));
  OK(ADCL_Request_free(&earlier));
}

static double sent, received;
static MPI_Request sending;

static void send_mine(ADCL_Request request) {
  MPI_Comm comm;
  OK(ADCL_Request_get_comm(request, &comm, NULL, NULL));
  MPI_Isend(&sent, 1, MPI_DOUBLE, after, 0, comm, &sending);
}

static void receive_mine(ADCL_Request request) {
  MPI_Comm comm;
  OK(ADCL_Request_get_comm(request, &comm, NULL, NULL));
  MPI_Recv(&received, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
}

/* A codelet of the user that receives with MPI_ANY_TAG is in flight while the library exchanges a halo. */
static void any_tag_codelet(void) {
  const int dims[1] = {points};
  double line[points];
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Function function;
  ADCL_Fnctset set;
  ADCL_Request library, own;
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao"));
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, line, &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Topology_create(ring, 0, &topo));
  OK(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &library));
  OK(ADCL_Function_create_async(send_mine, receive_mine, ADCL_ATTRSET_NULL, NULL, "split", &function));
  OK(ADCL_Fnctset_create(1, &function, "mine", &set));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, topo, set, &own));
  for (int round = 0; round < 3; ++round) {
    sent = 1000.0 + harness_rank();
    for (int i = 0; i < points; ++i) {
      line[i] = 100.0 * harness_rank() + i;
    }
    OK(ADCL_Request_init(own));
    OK(ADCL_Request_start(library));
    OK(ADCL_Request_wait(own));
    CHECK(received == 1000.0 + before);
    CHECK(line[0] == 100.0 * before + points - 2 && line[points - 1] == 100.0 * after + 1);
  }
  OK(ADCL_Request_free(&own));
  OK(ADCL_Request_free(&library));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&function));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
}

static ADCL_Request overlapped;
static double overlapped_line[points];

/* Runs while the operation is in flight. */
static void during_flight(ADCL_Request request) {
  int done = 0;
  OK(ADCL_Request_progress(request, 1000));
  OK(ADCL_Request_test(request, &done));
  FAILS(ADCL_ERR_STATE, "do not wait for the request", ADCL_Request_wait(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_init(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_start(request));
  FAILS(ADCL_ERR_STATE, "in flight", ADCL_Request_free(&overlapped));
}

static void calls_within_overlap(void) {
  const int dims[1] = {points};
  overlapped = halo(overlapped_line, 1, dims, "neighborhood:IsIr_aao");
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < points; ++i) {
      overlapped_line[i] = 100.0 * harness_rank() + i;
    }
    OK(ADCL_Request_start_overlap(overlapped, during_flight, no_work, no_work));
    CHECK(overlapped_line[0] == 100.0 * before + points - 2);
    CHECK(overlapped_line[points - 1] == 100.0 * after + 1);
    OK(ADCL_Request_init(overlapped));
    OK(ADCL_Request_wait(overlapped));
  }
  OK(ADCL_Request_free(&overlapped));
}

/* A vector with requests on two communicators cannot be rebound: every rank gets the error, and no rank waits. */
static void vector_on_two_communicators(void) {
  const int dims[1] = {points};
  double line[points], other[points];
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topos[2];
  ADCL_Request requests[2];
  MPI_Comm second;
  MPI_Comm_dup(ring, &second);
  OK(ADCL_Vector_register(1, dims, 0, MPI_DOUBLE, line, &vec));
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Topology_create(i == 0 ? ring : second, 0, &topos[i]));
    OK(ADCL_Request_create(vec, vmap, topos[i], ADCL_FNCTSET_NEIGHBORHOOD, &requests[i]));
  }
  FAILS(ADCL_ERR_STATE, "several communicators", ADCL_Vector_rebind(vec, other));
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Request_free(&requests[i]));
    OK(ADCL_Topology_free(&topos[i]));
  }
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  MPI_Comm_free(&second);
}

int main(int argc, char **argv) {
  const int periods[1] = {1};
  int size;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  harness_seed();
  harness_any_search();
  size = harness_size();
  before = (harness_rank() + size - 1) % size;
  after = (harness_rank() + 1) % size;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &ring);
  test_one_of_two("neighborhood:IsIr_aao_pack");
#ifndef SMPI_H
  test_one_of_two("neighborhood:Shm_window");
#endif
  any_tag_codelet();
  calls_within_overlap();
  vector_on_two_communicators();
  MPI_Comm_free(&ring);
  OK(ADCL_Finalize());
  return harness_verdict();
}
