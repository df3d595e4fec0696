/* ranks: 1 2 3 4
 * timeout: 120
 * not smpi: datatypes with holes are refused there
 * Collectives on MPI_BOTTOM with datatypes whose displacements are addresses, on some ranks or on all. */
#include "every_codelet.h"

enum { entry = 4, entries = 2 }; /* integers of an entry, the first and the third are data; entries of a block */

static int out[most], in[most], before[most], expected[most];
static MPI_Datatype relative, sent_at_bottom, received_at_bottom;

/* Position of data: relative to the application's array, or absolute. */
struct place {
  void *address;
  MPI_Datatype type;
};

/* A datatype of the first and the third integer of an entry, with displacement `begin`. */
static MPI_Datatype type_from(MPI_Aint begin) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {begin, begin + 2 * (MPI_Aint)sizeof(int)};
  MPI_Datatype inner, type;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &inner);
  MPI_Type_create_resized(inner, begin, entry * (MPI_Aint)sizeof(int), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&inner);
  return type;
}

static MPI_Datatype absolute(const void *array) {
  MPI_Aint address;
  MPI_Get_address(array, &address);
  return type_from(address);
}

static struct place place_of(void *array, MPI_Datatype at_bottom) {
  struct place place = {array, relative};
  if (harness_between(0, 3) > 0 || size == 1) {
    place.address = MPI_BOTTOM;
    place.type = at_bottom;
  }
  return place;
}

/* For call 0 to 8, receives into `expected` with MPI and creates a request that receives into `in`. */
static const char *move(int call, struct place s, struct place r, ADCL_Request *request) {
  const int root = harness_between(0, size - 1);
  int counts[most_ranks], places[most_ranks], bytes[most_ranks];
  MPI_Datatype stypes[most_ranks], rtypes[most_ranks], all[most_ranks];
  for (int i = 0; i < size; ++i) {
    counts[i] = harness_between(0, entries);
    places[i] = entries * (size - 1 - i);
    bytes[i] = places[i] * entry * (int)sizeof(int);
    stypes[i] = s.type;
    rtypes[i] = r.type;
    all[i] = relative;
  }
  switch (call) {
    case 0:
      MPI_Bcast(expected, entries, relative, root, comm);
      OK(ADCL_Bcast_init(r.address, entries, r.type, root, comm, request));
      return "bcast";
    case 1:
      MPI_Gather(out, entries, relative, expected, entries, relative, root, comm);
      OK(ADCL_Gather_init(s.address, entries, s.type, r.address, entries, r.type, root, comm, request));
      return "gather";
    case 2:
      MPI_Gatherv(out, counts[rank], relative, expected, counts, places, relative, root, comm);
      OK(ADCL_Gatherv_init(s.address, counts[rank], s.type, r.address, counts, places, r.type, root, comm, request));
      return "gatherv";
    case 3:
      MPI_Scatter(out, entries, relative, expected, entries, relative, root, comm);
      OK(ADCL_Scatter_init(s.address, entries, s.type, r.address, entries, r.type, root, comm, request));
      return "scatter";
    case 4:
      MPI_Scatterv(out, counts, places, relative, expected, counts[rank], relative, root, comm);
      OK(ADCL_Scatterv_init(s.address, counts, places, s.type, r.address, counts[rank], r.type, root, comm, request));
      return "scatterv";
    case 5:
      MPI_Allgather(out, entries, relative, expected, entries, relative, comm);
      OK(ADCL_Allgather_init(s.address, entries, s.type, r.address, entries, r.type, comm, request));
      return "allgather";
    case 6:
      MPI_Allgatherv(out, counts[rank], relative, expected, counts, places, relative, comm);
      OK(ADCL_Allgatherv_init(s.address, counts[rank], s.type, r.address, counts, places, r.type, comm, request));
      return "allgatherv";
    case 7:
      MPI_Alltoall(out, entries, relative, expected, entries, relative, comm);
      OK(ADCL_Alltoall_init(s.address, entries, s.type, r.address, entries, r.type, comm, request));
      return "alltoall";
    default:
      for (int i = 0; i < size; ++i) {
        counts[i] = (i + rank) % entries;
      }
      if (call == 8) {
        MPI_Alltoallv(out, counts, places, relative, expected, counts, places, relative, comm);
        OK(ADCL_Alltoallv_init(s.address, counts, places, s.type, r.address, counts, places, r.type, comm, request));
        return "alltoallv";
      }
      if (size == 1) {
        bytes[0] = 0; /* Open MPI multiplies the displacement by the extent */
      }
      MPI_Alltoallw(out, counts, bytes, all, expected, counts, bytes, all, comm);
      OK(ADCL_Alltoallw_init(s.address, counts, bytes, stypes, r.address, counts, bytes, rtypes, comm, request));
      return "alltoallw";
  }
}

static void test_moves(void) {
  for (int call = 0; call < 10; ++call) {
    ADCL_Request request = ADCL_REQUEST_NULL;
    unsigned long long state;
    const char *name;
    struct place s, r;
    /* Ranks draw different positions, but the same roots and counts. */
    state = harness_state;
    harness_state += (unsigned long long)rank;
    s = place_of(out, sent_at_bottom);
    r = place_of(in, received_at_bottom);
    harness_state = state;
    harness_between(0, 1);
    numbers(before, -most - rank);
    memcpy(expected, before, sizeof expected);
    name = move(call, s, r, &request);
    memcpy(in, before, sizeof in);
    OK(ADCL_Request_start_with(request, s.address, r.address));
    CHECK(memcmp(in, expected, sizeof in) == 0);
    run(name, &request, in, before, expected);
  }
}

/* Adds the data of entries at the displacements of the datatype. */
static void add_entries(void *left, void *right, int *number, MPI_Datatype *type) {
  MPI_Aint begin, extent;
  MPI_Type_get_extent(*type, &begin, &extent);
  for (int i = 0; i < *number; ++i) {
    const int *from = (const int *)((size_t)left + (size_t)begin + (size_t)(i * extent));
    int *to = (int *)((size_t)right + (size_t)begin + (size_t)(i * extent));
    to[0] += from[0];
    to[2] += from[2];
  }
}

/* Reductions in place. The reference call of MPI gets the array itself: with MPI_BOTTOM, Open MPI overwrites its
 * heap. */
static void reductions_in_place(int commutes) {
  ADCL_Request request = ADCL_REQUEST_NULL;
  MPI_Op op;
  MPI_Op_create(add_entries, commutes, &op);
  numbers(before, 1000 * rank);
  memcpy(expected, before, sizeof expected);
  MPI_Allreduce(MPI_IN_PLACE, expected, 5, relative, op, comm);
  OK(ADCL_Allreduce_init(MPI_IN_PLACE, MPI_BOTTOM, 5, received_at_bottom, op, comm, &request));
  run("allreduce", &request, in, before, expected);
  memcpy(expected, before, sizeof expected);
  MPI_Scan(MPI_IN_PLACE, expected, 5, relative, op, comm);
  OK(ADCL_Scan_init(MPI_IN_PLACE, MPI_BOTTOM, 5, received_at_bottom, op, comm, &request));
  run("scan", &request, in, before, expected);
  memcpy(expected, before, sizeof expected);
  MPI_Exscan(MPI_IN_PLACE, expected, 5, relative, op, comm);
  OK(ADCL_Exscan_init(MPI_IN_PLACE, MPI_BOTTOM, 5, received_at_bottom, op, comm, &request));
  run("exscan", &request, in, before, expected);
  MPI_Op_free(&op);
}

int main(int argc, char **argv) {
  every_codelet_begin(&argc, &argv);
  relative = type_from(0);
  sent_at_bottom = absolute(out);
  received_at_bottom = absolute(in);
  numbers(out, 100 * rank);
  for (int i = 0; i < 3; ++i) {
    test_moves();
  }
  reductions_in_place(0);
  reductions_in_place(1);
  MPI_Type_free(&relative);
  MPI_Type_free(&sent_at_bottom);
  MPI_Type_free(&received_at_bottom);
  OK(ADCL_Finalize());
  return harness_verdict();
}
