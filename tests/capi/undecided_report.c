/* ranks: 1 2 3 4
 * The report also contains undecided searches of requests that the program or ADCL_Finalize frees. A request that
 * was never started has no search. */
#include <unistd.h>

#include "harness.h"

static double data[64];

static ADCL_Request halo(MPI_Comm cart, int rows, int columns) {
  const int dims[2] = {rows, columns};
  ADCL_Request request = ADCL_REQUEST_NULL;
  OK(ADCL_Halo_init(ADCL_HALO(data, 2, dims, 0, 1, MPI_DOUBLE), cart, &request));
  return request;
}

static void read_report(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  if (file != NULL) {
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
  }
}

int main(int argc, char **argv) {
  static char text[65536];
  char path[64] = "";
  MPI_Comm cart;
  ADCL_Request freed, left, unused;
  MPI_Init(&argc, &argv);
  snprintf(path, sizeof path, "/tmp/adcl_undecided_%ld", (long)getpid());
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_REPORT", path));
  cart = harness_cart(2, 1);
  freed = halo(cart, 7, 8);
  left = halo(cart, 8, 7);
  unused = halo(cart, 8, 8);
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Request_start(freed));
    OK(ADCL_Request_start(left));
  }
  OK(ADCL_Request_free(&freed));
  OK(ADCL_Request_free(&unused));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  if (harness_rank() == 0) {
    read_report(path, text, sizeof text);
    CHECK(strstr(text, "halo of 7x8 points") != NULL);
    CHECK(strstr(text, "halo of 8x7 points") != NULL);
    CHECK(strstr(text, "halo of 8x8 points") == NULL);
    CHECK(strstr(text, "IsIr_aao_pack") != NULL);
    remove(path);
  }
  return harness_verdict();
}
