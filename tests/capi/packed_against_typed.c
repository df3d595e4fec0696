/* ranks: 1 2 3 4
 * timeout: 200
 * not smpi: datatypes with holes are refused there
 * Collectives in which some sides are MPI_PACKED and others typed data, with short and long messages. The reference
 * call of MPI moves the packed bytes. */
#define EVERY_CODELET_MOST 40000
#include <stddef.h>

#include "every_codelet.h"

enum { longest = 2000 }; /* entries of a block */

static int out[most], before[most], in[most], expected[most];
static int out_packed[most], before_packed[most], expected_packed[most];

struct entry {
  int number;
  double value;
};

/* A datatype and the position of its entries in the arrays. */
static struct {
  MPI_Datatype type;
  int bytes;   /* data bytes of an entry */
  int begin;   /* integers before the address of the first entry */
  int entries; /* entries of the array */
} data;

static void set_type(int kind, int entries) {
  const int lengths[2] = {1, 1};
  const MPI_Aint in_entry[2] = {offsetof(struct entry, number), offsetof(struct entry, value)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  const MPI_Aint around[2] = {-(MPI_Aint)sizeof(int), (MPI_Aint)sizeof(int)};
  MPI_Datatype inner;
  data.begin = 0;
  switch (kind) {
    case 0:
      MPI_Type_contiguous(1, MPI_INT, &data.type);
      break;
    case 1:
      MPI_Type_create_struct(2, lengths, in_entry, types, &inner);
      MPI_Type_create_resized(inner, 0, sizeof(struct entry), &data.type);
      MPI_Type_free(&inner);
      break;
    default: /* data begin before the address */
      MPI_Type_create_hindexed(2, lengths, around, MPI_INT, &inner);
      MPI_Type_create_resized(inner, around[0], 4 * (MPI_Aint)sizeof(int), &data.type);
      MPI_Type_free(&inner);
      data.begin = 1;
      break;
  }
  MPI_Type_commit(&data.type);
  MPI_Type_size(data.type, &data.bytes);
  data.entries = entries;
}

static void pack(int *array, int *packed) {
  int position = 0;
  memset(packed, 0, most * sizeof *packed);
  MPI_Pack(array + data.begin, data.entries, data.type, packed, most * (int)sizeof *packed, &position, comm);
  CHECK(position == data.entries * data.bytes);
}

static void unpack(int *packed, int *array) {
  int position = 0;
  MPI_Unpack(packed, data.entries * data.bytes, &position, array + data.begin, data.entries, data.type, comm);
}

/* One side of a rank's call. */
struct side {
  int *address;
  MPI_Datatype type;
  int unit; /* count per entry, also for displacements */
};

static struct side side_of(int packed, int *array, int *as_packed) {
  const struct side typed = {array + data.begin, data.type, 1};
  const struct side bytes = {as_packed, MPI_PACKED, data.bytes};
  return packed ? bytes : typed;
}

static void scale(const int *counts, int unit, int *scaled) {
  for (int i = 0; i < size; ++i) {
    scaled[i] = counts[i] * unit;
  }
}

/* For call 0 to 11, moves bytes to `expected_packed` with MPI and creates a request with the two sides. */
static const char *move(int call, int count, struct side s, struct side r, ADCL_Request *request) {
  const int root = harness_between(0, size - 1);
  const int b = data.bytes, n = count * s.unit, m = count * r.unit;
  int counts[most_ranks], places[most_ranks], bytes[most_ranks], begins[most_ranks];
  int scounts[most_ranks], sdispls[most_ranks], rcounts[most_ranks], rdispls[most_ranks];
  MPI_Datatype stypes[most_ranks], rtypes[most_ranks];
  void *from = out_packed, *to = expected_packed;
  for (int i = 0; i < size; ++i) {
    counts[i] = call < 9 ? harness_between(0, count) : (i + rank) % 2 * count;
    places[i] = count * (size - 1 - i);
    stypes[i] = s.type;
    rtypes[i] = r.type;
  }
  scale(counts, b, bytes);
  scale(places, b, begins);
  scale(counts, s.unit, scounts);
  scale(counts, r.unit, rcounts);
  scale(places, s.unit, sdispls);
  scale(places, r.unit, rdispls);
  switch (call) {
    case 0:
    case 1:
      MPI_Bcast(to, count * b, MPI_BYTE, root, comm);
      OK((call == 0 ? ADCL_Bcast_init : ADCL_Ibcast_init)(r.address, m, r.type, root, comm, request));
      return "bcast";
    case 2:
      MPI_Gather(from, count * b, MPI_BYTE, to, count * b, MPI_BYTE, root, comm);
      OK(ADCL_Gather_init(s.address, n, s.type, r.address, m, r.type, root, comm, request));
      return "gather";
    case 3:
      MPI_Gatherv(from, bytes[rank], MPI_BYTE, to, bytes, begins, MPI_BYTE, root, comm);
      OK(ADCL_Gatherv_init(s.address, scounts[rank], s.type, r.address, rcounts, rdispls, r.type, root, comm, request));
      return "gatherv";
    case 4:
      MPI_Scatter(from, count * b, MPI_BYTE, to, count * b, MPI_BYTE, root, comm);
      OK(ADCL_Scatter_init(s.address, n, s.type, r.address, m, r.type, root, comm, request));
      return "scatter";
    case 5:
      MPI_Scatterv(from, bytes, begins, MPI_BYTE, to, bytes[rank], MPI_BYTE, root, comm);
      OK(ADCL_Scatterv_init(s.address, scounts, sdispls, s.type, r.address, rcounts[rank], r.type, root, comm,
                            request));
      return "scatterv";
    case 6:
    case 7:
      MPI_Allgather(from, count * b, MPI_BYTE, to, count * b, MPI_BYTE, comm);
      OK((call == 6 ? ADCL_Allgather_init : ADCL_Iallgather_init)(s.address, n, s.type, r.address, m, r.type, comm,
                                                                  request));
      return "allgather";
    case 8:
      MPI_Allgatherv(from, bytes[rank], MPI_BYTE, to, bytes, begins, MPI_BYTE, comm);
      OK(ADCL_Allgatherv_init(s.address, scounts[rank], s.type, r.address, rcounts, rdispls, r.type, comm, request));
      return "allgatherv";
    case 9:
      MPI_Alltoall(from, count * b, MPI_BYTE, to, count * b, MPI_BYTE, comm);
      OK(ADCL_Alltoall_init(s.address, n, s.type, r.address, m, r.type, comm, request));
      return "alltoall";
    case 10:
      MPI_Alltoallv(from, bytes, begins, MPI_BYTE, to, bytes, begins, MPI_BYTE, comm);
      OK(ADCL_Alltoallv_init(s.address, scounts, sdispls, s.type, r.address, rcounts, rdispls, r.type, comm, request));
      return "alltoallv";
    default:
      MPI_Alltoallv(from, bytes, begins, MPI_BYTE, to, bytes, begins, MPI_BYTE, comm);
      /* Displacements are in bytes here. */
      scale(places, s.type == MPI_PACKED ? b : 4 * (int)sizeof(int), sdispls);
      scale(places, r.type == MPI_PACKED ? b : 4 * (int)sizeof(int), rdispls);
      OK(ADCL_Alltoallw_init(s.address, scounts, sdispls, stypes, r.address, rcounts, rdispls, rtypes, comm, request));
      return "alltoallw";
  }
}

static void random_moves(int kind, int count) {
  for (int call = 0; call < 12; ++call) {
    ADCL_Request request = ADCL_REQUEST_NULL;
    const char *name;
    int packs = harness_between(0, 255) >> (2 * rank); /* one bit for each side of each rank */
    if (call == 11 && kind == 0) {
      continue;
    }
    set_type(kind, count * size);
    numbers(out, 100000 * rank);
    numbers(before, -most * (rank + 1));
    memcpy(expected, before, sizeof expected);
    pack(out, out_packed);
    pack(before, before_packed);
    memcpy(expected_packed, before_packed, sizeof expected_packed);
    name = move(call, count, side_of(packs & 1, out, out_packed), side_of(packs & 2, in, in), &request);
    unpack(expected_packed, expected);
    if (packs & 2) {
      run(name, &request, in, before_packed, expected_packed);
    } else {
      run(name, &request, in, before, expected);
    }
    MPI_Type_free(&data.type);
  }
}

/* The numbers of bytes must match; without MPI_PACKED, the basic datatypes must also match. */
static void mismatches(void) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  if (size == 1) {
    return;
  }
  FAILS(ADCL_ERR_MISMATCH, "MPI_PACKED",
        ADCL_Bcast_init(in, rank == 0 ? 12 : 4, rank == 0 ? MPI_PACKED : MPI_INT, 0, comm, &request));
  FAILS(ADCL_ERR_MISMATCH, "basic datatypes",
        ADCL_Bcast_init(in, 4, rank == 0 ? MPI_INT : MPI_FLOAT, 0, comm, &request));
  FAILS(ADCL_ERR_MISMATCH, "do not match",
        ADCL_Gatherv_init(out, 4, rank == 0 ? MPI_INT : MPI_PACKED, in, (const int[]){4, 4, 4, 4},
                          (const int[]){0, 4, 8, 12}, MPI_INT, 0, comm, &request));
}

int main(int argc, char **argv) {
  every_codelet_begin(&argc, &argv);
  for (int kind = 0; kind < 3; ++kind) {
    random_moves(kind, harness_between(1, 7));
    random_moves(kind, harness_between(longest / 2, longest));
  }
  mismatches();
  OK(ADCL_Finalize());
  return harness_verdict();
}
