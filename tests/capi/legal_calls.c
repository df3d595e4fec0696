/* ranks: 1 2 3 4
 * timeout: 120
 * not smpi: datatypes with holes are refused there
 * Legal but rare calls: empty blocks at any displacement, and arrays and displacements that MPI does not read. */
#include "every_codelet.h"

/* Blocks without entries have displacements past the end of the array. */
static void empty_blocks_past_end(void) {
  const int root = harness_between(0, size - 1);
  const int empty = harness_between(0, size - 1);
  int out[most], in[most], before[most], expected[most], counts[most_ranks], places[most_ranks];
  ADCL_Request request = ADCL_REQUEST_NULL;
  numbers(out, 100 * rank);
  numbers(before, -most);
  for (int i = 0; i < size; ++i) {
    counts[i] = i == empty ? 0 : harness_between(0, 4);
    places[i] = counts[i] == 0 ? 1000000 : 5 * (size - 1 - i);
  }
  memcpy(expected, before, sizeof expected);
  MPI_Gatherv(out, counts[rank], MPI_INT, expected, counts, places, MPI_INT, root, comm);
  OK(ADCL_Gatherv_init(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, comm, &request));
  run("gatherv", &request, in, before, expected);
  memcpy(expected, before, sizeof expected);
  MPI_Scatterv(out, counts, places, MPI_INT, expected, counts[rank], MPI_INT, root, comm);
  OK(ADCL_Scatterv_init(out, counts, places, MPI_INT, in, counts[rank], MPI_INT, root, comm, &request));
  run("scatterv", &request, in, before, expected);
  memcpy(expected, before, sizeof expected);
  MPI_Allgatherv(out, counts[rank], MPI_INT, expected, counts, places, MPI_INT, comm);
  OK(ADCL_Allgatherv_init(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, comm, &request));
  run("allgatherv", &request, in, before, expected);
  for (int i = 0; i < size; ++i) {
    counts[i] = (i + rank) % 2 == empty % 2 ? 2 : 0;
    places[i] = counts[i] > 0 ? 2 * i : 1000000 + i;
  }
  memcpy(expected, before, sizeof expected);
  MPI_Alltoallv(out, counts, places, MPI_INT, expected, counts, places, MPI_INT, comm);
  OK(ADCL_Alltoallv_init(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm, &request));
  run("alltoallv", &request, in, before, expected);
}

/* Rank 0 of an exclusive scan receives no data: MPI ignores its receive array. */
static void exscan_without_array(void) {
  int out[most], in[most], before[most], expected[most];
  ADCL_Request request = ADCL_REQUEST_NULL;
  numbers(out, 100 * rank);
  numbers(before, -most);
  memcpy(expected, before, sizeof expected);
  MPI_Exscan(out, expected, 5, MPI_INT, MPI_SUM, comm);
  for (int given = 0; given < 2; ++given) {
    OK(ADCL_Exscan_init(out, rank == 0 && !given ? NULL : in, 5, MPI_INT, MPI_SUM, comm, &request));
    for (int i = 0; i < 40; ++i) {
      memcpy(in, before, sizeof in);
      OK(ADCL_Request_start_with(request, out, rank == 0 && i % 2 == 0 ? NULL : in));
      CHECK(memcmp(in, expected, sizeof in) == 0);
    }
    run("exscan", &request, in, before, expected);
  }
  if (size > 1) {
    const int wrong = ADCL_Exscan_init(out, rank == size - 1 ? NULL : in, 5, MPI_INT, MPI_SUM, comm, &request);
    CHECK(wrong == ADCL_ERR_ARGUMENT);
  }
}

/* A datatype without data needs no array, and counts of 0 need no displacements. */
static void null_without_data(void) {
  static const int none[most_ranks], three[most_ranks] = {3, 3, 3, 3}, places[most_ranks];
  const int root = harness_between(0, size - 1);
  int in[most], before[most];
  MPI_Datatype empty, all_empty[most_ranks];
  ADCL_Request request = ADCL_REQUEST_NULL;
  numbers(before, -most);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  for (int i = 0; i < most_ranks; ++i) {
    all_empty[i] = empty;
  }
  OK(ADCL_Bcast_init(NULL, 3, empty, root, comm, &request));
  OK(ADCL_Request_start_with(request, NULL, NULL));
  run("bcast", &request, in, before, before);
  OK(ADCL_Gather_init(NULL, 3, empty, NULL, 3, empty, root, comm, &request));
  OK(ADCL_Request_start_with(request, NULL, NULL));
  run("gather", &request, in, before, before);
  OK(ADCL_Alltoall_init(NULL, 3, empty, NULL, 3, empty, comm, &request));
  run("alltoall", &request, in, before, before);
  OK(ADCL_Alltoallv_init(NULL, three, places, empty, NULL, three, places, empty, comm, &request));
  run("alltoallv", &request, in, before, before);
  OK(ADCL_Alltoallv_init(NULL, none, NULL, MPI_INT, NULL, none, NULL, MPI_INT, comm, &request));
  run("alltoallv", &request, in, before, before);
  OK(ADCL_Alltoallw_init(NULL, three, places, all_empty, NULL, three, places, all_empty, comm, &request));
  run("alltoallw", &request, in, before, before);
  OK(ADCL_Allgatherv_init(NULL, 0, MPI_INT, NULL, none, NULL, MPI_INT, comm, &request));
  run("allgatherv", &request, in, before, before);
  OK(ADCL_Gatherv_init(NULL, 0, MPI_INT, NULL, none, NULL, MPI_INT, root, comm, &request));
  run("gatherv", &request, in, before, before);
  OK(ADCL_Scatterv_init(NULL, none, NULL, MPI_INT, NULL, 0, MPI_INT, root, comm, &request));
  run("scatterv", &request, in, before, before);
  FAILS(ADCL_ERR_ARGUMENT, "the array of displacements is a null pointer",
        ADCL_Alltoallv_init(in, three, NULL, MPI_INT, before, three, NULL, MPI_INT, comm, &request));
  FAILS(ADCL_ERR_ARGUMENT, "buf is a null pointer; pass the address of the data",
        ADCL_Bcast_init(NULL, 3, MPI_INT, root, comm, &request));
  MPI_Type_free(&empty);
}

int main(int argc, char **argv) {
  every_codelet_begin(&argc, &argv);
  empty_blocks_past_end();
  exscan_without_array();
  null_without_data();
  OK(ADCL_Finalize());
  return harness_verdict();
}
