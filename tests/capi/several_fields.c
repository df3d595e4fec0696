/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 2
 * Several vectors in one request: the same calls as with one vector, arrays that move one by one, and an error on
 * all ranks for a wrong argument on one rank. */
#include "harness.h"

#define ROWS 9
#define COLUMNS 7

/* A field of doubles with one halo layer, and a field of pairs of ints with two halo layers, both on a periodic grid of
 * n x 1 processes. Each field has a second array to which it can move. */
typedef struct {
  MPI_Comm cart;
  int rank;
  int up;
  int down;
  double heat[2][ROWS][COLUMNS];
  int flow[2][ROWS][COLUMNS][2];
  int in_heat;
  int in_flow;
  ADCL_Vector vecs[2];
  ADCL_Vmap vmaps[2];
  ADCL_Topology topo;
} Fields;

static void make_fields(Fields *fields) {
  const int dims[2] = {ROWS, COLUMNS};
  const int periods[2] = {1, 1};
  int grid[2] = {harness_size(), 1};
  memset(fields, 0, sizeof *fields);
  MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &fields->cart);
  MPI_Comm_rank(fields->cart, &fields->rank);
  MPI_Cart_shift(fields->cart, 0, 1, &fields->up, &fields->down);
  OK(ADCL_Vector_register(2, dims, 0, MPI_DOUBLE, fields->heat[0], &fields->vecs[0]));
  OK(ADCL_Vector_register(2, dims, 2, MPI_INT, fields->flow[0], &fields->vecs[1]));
  OK(ADCL_Vmap_halo_allocate(1, &fields->vmaps[0]));
  OK(ADCL_Vmap_halo_allocate(2, &fields->vmaps[1]));
  OK(ADCL_Topology_create(fields->cart, 0, &fields->topo));
}

static void free_fields(Fields *fields) {
  OK(ADCL_Topology_free(&fields->topo));
  for (int f = 0; f < 2; ++f) {
    OK(ADCL_Vmap_free(&fields->vmaps[f]));
    OK(ADCL_Vector_deregister(&fields->vecs[f]));
  }
  MPI_Comm_free(&fields->cart);
}

static void create(Fields *fields, ADCL_Request *request) {
  OK(ADCL_Request_create_several(2, fields->vecs, fields->vmaps, fields->vecs, fields->vmaps, fields->topo,
                                 ADCL_FNCTSET_NEIGHBORHOOD, request));
}

static int value(int rank, int field, int round, int row, int column) {
  return (((rank * 2 + field) * 1000 + round) * ROWS + row) * COLUMNS + column;
}

static void fill(Fields *fields, int round) {
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) {
      const int inner_heat = i >= 1 && i < ROWS - 1 && j >= 1 && j < COLUMNS - 1;
      const int inner_flow = i >= 2 && i < ROWS - 2 && j >= 2 && j < COLUMNS - 2;
      fields->heat[fields->in_heat][i][j] = inner_heat ? value(fields->rank, 0, round, i, j) : -1;
      for (int e = 0; e < 2; ++e) {
        fields->flow[fields->in_flow][i][j][e] = inner_flow ? value(fields->rank, 1, round, i, j) + e : -1;
      }
    }
  }
}

/* Expected value of a cell after an exchange: `width` halo layers, corners unchanged. */
static int expected(const Fields *fields, int field, int round, int i, int j) {
  const int width = field + 1;
  const int rows = ROWS - 2 * width;
  const int columns = COLUMNS - 2 * width;
  const int across = i < width ? -1 : i >= ROWS - width;
  const int along = j < width ? -1 : j >= COLUMNS - width;
  if (across != 0 && along != 0) {
    return -1;
  }
  return value(across < 0   ? fields->up
               : across > 0 ? fields->down
                            : fields->rank,
               field, round, i - across * rows, j - along * columns);
}

static void verify(const Fields *fields, int round) {
  int wrong = 0;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) {
      const int flow = expected(fields, 1, round, i, j);
      wrong += fields->heat[fields->in_heat][i][j] != expected(fields, 0, round, i, j);
      wrong += fields->flow[fields->in_flow][i][j][0] != flow;
      wrong += fields->flow[fields->in_flow][i][j][1] != (flow < 0 ? -1 : flow + 1);
    }
  }
  CHECK(wrong == 0);
}

static void all_modes(void) {
  Fields fields;
  ADCL_Request request;
  ADCL_Vector seen[2];
  int n = 0;
  int flag = 0;
  make_fields(&fields);
  create(&fields, &request);
  OK(ADCL_Request_get_fields_num(request, &n));
  CHECK(n == 2);
  OK(ADCL_Request_get_field(request, 0, &seen[0], &seen[1]));
  CHECK(seen[0] == fields.vecs[0] && seen[1] == fields.vecs[0]);
  OK(ADCL_Request_get_field(request, 1, &seen[0], &seen[1]));
  CHECK(seen[0] == fields.vecs[1] && seen[1] == fields.vecs[1]);
  FAILS(ADCL_ERR_ARGUMENT, "fields 0 to 1", ADCL_Request_get_field(request, 2, &seen[0], &seen[1]));
  FAILS(ADCL_ERR_ARGUMENT, "fields 0 to 1", ADCL_Request_get_field(request, -1, &seen[0], &seen[1]));
  for (int round = 0; round < 80; ++round) {
    fill(&fields, 4 * round);
    OK(ADCL_Request_start(request));
    verify(&fields, 4 * round);
    fill(&fields, 4 * round + 1);
    OK(ADCL_Request_init(request));
    OK(ADCL_Request_wait(request));
    verify(&fields, 4 * round + 1);
    fill(&fields, 4 * round + 2);
    OK(ADCL_Request_init(request));
    for (flag = 0; flag == 0;) {
      OK(ADCL_Request_test(request, &flag));
    }
    verify(&fields, 4 * round + 2);
    fill(&fields, 4 * round + 3);
    OK(ADCL_Request_start_overlap(request, no_work, no_work, no_work));
    verify(&fields, 4 * round + 3);
  }
  OK(ADCL_Request_free(&request));
  free_fields(&fields);
}

/* The arrays move while codelets are measured, each of them nine times in a row, and in production. */
static void rebound_arrays(void) {
  Fields fields;
  ADCL_Request request;
  int moves = 0;
  make_fields(&fields);
  create(&fields, &request);
  for (int round = 0; round < 500; ++round) {
    if (round % 7 == 3) {
      fields.in_heat = 1 - fields.in_heat;
      OK(ADCL_Vector_rebind(fields.vecs[0], fields.heat[fields.in_heat]));
      ++moves;
    }
    if (round % 11 == 5) {
      fields.in_flow = 1 - fields.in_flow;
      OK(ADCL_Vector_rebind(fields.vecs[1], fields.flow[fields.in_flow]));
      ++moves;
    }
    fill(&fields, round);
    OK(ADCL_Request_start(request));
    verify(&fields, round);
  }
  CHECK(moves > 100);
  OK(ADCL_Request_free(&request));
  free_fields(&fields);
}

static void single_field(void) {
  Fields fields;
  ADCL_Request one;
  ADCL_Request plain;
  int n[3];
  make_fields(&fields);
  OK(ADCL_Request_create_several(1, fields.vecs, fields.vmaps, fields.vecs, fields.vmaps, fields.topo,
                                 ADCL_FNCTSET_NEIGHBORHOOD, &one));
  OK(ADCL_Request_create(fields.vecs[0], fields.vmaps[0], fields.topo, ADCL_FNCTSET_NEIGHBORHOOD, &plain));
  OK(ADCL_Request_get_functions_num(one, &n[0]));
  OK(ADCL_Request_get_functions_num(plain, &n[1]));
  OK(ADCL_Request_get_fields_num(plain, &n[2]));
  CHECK(n[0] == n[1] && n[2] == 1);
  OK(ADCL_Request_free(&one));
  OK(ADCL_Request_free(&plain));
  free_fields(&fields);
}

/* Linked descriptors are one request; its arrays may differ in extents, order, entries, datatype and halo width. */
static void linked_descriptors(void) {
  const int dims[2] = {ROWS, COLUMNS};
  Fields fields;
  ADCL_Request request;
  ADCL_Halo flow, heat;
  make_fields(&fields);
  flow = *ADCL_HALO(fields.flow[0], 2, dims, 2, 1, MPI_INT);
  heat = *ADCL_HALO(fields.heat[0], 2, dims, 0, 1, MPI_DOUBLE);
  heat.next = &flow;
  OK(ADCL_Halo_init(&heat, fields.cart, &request));
  for (int round = 0; round < 60; ++round) {
    fill(&fields, round);
    fields.flow[0][ROWS - 2][2][1] = 1000 * fields.rank + round;
    OK(ADCL_Request_start(request));
    CHECK(fields.heat[0][0][1] == value(fields.up, 0, round, ROWS - 2, 1));
    CHECK(fields.flow[0][0][2][1] == 1000 * fields.up + round);
    CHECK(fields.heat[0][ROWS - 1][1] == value(fields.down, 0, round, 1, 1));
  }
  OK(ADCL_Request_free(&request));
  flow.hwidth = -3;
  FAILS(ADCL_ERR_ARGUMENT, "hwidth of field 1 is -3", ADCL_Halo_init(&heat, fields.cart, &request));
  flow.buf = heat.buf;
  FAILS(ADCL_ERR_ARGUMENT, "buf and buf of field 1 are the same array", ADCL_Halo_init(&heat, fields.cart, &request));
  heat.next = &heat;
  FAILS(ADCL_ERR_ARGUMENT, "the same array", ADCL_Halo_init(&heat, fields.cart, &request));
  free_fields(&fields);
}

/* Contiguous planes span the last dimension in Fortran order, the first dimension in C order: messages of a 2-D array
 * contain different corners.
 */
static void storage_orders(void) {
  enum { WIDTH = 5, HEIGHT = 4 };
  const int dims[2] = {WIDTH, HEIGHT};
  const int periods[2] = {1, 0};
  const int processes[2] = {harness_size(), 1};
  double columns[HEIGHT][WIDTH];
  MPI_Comm cart;
  ADCL_Request request;
  ADCL_Halo halo = *ADCL_HALO(columns, 2, dims, 0, 1, MPI_DOUBLE);
  int low, high;
  MPI_Cart_create(MPI_COMM_WORLD, 2, processes, periods, 0, &cart);
  MPI_Cart_shift(cart, 0, 1, &low, &high);
  halo.order = ADCL_ORDER_FORTRAN;
  OK(ADCL_Halo_init(&halo, cart, &request));
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < WIDTH; ++x) {
      columns[y][x] = 100 * harness_rank() + 10 * y + x;
    }
  }
  OK(ADCL_Request_start(request));
  for (int y = 1; y < HEIGHT - 1; ++y) {
    CHECK(columns[y][0] == 100 * low + 10 * y + WIDTH - 2);
    CHECK(columns[y][WIDTH - 1] == 100 * high + 10 * y + 1);
  }
  OK(ADCL_Request_free(&request));
  MPI_Comm_free(&cart);
}

/* A descriptor of a later header has members that this library does not know. */
static void later_header(void) {
  struct {
    ADCL_Halo known;
    int later;
  } program;
  const int dims[2] = {ROWS, COLUMNS};
  ADCL_Request request;
  Fields fields;
  make_fields(&fields);
  memset(&program, 0, sizeof program);
  program.known = *ADCL_HALO(fields.heat[0], 2, dims, 0, 1, MPI_DOUBLE);
  program.known.size = sizeof program;
  OK(ADCL_Halo_init(&program.known, fields.cart, &request));
  OK(ADCL_Request_free(&request));
  program.later = fields.rank == harness_size() - 1;
  FAILS(ADCL_ERR_UNSUPPORTED, "a member of ADCL_Halo that this library",
        ADCL_Halo_init(&program.known, fields.cart, &request));
  program.known.size = 0;
  FAILS(ADCL_ERR_ARGUMENT, "halo->size is 0", ADCL_Halo_init(&program.known, fields.cart, &request));
  program.known.size = (size_t)-1;
  FAILS(ADCL_ERR_ARGUMENT, "initialize the ADCL_Halo with ADCL_HALO",
        ADCL_Halo_init(&program.known, fields.cart, &request));
  FAILS(ADCL_ERR_ARGUMENT, "halo is a null pointer", ADCL_Halo_init(NULL, fields.cart, &request));
  free_fields(&fields);
}

static void wrong_arguments(void) {
  Fields fields;
  ADCL_Request request = ADCL_REQUEST_NULL;
  const ADCL_Fnctset set = ADCL_FNCTSET_NEIGHBORHOOD;
  const int wrong = harness_size() - 1; /* only this rank passes wrong arguments */
  make_fields(&fields);
  const ADCL_Vector *vecs = fields.vecs;
  const ADCL_Vmap *vmaps = fields.vmaps;
  const int bad = fields.rank == wrong;
  FAILS(ADCL_ERR_ARGUMENT, "n is 0",
        ADCL_Request_create_several(bad ? 0 : 2, vecs, vmaps, vecs, vmaps, fields.topo, set, &request));
  FAILS(ADCL_ERR_ARGUMENT, "rvmaps",
        ADCL_Request_create_several(2, vecs, vmaps, vecs, bad ? NULL : vmaps, fields.topo, set, &request));
  ADCL_Vector twice[2] = {vecs[0], bad ? vecs[0] : vecs[1]};
  FAILS(ADCL_ERR_ARGUMENT, "fields 0 and 1 are received into the same vector",
        ADCL_Request_create_several(2, vecs, vmaps, twice, vmaps, fields.topo, set, &request));
  ADCL_Vector missing[2] = {vecs[0], bad ? ADCL_VECTOR_NULL : vecs[1]};
  FAILS(ADCL_ERR_HANDLE, "field 1",
        ADCL_Request_create_several(2, missing, vmaps, vecs, vmaps, fields.topo, set, &request));
  /* Field 0 sends the layer of vecs[0] next to its halo of width one; field 1 receives a halo of width two into this
   * layer. */
  ADCL_Vector crossed[2] = {vecs[1], vecs[0]};
  FAILS(ADCL_ERR_ARGUMENT, "field 1 is received into the part of a vector that field 0 sends",
        ADCL_Request_create_several(2, vecs, vmaps, crossed, vmaps, fields.topo, set, &request));
  if (harness_size() > 1) {
    FAILS(ADCL_ERR_MISMATCH, "number of fields",
          ADCL_Request_create_several(bad ? 1 : 2, vecs, vmaps, vecs, vmaps, fields.topo, set, &request));
    ADCL_Vmap narrow[2] = {vmaps[0], bad ? vmaps[0] : vmaps[1]};
    FAILS(ADCL_ERR_MISMATCH, "",
          ADCL_Request_create_several(2, vecs, narrow, vecs, narrow, fields.topo, set, &request));
  }
  CHECK(request == ADCL_REQUEST_NULL);
  free_fields(&fields);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  wrong_arguments();
  single_field();
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  linked_descriptors();
  storage_orders();
  later_header();
  all_modes();
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "9"));
  rebound_arrays();
  OK(ADCL_Finalize());
  return harness_verdict();
}
