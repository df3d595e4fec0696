/* A C program that uses the installed ADCL: it exchanges the halo of a periodic ring and checks the received data. */
#include <ADCL.h>
#include <stdio.h>

enum { interior = 4 };

static int failed(const char *call, int code) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s: %s: %s\n", call, ADCL_Error_string(code), ADCL_Last_error());
  }
  return code != ADCL_SUCCESS;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);

  double cells[interior + 2];
  const int extent = interior + 2;
  ADCL_Request request = ADCL_REQUEST_NULL;
  int wrong = failed("ADCL_Init", ADCL_Init());
  wrong += failed("ADCL_Halo_init", ADCL_Halo_init(ADCL_HALO(cells, 1, &extent, 0, 1, MPI_DOUBLE), ring, &request));
  for (int call = 0; call < 30 && wrong == 0; ++call) {
    cells[0] = cells[extent - 1] = -1.0;
    for (int i = 1; i <= interior; ++i) {
      cells[i] = 1000.0 * call + rank * interior + i;
    }
    wrong += failed("ADCL_Request_start", ADCL_Request_start(request));
    const int left = (rank + size - 1) % size;
    const int right = (rank + 1) % size;
    wrong += cells[0] != 1000.0 * call + left * interior + interior;
    wrong += cells[extent - 1] != 1000.0 * call + right * interior + 1;
  }
  wrong += failed("ADCL_Request_free", ADCL_Request_free(&request));
  wrong += failed("ADCL_Finalize", ADCL_Finalize());
  if (wrong != 0) {
    fprintf(stderr, "rank %d: %d failures\n", rank, wrong);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return wrong != 0;
}
