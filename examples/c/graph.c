/* ranks: 1 2 3 4
 * not smpi: it has no distributed graphs
 * A graph whose vertices are divided among the ranks. In each step, a vertex gets the mean of its neighbors' values.
 * Vertex v has edges to v - 1, v + 1 and to the vertex opposite, so a rank needs values of vertices that others own:
 * ghosts, which ADCL exchanges. The sum of all values stays the same. */
#include <ADCL.h>
#include <math.h>
#include <stdio.h>

enum { OWNED = 300, DEGREE = 3, STEPS = 500 };

/* Values of the owned vertices, then of the ghosts. */
static double value[OWNED * (1 + DEGREE)];
static int ghosts = 0;
static int ghost_vertex[OWNED * DEGREE];
static int rank;
static int vertices;

static void check(int code) {
  if (code != ADCL_SUCCESS) {
    fprintf(stderr, "%s\n", ADCL_Last_error());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
}

static int neighbor(int vertex, int edge) {
  const int steps[DEGREE] = {1, vertices - 1, vertices / 2};
  return (vertex + steps[edge]) % vertices;
}

/* Index in `value` of a vertex of the graph; adds a ghost if this rank neither owns nor has it. */
static int index_of(int vertex) {
  if (vertex / OWNED == rank) {
    return vertex % OWNED;
  }
  for (int g = 0; g < ghosts; ++g) {
    if (ghost_vertex[g] == vertex) {
      return OWNED + g;
    }
  }
  ghost_vertex[ghosts] = vertex;
  return OWNED + ghosts++;
}

/* The neighbor ranks, and for each the number and the indices of the values to send and to receive. */
struct Exchange {
  int ranks;
  int rank[DEGREE + 1];
  int sent[DEGREE + 1];
  int received[DEGREE + 1];
  int to_send[OWNED * DEGREE];
  int to_receive[OWNED * DEGREE];
};

/* Lists what this rank exchanges with each other rank. Edges have no direction, so both lists have the same ranks. A
 * rank sends its vertices in ascending order, and receives them in this order. */
static struct Exchange exchange_of(int size) {
  struct Exchange exchange = {0};
  int send = 0;
  int receive = 0;
  for (int other = 0; other < size; ++other) {
    int first_sent = send;
    int first_received = receive;
    for (int vertex = other * OWNED; other != rank && vertex < (other + 1) * OWNED; ++vertex) {
      for (int g = 0; g < ghosts; ++g) {
        if (ghost_vertex[g] == vertex) {
          exchange.to_receive[receive++] = OWNED + g;
        }
      }
    }
    for (int mine = 0; other != rank && mine < OWNED; ++mine) {
      int needed = 0;
      for (int edge = 0; edge < DEGREE; ++edge) {
        needed |= neighbor(rank * OWNED + mine, edge) / OWNED == other;
      }
      if (needed) {
        exchange.to_send[send++] = mine;
      }
    }
    if (send > first_sent) {
      exchange.rank[exchange.ranks] = other;
      exchange.sent[exchange.ranks] = send - first_sent;
      exchange.received[exchange.ranks] = receive - first_received;
      ++exchange.ranks;
    }
  }
  return exchange;
}

int main(int argc, char **argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(ADCL_Init());

  /* The edges, with indices of `value`. */
  static int edges[OWNED][DEGREE];
  vertices = size * OWNED;
  for (int v = 0; v < OWNED; ++v) {
    value[v] = rank * OWNED + v;
    for (int edge = 0; edge < DEGREE; ++edge) {
      edges[v][edge] = index_of(neighbor(rank * OWNED + v, edge));
    }
  }

  /* The neighbors, as a communicator. */
  static struct Exchange exchange;
  MPI_Comm graph;
  exchange = exchange_of(size);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, exchange.ranks, exchange.rank, MPI_UNWEIGHTED, exchange.ranks,
                                 exchange.rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);

  /* The exchange: the array, the lists of its elements, the neighbors. */
  int extent = OWNED * (1 + DEGREE);
  ADCL_Vector vec;
  ADCL_Vmap vmap;
  ADCL_Topology topo;
  ADCL_Request ghosts_of_all;
  check(ADCL_Vector_register(1, &extent, 0, MPI_DOUBLE, value, &vec));
  check(ADCL_Vmap_graph_allocate(exchange.ranks, exchange.sent, exchange.to_send, exchange.ranks, exchange.received,
                                 exchange.to_receive, &vmap));
  check(ADCL_Topology_create(graph, 0, &topo));
  check(ADCL_Request_create(vec, vmap, topo, ADCL_FNCTSET_NEIGHBORHOOD, &ghosts_of_all));

  for (int step = 0; step < STEPS; ++step) {
    static double next[OWNED];
    check(ADCL_Request_start(ghosts_of_all)); /* fills the ghosts */
    for (int v = 0; v < OWNED; ++v) {
      next[v] = (value[edges[v][0]] + value[edges[v][1]] + value[edges[v][2]]) / DEGREE;
    }
    for (int v = 0; v < OWNED; ++v) {
      value[v] = next[v];
    }
  }

  double sum = 0.0;
  for (int v = 0; v < OWNED; ++v) {
    sum += value[v];
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double expected = (vertices - 1.0) * vertices / 2;
  int wrong = fabs(sum - expected) > 1e-9 * expected;
  if (rank == 0) {
    printf("%d steps on %d ranks with %d vertices: the sum is %s\n", STEPS, size, vertices, wrong ? "wrong" : "right");
  }

  check(ADCL_Request_free(&ghosts_of_all));
  check(ADCL_Topology_free(&topo));
  check(ADCL_Vmap_free(&vmap));
  check(ADCL_Vector_deregister(&vec));
  MPI_Comm_free(&graph);
  check(ADCL_Finalize());
  MPI_Finalize();
  return wrong;
}
