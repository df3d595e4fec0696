/* ranks: 1 2 3 4
 * not smpi: its calls are macros, which a program cannot replace
 * Checks that the assertions that the library passes to its fences are true, because MPI may rely on them. This
 * program defines the MPI calls itself to intercept the library's calls. */
#include "harness.h"

enum { SIDE = 8, ROUNDS = 5 };

static int receiving; /* another request may store into the window's memory at any time */
static int fences, posts;
static MPI_Win fenced = MPI_WIN_NULL;
static int last_assertion;

int MPI_Win_fence(int assertion, MPI_Win win) {
  ++fences;
  CHECK(!receiving || (assertion & MPI_MODE_NOSTORE) == 0);
  CHECK((assertion & MPI_MODE_NOPRECEDE) == 0 || fenced != win || (last_assertion & MPI_MODE_NOSUCCEED) != 0);
  fenced = win;
  last_assertion = assertion;
  return PMPI_Win_fence(assertion, win);
}

/* "The local window will not be updated by put calls after the fence call, until the ensuing (fence)
 * synchronization": not even in an exposure epoch that begins in between. */
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  ++posts;
  CHECK(fenced != win || (last_assertion & MPI_MODE_NOPUT) == 0 || (assertion & MPI_MODE_NOPUT) != 0);
  return PMPI_Win_post(group, assertion, win);
}

static double grid[SIDE][SIDE];
static MPI_Comm cart;

/* A halo of one dimension with these codelets; no request if the MPI library does not support them. */
static ADCL_Request halo_of(int dimension, const char *codelets) {
  const int dims[2] = {SIDE, SIDE};
  int widths[2] = {0, 0};
  int code;
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request request = ADCL_REQUEST_NULL;
  widths[dimension] = 1;
  OK(ADCL_Option_set("ADCL_CODELETS", codelets));
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, grid, &vec));
  OK(ADCL_Vmap_halo_allocate_generic(2, widths, widths, &vmap));
  OK(ADCL_Topology_create(cart, 0, &topo));
  code = ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request);
  CHECK(code == ADCL_SUCCESS || code == ADCL_ERR_NO_CODELET);
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&vmap));
  OK(ADCL_Vector_deregister(&vec));
  return request;
}

static int neighbor(int dimension, int step) {
  int source, target;
  MPI_Cart_shift(cart, dimension, step, &source, &target);
  return target;
}

static void fill(int round) {
  int rank;
  MPI_Comm_rank(cart, &rank);
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j) {
      const int inside = i > 0 && i < SIDE - 1 && j > 0 && j < SIDE - 1;
      grid[i][j] = inside ? 1000.0 * rank + 100 * round + SIDE * i + j : -1.0;
    }
  }
}

static double value(int rank, int round, int i, int j) { return 1000.0 * rank + 100 * round + SIDE * i + j; }

/* Rows are exchanged by messages and columns between fences, at the same time and in the same array. */
static void together(const char *codelet) {
  ADCL_Request columns = halo_of(1, codelet);
  ADCL_Request rows = halo_of(0, "neighborhood:IsIr_aao");
  const int above = neighbor(0, -1), below = neighbor(0, 1), left = neighbor(1, -1), right = neighbor(1, 1);
  for (int round = 0; round < ROUNDS; ++round) {
    fill(round);
    OK(ADCL_Request_init(rows));
    receiving = 1;
    OK(ADCL_Request_start(columns));
    OK(ADCL_Request_wait(rows));
    receiving = 0;
    for (int k = 1; k < SIDE - 1; ++k) {
      CHECK(grid[0][k] == value(above, round, SIDE - 2, k) && grid[SIDE - 1][k] == value(below, round, 1, k));
      CHECK(grid[k][0] == value(left, round, k, SIDE - 2) && grid[k][SIDE - 1] == value(right, round, k, 1));
    }
  }
  OK(ADCL_Request_free(&columns));
  OK(ADCL_Request_free(&rows));
}

/* Fences and posts of one window alternate, as during a search. */
static void in_turn(const char *codelets) {
  ADCL_Request request = halo_of(0, codelets);
  const int above = neighbor(0, -1), below = neighbor(0, 1);
  for (int round = 0; round < 4 * ROUNDS; ++round) {
    fill(round);
    OK(ADCL_Request_start(request));
    CHECK(grid[0][1] == value(above, round, SIDE - 2, 1) && grid[SIDE - 1][1] == value(below, round, 1, 1));
  }
  OK(ADCL_Request_free(&request));
}

int main(int argc, char **argv) {
  ADCL_Request request;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  cart = harness_cart(2, 1);
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "3"));
  request = halo_of(0, "neighborhood:WinfencePut_aao");
  if (request != ADCL_REQUEST_NULL) {
    OK(ADCL_Request_free(&request));
    together("neighborhood:WinfencePut_aao");
    together("neighborhood:WinfencePut_pair");
    together("neighborhood:WinfenceGet_aao");
    together("neighborhood:WinfenceGet_pair");
    in_turn("neighborhood:WinfencePut_aao,PostStartPut_aao");
    in_turn("neighborhood:WinfenceGet_aao,PostStartGet_aao");
    CHECK(fences > 0 && posts > 0);
  } else {
    printf("no one-sided codelet is applicable: nothing to test\n");
  }
  MPI_Comm_free(&cart);
  OK(ADCL_Finalize());
  return harness_verdict();
}
