/* ranks: 1 2 3
 * The send and receive datatypes have the same entries at different places in memory, and two fields in one message
 * have different datatypes. Every codelet stores each entry in its place. */
#include "harness.h"

enum { points = 5, most_fields = 2, most_starts = 400 };

/* A point of two numbers, which is sent or received in the order of the members or in reverse order. */
struct point {
  double number[2];
};

static MPI_Datatype straight, reversed;

static MPI_Datatype in_order(MPI_Aint first, MPI_Aint second) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {first, second};
  MPI_Datatype type;
  MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static double value(int rank, int field, int round, int point, int number) {
  return rank + 10.0 * (field + 10 * (round + 1000 * (point + 10 * number)));
}

/* Number of wrong values in the ghost point `ghost` of field `field`, which receives `point` of `from`. Field 0 is sent
 * in order and received in reverse order; field 1 is sent and received in reverse order. */
static int wrong_values(const struct point *in, int field, int round, int ghost, int from, int point) {
  int wrong = 0;
  for (int i = 0; i < 2; ++i) {
    wrong += in[ghost].number[i] != value(from, field, round, point, field == 0 ? 1 - i : i);
  }
  return wrong;
}

static void exchange(MPI_Comm ring, int fields) {
  static struct point out[most_fields][points], in[most_fields][points];
  const int dims[1] = {points};
  const int rank = harness_rank();
  const int size = harness_size();
  ADCL_Vector svecs[most_fields], rvecs[most_fields];
  ADCL_Vmap vmaps[most_fields];
  ADCL_Topology topo;
  ADCL_Request request;
  char name[ADCL_MAX_NAME] = "";
  int decided = 0;
  for (int f = 0; f < fields; ++f) {
    OK(ADCL_Vector_register(1, dims, 0, f == 0 ? straight : reversed, out[f], &svecs[f]));
    OK(ADCL_Vector_register(1, dims, 0, reversed, in[f], &rvecs[f]));
    OK(ADCL_Vmap_halo_allocate(1, &vmaps[f]));
  }
  OK(ADCL_Topology_create(ring, 0, &topo));
  OK(ADCL_Request_create_several(fields, svecs, vmaps, rvecs, vmaps, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request));
  for (int round = 0; round < most_starts && !decided; ++round) {
    int wrong = 0;
    OK(ADCL_Request_get_winner(request, name, sizeof name));
    decided = name[0] != '\0';
    for (int f = 0; f < fields; ++f) {
      for (int i = 0; i < 2 * points; ++i) {
        out[f][i / 2].number[i % 2] = value(rank, f, round, i / 2, i % 2);
      }
    }
    OK(ADCL_Request_start(request));
    OK(ADCL_Request_get_curr_function(request, name, sizeof name));
    for (int f = 0; f < fields; ++f) {
      wrong += wrong_values(in[f], f, round, 0, (rank + size - 1) % size, points - 2);
      wrong += wrong_values(in[f], f, round, points - 1, (rank + 1) % size, 1);
    }
    CHECK(wrong == 0);
    if (wrong != 0) {
      fprintf(stderr, "rank %d: %d wrong values of %d fields by %s\n", rank, wrong, fields, name);
    }
  }
  CHECK(decided);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topo));
  for (int f = 0; f < fields; ++f) {
    OK(ADCL_Vmap_free(&vmaps[f]));
    OK(ADCL_Vector_deregister(&rvecs[f]));
    OK(ADCL_Vector_deregister(&svecs[f]));
  }
}

int main(int argc, char **argv) {
  MPI_Comm ring;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
  OK(ADCL_Option_set("ADCL_HISTORY", "off"));
  straight = in_order(0, sizeof(double));
  reversed = in_order(sizeof(double), 0);
  ring = harness_cart(1, 1);
  exchange(ring, 1);
  exchange(ring, 2);
  MPI_Comm_free(&ring);
  MPI_Type_free(&straight);
  MPI_Type_free(&reversed);
  OK(ADCL_Finalize());
  return harness_verdict();
}
