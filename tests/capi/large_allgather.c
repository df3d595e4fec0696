/* large: 2
 * timeout: 240
 * Two ranks gather 1.2e9 bytes each: the number of entries of each rank fits into an int, the sum does not. */
#include "harness.h"

int main(int argc, char **argv) {
  const int count = 1200000000;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  const int rank = harness_rank();
  const int size = harness_size();
  char *data = malloc((size_t)count * (size_t)size);
  ADCL_Request request;
  CHECK(data != NULL);
  OK(ADCL_Option_set("ADCL_CODELETS", "allgather:Native,Ring"));
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  OK(ADCL_Allgather_init(MPI_IN_PLACE, 0, MPI_BYTE, data, count, MPI_BYTE, MPI_COMM_WORLD, &request));
  for (int n = 0; n < 2; ++n) {
    memset(data, 0, (size_t)count * (size_t)size);
    memset(data + (size_t)rank * (size_t)count, 1 + rank, (size_t)count);
    OK(ADCL_Request_start(request));
    for (int i = 0; i < size; ++i) {
      const char *block = data + (size_t)i * (size_t)count;
      CHECK(block[0] == 1 + i && memcmp(block, block + 1, (size_t)count - 1) == 0);
    }
  }
  OK(ADCL_Request_free(&request));
  free(data);
  OK(ADCL_Finalize());
  return harness_verdict();
}
