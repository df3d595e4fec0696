/* ranks: 1 2 3 4
 * timeout: 120
 * not smpi: datatypes with holes are refused there
 * Legal collectives in which MPI libraries fail (tests/mpi_defects): every codelet that ADCL tries gives the result
 * that MPI requires. */
#include <stddef.h>

#include "harness.h"

enum { most_ranks = 4, units = 2000, doubles = 3, starts = 60 };

static int rank, size;

/* Sets the options for a search that tries every codelet. */
static void set_options(void) {
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force"));
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "1"));
}

/* One side has the count 0, the other side has empty datatypes. */
static void empty_entries(void) {
  static const int zero[most_ranks], three[most_ranks] = {3, 3, 3, 3}, places[most_ranks];
  int out[4] = {0}, in[4] = {0};
  MPI_Datatype empty, integers[most_ranks], empties[most_ranks];
  ADCL_Request requests[6];
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  for (int i = 0; i < most_ranks; ++i) {
    integers[i] = MPI_INT;
    empties[i] = empty;
  }
  OK(ADCL_Alltoallv_init(out, zero, places, MPI_INT, in, three, places, empty, MPI_COMM_WORLD, &requests[0]));
  OK(ADCL_Alltoallw_init(out, zero, places, integers, in, three, places, empties, MPI_COMM_WORLD, &requests[1]));
  OK(ADCL_Gatherv_init(out, 0, MPI_INT, in, three, places, empty, 0, MPI_COMM_WORLD, &requests[2]));
  OK(ADCL_Scatterv_init(out, zero, places, MPI_INT, in, 3, empty, 0, MPI_COMM_WORLD, &requests[3]));
  OK(ADCL_Allgatherv_init(out, 0, MPI_INT, in, three, places, empty, MPI_COMM_WORLD, &requests[4]));
  OK(ADCL_Bcast_init(out, rank == 0 ? 0 : 3, rank == 0 ? MPI_INT : empty, 0, MPI_COMM_WORLD, &requests[5]));
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < starts / 2; ++i) {
      OK(ADCL_Request_start(requests[k]));
    }
    OK(ADCL_Request_free(&requests[k]));
  }
  MPI_Type_free(&empty);
}

/* Blocks with displacements before and after the address, also on one process. */
static void displaced_blocks(int place) {
  enum { entries = 2, length = 40, middle = 15 };
  const MPI_Datatype type = MPI_INT;
  int counts[most_ranks], zero[most_ranks] = {0}, places[most_ranks], byte_places[most_ranks];
  MPI_Datatype types[most_ranks];
  ADCL_Request request;
  for (int w = 0; w < 2; ++w) {
    int out[length], in[length], expected[length];
    for (int i = 0; i < size; ++i) {
      counts[i] = entries;
      places[i] = place + i * entries;
      byte_places[i] = places[i] * (int)sizeof(int);
      types[i] = type;
    }
    for (int k = 0; k < length; ++k) {
      out[k] = 100 * rank + k;
      expected[k] = -1;
    }
    for (int k = 0; k < size * entries; ++k) {
      expected[middle + place + k] = 100 * (k / entries) + middle + k % entries;
    }
    if (w == 0) {
      OK(ADCL_Allgatherv_init(out + middle, entries, type, in + middle, counts, places, type, MPI_COMM_WORLD,
                              &request));
    } else {
      OK(ADCL_Alltoallw_init(out + middle, counts, zero, types, in + middle, counts, byte_places, types, MPI_COMM_WORLD,
                             &request));
    }
    for (int i = 0; i < starts; ++i) {
      memset(in, -1, sizeof in);
      OK(ADCL_Request_start(request));
      CHECK(memcmp(in, expected, sizeof in) == 0);
    }
    OK(ADCL_Request_free(&request));
  }
}

/* An entry consists of three doubles: at its address, before it and after it. */
static void add(void *in, void *inout, int *entries, MPI_Datatype *type) {
  const double *from = (const double *)in - 1;
  double *to = (double *)inout - 1;
  (void)type;
  for (int i = 0; i < *entries * doubles; ++i) {
    to[i] += from[i];
  }
}

static void entries_before_address(int all_ranks) {
  enum { count = 5000, all = doubles * count };
  const int lengths[doubles] = {1, 1, 1};
  const MPI_Aint places[doubles] = {-(MPI_Aint)sizeof(double), 0, sizeof(double)};
  double *out = malloc(all * sizeof *out);
  double *in = malloc(all * sizeof *in);
  MPI_Datatype three;
  MPI_Op op;
  ADCL_Request request;
  MPI_Type_create_hindexed(doubles, lengths, places, MPI_DOUBLE, &three);
  MPI_Type_commit(&three);
  MPI_Op_create(add, 1, &op);
  if (all_ranks) {
    OK(ADCL_Allreduce_init(out + 1, in + 1, count, three, op, MPI_COMM_WORLD, &request));
  } else {
    OK(ADCL_Reduce_init(out + 1, in + 1, count, three, op, 0, MPI_COMM_WORLD, &request));
  }
  for (int n = 0; n < starts; ++n) {
    int right = 1;
    for (int i = 0; i < all; ++i) {
      out[i] = (rank + 1) * (i % 100);
      in[i] = -1.0;
    }
    OK(ADCL_Request_start(request));
    for (int i = 0; i < all; ++i) {
      right &= in[i] == (all_ranks || rank == 0 ? size * (size + 1) / 2 * (i % 100) : -1.0);
    }
    CHECK(right);
  }
  OK(ADCL_Request_free(&request));
  MPI_Op_free(&op);
  MPI_Type_free(&three);
  free(in);
  free(out);
}

struct mixed {
  int number;
  double value;
};

static MPI_Datatype type_of_mixed(int dense) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, dense ? (MPI_Aint)sizeof(int) : (MPI_Aint)offsetof(struct mixed, value)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype plain, entry;
  MPI_Type_create_struct(2, lengths, places, types, &plain);
  MPI_Type_create_resized(plain, 0, dense ? 12 : (MPI_Aint)sizeof(struct mixed), &entry);
  MPI_Type_commit(&entry);
  MPI_Type_free(&plain);
  return entry;
}

enum mixed_call { scatter, scatterv, gather, gatherv, bcast, allgather, allgatherv, alltoall, mixed_calls };

static int make_mixed(enum mixed_call call, const void *out, void *in, MPI_Datatype entry, ADCL_Request *request) {
  int counts[most_ranks], places[most_ranks];
  const MPI_Comm comm = MPI_COMM_WORLD;
  for (int i = 0; i < size; ++i) {
    counts[i] = units;
    places[i] = i * units;
  }
  switch (call) {
    case scatter:
      return ADCL_Scatter_init(out, units, entry, in, units, entry, 0, comm, request);
    case scatterv:
      return ADCL_Scatterv_init(out, counts, places, entry, in, units, entry, 0, comm, request);
    case gather:
      return ADCL_Gather_init(out, units, entry, in, units, entry, 0, comm, request);
    case gatherv:
      return ADCL_Gatherv_init(out, units, entry, in, counts, places, entry, 0, comm, request);
    case bcast:
      return ADCL_Bcast_init(in, units, entry, 0, comm, request);
    case allgather:
      return ADCL_Allgather_init(out, units, entry, in, units, entry, comm, request);
    case allgatherv:
      return ADCL_Allgatherv_init(out, units, entry, in, counts, places, entry, comm, request);
    default:
      return ADCL_Alltoall_init(out, units, entry, in, units, entry, comm, request);
  }
}

/* Entries are structures of an int and a double, with a gap or without. */
static void mixed_entries(int dense) {
  static char out[most_ranks * units * sizeof(struct mixed)], in[sizeof out], expected[sizeof out];
  const MPI_Datatype entry = type_of_mixed(dense);
  const size_t extent = dense ? 12 : sizeof(struct mixed);
  const size_t place = dense ? sizeof(int) : offsetof(struct mixed, value);
  for (int call = scatter; call < mixed_calls; ++call) {
    const int many = call == scatter || call == scatterv || call == bcast || call == alltoall;
    const int blocks = call <= scatterv || call == bcast ? 1 : size;
    ADCL_Request request;
    memset(out, 0, sizeof out);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < size * units; ++i) {
      const int number = 100000 * rank + i;
      const double value = 0.5 * number;
      memcpy(out + (size_t)i * extent, &number, sizeof number);
      memcpy(out + (size_t)i * extent + place, &value, sizeof value);
    }
    for (int i = 0; i < blocks * units; ++i) {
      const int from = blocks == 1 ? 0 : i / units;
      const int first = call == bcast || !many ? 0 : rank * units;
      const int number = 100000 * from + first + i % units;
      const double value = 0.5 * number;
      if ((call != gather && call != gatherv) || rank == 0) {
        memcpy(expected + (size_t)i * extent, &number, sizeof number);
        memcpy(expected + (size_t)i * extent + place, &value, sizeof value);
      }
    }
    OK(make_mixed((enum mixed_call)call, out, in, entry, &request));
    for (int i = 0; i < starts; ++i) {
      memset(in, 0, sizeof in);
      if (call == bcast && rank == 0) {
        memcpy(in, expected, sizeof in);
      }
      OK(ADCL_Request_start(request));
      CHECK(memcmp(in, expected, sizeof in) == 0);
    }
    OK(ADCL_Request_free(&request));
  }
  MPI_Datatype freed = entry;
  MPI_Type_free(&freed);
}

/* Ranks gather the same integers with entries of different extents or different numbers of integers. */
static void different_entries(int other_numbers, int integers) {
  const int out_ints = other_numbers && rank % 2 != 0 ? 2 : 1;
  const int in_ints = other_numbers && rank % 2 != 0 ? 1 : (other_numbers ? 2 : 3);
  const int stride = other_numbers ? 2 : 1 + rank % 2;
  int counts[most_ranks], places[most_ranks];
  MPI_Datatype vector, out_type, in_type;
  int *out = calloc((size_t)integers * 4, sizeof(int));
  int *in = calloc((size_t)integers * 4 * (size_t)size, sizeof(int));
  ADCL_Request request;
  MPI_Type_vector(out_ints, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, (2 * out_ints + 1) * (MPI_Aint)sizeof(int), &out_type);
  MPI_Type_commit(&out_type);
  MPI_Type_free(&vector);
  MPI_Type_vector(in_ints, 1, stride, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, (stride * in_ints + 1) * (MPI_Aint)sizeof(int), &in_type);
  MPI_Type_commit(&in_type);
  MPI_Type_free(&vector);
  for (int i = 0; i < integers; ++i) {
    out[i / out_ints * (2 * out_ints + 1) + i % out_ints * 2] = 1000000 * rank + i;
  }
  for (int i = 0; i < size; ++i) {
    counts[i] = integers / in_ints;
    places[i] = i * counts[i];
  }
  OK(ADCL_Allgatherv_init(out, integers / out_ints, out_type, in, counts, places, in_type, MPI_COMM_WORLD, &request));
  for (int n = 0; n < starts; ++n) {
    int right = 1;
    memset(in, 0, (size_t)integers * 4 * (size_t)size * sizeof(int));
    OK(ADCL_Request_start(request));
    for (int i = 0; i < size * integers; ++i) {
      right &=
          in[i / in_ints * (stride * in_ints + 1) + i % in_ints * stride] == 1000000 * (i / integers) + i % integers;
    }
    CHECK(right);
  }
  OK(ADCL_Request_free(&request));
  MPI_Type_free(&in_type);
  MPI_Type_free(&out_type);
  free(in);
  free(out);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  rank = harness_rank();
  size = harness_size();
  set_options();
  if (argc < 2 || strcmp(argv[1], "empty") == 0) {
    empty_entries();
  }
  if (argc < 2 || strcmp(argv[1], "displaced") == 0) {
    displaced_blocks(3);
    displaced_blocks(-3);
  }
  if (argc < 2 || strcmp(argv[1], "lower_bound") == 0) {
    entries_before_address(0);
    entries_before_address(1);
  }
  if (argc < 2 || strcmp(argv[1], "mixed") == 0) {
    mixed_entries(0);
    mixed_entries(1);
  }
  if (argc < 2 || strcmp(argv[1], "unlike") == 0) {
    different_entries(0, 12000);
    different_entries(1, 120);
    different_entries(1, 12000);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
