/* ranks: 1 2 3 4
 * timeout: 120
 * not smpi: datatypes with holes are refused there
 * Every codelet passes the application's datatype to operations of the application. */
#include "every_codelet.h"

static MPI_Datatype pair;
static int wrong_types, width;

/* Adds pairs of integers at the beginning of entries of `width` integers. Counts the calls with a datatype other
 * than the application's. */
static void add_pairs(void *in, void *inout, int *entries, MPI_Datatype *type) {
  const int *from = in;
  int *to = inout;
  wrong_types += *type != pair;
  for (int i = 0; i < *entries; ++i) {
    to[width * i] += from[width * i];
    to[width * i + 1] += from[width * i + 1];
  }
}

enum { reductions = 6 };

/* Runs reduction number `call` with MPI and creates a request for it. Returns its name. */
static const char *reduce(int call, const int *out, int *expected, int *in, MPI_Op op, int root,
                          ADCL_Request *request) {
  static const int counts[most_ranks] = {1, 0, 2, 1};
  switch (call) {
    case 0:
      MPI_Reduce(out, expected, 5, pair, op, root, comm);
      OK(ADCL_Reduce_init(out, in, 5, pair, op, root, comm, request));
      return "reduce";
    case 1:
      MPI_Allreduce(out, expected, 5, pair, op, comm);
      OK(ADCL_Allreduce_init(out, in, 5, pair, op, comm, request));
      return "allreduce";
    case 2:
      MPI_Reduce_scatter_block(out, expected, 3, pair, op, comm);
      OK(ADCL_Reduce_scatter_block_init(out, in, 3, pair, op, comm, request));
      return "reduce_scatter_block";
    case 3:
      MPI_Reduce_scatter(out, expected, counts, pair, op, comm);
      OK(ADCL_Reduce_scatter_init(out, in, counts, pair, op, comm, request));
      return "reduce_scatter";
    case 4:
      MPI_Scan(out, expected, 5, pair, op, comm);
      OK(ADCL_Scan_init(out, in, 5, pair, op, comm, request));
      return "scan";
    default:
      MPI_Exscan(out, expected, 5, pair, op, comm);
      OK(ADCL_Exscan_init(out, in, 5, pair, op, comm, request));
      return "exscan";
  }
}

/* The function of an operation gets the datatype that the application passed, even after the application has freed it.
 * Entries have no gap if MPICH would write to it. */
static void datatype_of_operation(int commutes, int freed) {
  int out[most], in[most], before[most], expected[most];
  MPI_Op op;
  numbers(out, 100 * rank);
  numbers(before, -most);
  MPI_Op_create(add_pairs, commutes, &op);
  for (int call = 0; call < reductions; ++call) {
    const int root = harness_between(0, size - 1);
    const char *name;
    MPI_Datatype inner, type;
    ADCL_Request request = ADCL_REQUEST_NULL;
    width = call == 2 || call == 3 ? 2 : 3;
    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, width * (MPI_Aint)sizeof(int), &type);
    MPI_Type_free(&inner);
    MPI_Type_commit(&type);
    pair = type;
    memcpy(expected, before, sizeof expected);
    name = reduce(call, out, expected, in, op, root, &request);
    wrong_types = 0; /* MPI libraries may pass another datatype */
    if (freed) {
      MPI_Type_free(&type);
    }
    run(name, &request, in, before, expected);
    CHECK(wrong_types == 0);
    if (!freed) {
      MPI_Type_free(&type);
    }
  }
  MPI_Op_free(&op);
}

int main(int argc, char **argv) {
  every_codelet_begin(&argc, &argv);
  for (int i = 0; i < 4; ++i) {
    datatype_of_operation(i % 2, i / 2);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
