/* small /dev/shm: 2 3
 * timeout: 120
 * Every codelet with arrays from ADCL_Vector_allocate that are larger than /dev/shm, and with messages so long that
 * only one fits into /dev/shm: MPI libraries need shared memory for windows and long messages. All halos are correct,
 * and codelets without enough memory are not applicable. */
#include "harness.h"

enum { rows = 4, columns = 3 << 20, most_starts = 200 };

static double *block;

static double *cell(int row, int column) { return block + (size_t)row * columns + column; }

static double value(int rank, int round, int row, int column) {
  return 1e9 * rank + 1e8 * (round % 7) + 1e7 * row + column;
}

static void fill(int round) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      *cell(i, j) = i == 0 || i == rows - 1 ? -1.0 : value(harness_rank(), round, i, j);
    }
  }
}

static int is_right(int round) {
  const int size = harness_size();
  const int before = (harness_rank() + size - 1) % size;
  const int after = (harness_rank() + 1) % size;
  int wrong = 0;
  for (int j = 1; j < columns - 1; ++j) {
    wrong += *cell(0, j) != value(before, round, rows - 2, j) || *cell(rows - 1, j) != value(after, round, 1, j);
  }
  return wrong == 0;
}

int main(int argc, char **argv) {
  const int periods[2] = {1, 0};
  const int dims[2] = {rows, columns};
  int grid[2] = {0, 1};
  int codelets = 0, decided = 0, round = 0;
  char name[ADCL_MAX_NAME], last[ADCL_MAX_NAME] = "";
  MPI_Comm cart;
  ADCL_Vmap vmap;
  ADCL_Vector vector;
  ADCL_Topology topology;
  ADCL_Request request;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  grid[0] = harness_size();
  MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &cart);
  OK(ADCL_Vmap_halo_allocate(1, &vmap));
  OK(ADCL_Vector_allocate(2, dims, 0, MPI_DOUBLE, &block, &vector));
  OK(ADCL_Topology_create(cart, 0, &topology));
  OK(ADCL_Request_create(vector, vmap, topology, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  while (!decided && round < most_starts && harness_failures == 0) {
    fill(++round);
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_get_curr_function(request, name, sizeof name));
    CHECK(is_right(round));
    codelets += strcmp(name, last) != 0;
    strcpy(last, name);
    OK(ADCL_Request_get_winner(request, name, sizeof name));
    decided = name[0] != '\0';
    MPI_Allreduce(MPI_IN_PLACE, &harness_failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  CHECK(decided);
  CHECK(codelets > 20);
  if (harness_rank() == 0) {
    printf("%d codelets with arrays of %.0f MB\n", codelets, 8e-6 * rows * columns);
  }
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topology));
  OK(ADCL_Vector_free(&vector));
  OK(ADCL_Vmap_free(&vmap));
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
