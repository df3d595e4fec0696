/* ranks: 2 3
 * not smpi: datatypes with holes are refused there
 * Ranks whose datatypes have different memory layouts. One-sided codelets need the target's layout, so they are not
 * applicable on any rank, and the message states the reason. The other codelets give the correct halo. */
#include "harness.h"

enum { points = 6 };

int main(int argc, char **argv) {
  const int dims[1] = {points};
  double line[2 * points] = {0};
  int stride, size, before;
  MPI_Datatype padded;
  MPI_Comm ring;
  ADCL_Request request;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  size = harness_size();
  before = (harness_rank() + size - 1) % size;
  stride = 1 + harness_rank() % 2;
  MPI_Type_create_resized(MPI_DOUBLE, 0, (MPI_Aint)(stride * (int)sizeof(double)), &padded);
  MPI_Type_commit(&padded);
  ring = harness_cart(1, 1);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:WinfencePut_aao,PostStartGet_pair,PassivePut_notify"));
  CHECK(ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, padded), ring, &request) == ADCL_ERR_NO_CODELET);
  /* If the MPI library's windows are not usable at all, the message states that reason. */
  CHECK(strstr(ADCL_Last_error(), "datatypes with different memory layouts") != NULL ||
        strstr(ADCL_Last_error(), "one-sided communication of Open MPI 5") != NULL);
  OK(ADCL_Option_set("ADCL_CODELETS", "neighborhood:WinfencePut_aao,IsIr_aao"));
  OK(ADCL_Halo_init(ADCL_HALO(line, 1, dims, 0, 1, padded), ring, &request));
  for (int i = 0; i < points; ++i) {
    line[stride * i] = 100.0 * harness_rank() + i;
  }
  OK(ADCL_Request_start(request));
  CHECK(line[0] == 100.0 * before + points - 2);
  OK(ADCL_Request_free(&request));
  MPI_Type_free(&padded);
  MPI_Comm_free(&ring);
  OK(ADCL_Finalize());
  return harness_verdict();
}
