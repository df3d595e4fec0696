/* ranks: 1 2 3 4
 * timeout: 240
 * valgrind: 2
 * Every blocking collective, as an application uses it: through its search, in each mode, with other arrays, in
 * place, and from vectors and vmaps. A wrong argument gives the same error on all ranks. */
#include "harness.h"

enum { most_ranks = 16, block = 5, starts = 60, most = most_ranks * block };

static int send_buffer[most], receive_buffer[most], expected[most];
static int counts[most_ranks], displs[most_ranks], byte_displs[most_ranks];
static MPI_Datatype types[most_ranks];
static int rank, size, round_number;

/* Element i that rank `from` sends to rank `to`. */
static int value(int from, int to, int i) { return 10007 * round_number + 1000 * from + 50 * to + i; }

/* The collectives, in the order of their tests. */
enum operation {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  operations
};

static int root_of(enum operation operation) {
  return operation == bcast || operation == gather || operation == gatherv || operation == scatter ||
                 operation == scatterv || operation == reduce
             ? size - 1
             : 0;
}

/* Sum of element i that the first `ranks` ranks contribute for rank `to`. */
static int sum(int ranks, int to, int i) {
  int total = 0;
  for (int from = 0; from < ranks; ++from) {
    total += value(from, to, i);
  }
  return total;
}

/* Fills the send array with contributions, the receive array with blanks, and `expected` with the result. */
static void fill(enum operation operation, int in_place) {
  const int root = root_of(operation);
  ++round_number;
  for (int i = 0; i < most; ++i) {
    send_buffer[i] = value(rank, i / block, i % block);
    receive_buffer[i] = -1;
    expected[i] = -1;
  }
  for (int i = 0; i < size * block; ++i) {
    const int other = i / block;
    const int first = i < block;
    switch (operation) {
      case bcast:
        if (first) {
          expected[i] = value(root, 0, i);
          receive_buffer[i] = rank == root ? expected[i] : -1;
        }
        break;
      case gather:
      case gatherv:
        expected[i] = rank == root ? value(other, 0, i % block) : -1;
        break;
      case allgather:
      case allgatherv:
        expected[i] = value(other, 0, i % block);
        break;
      case scatter:
      case scatterv:
        expected[i] = first ? value(root, rank, i) : -1;
        break;
      case alltoall:
      case alltoallv:
      case alltoallw:
        expected[i] = value(other, rank, i % block);
        break;
      case reduce:
        expected[i] = first && rank == root ? sum(size, 0, i) : -1;
        break;
      case allreduce:
        expected[i] = first ? sum(size, 0, i) : -1;
        break;
      case reduce_scatter:
      case reduce_scatter_block:
        expected[i] = first ? sum(size, rank, i) : -1;
        break;
      case scan:
        expected[i] = first ? sum(rank + 1, 0, i) : -1;
        break;
      case exscan:
        expected[i] = first && rank > 0 ? sum(rank, 0, i) : -1;
        break;
      default:
        break;
    }
  }
  if (in_place) {
    memcpy(receive_buffer, send_buffer, sizeof receive_buffer);
  }
}

/* True if the defined part of the receive array is as expected. */
static int is_right(enum operation operation, int in_place) {
  int defined = most;
  if (in_place && (operation == alltoall || operation == alltoallv || operation == alltoallw)) {
    defined = size * block;
  } else if (in_place) {
    const int without = (operation == exscan && rank == 0) || (operation == reduce && rank != root_of(operation));
    defined = without ? 0 : block;
  }
  return memcmp(receive_buffer, expected, (size_t)defined * sizeof(int)) == 0;
}

static int make(enum operation operation, int in_place, MPI_Comm comm, ADCL_Request *req) {
  const int root = root_of(operation);
  const void *out = in_place ? MPI_IN_PLACE : send_buffer;
  switch (operation) {
    case barrier:
      return ADCL_Barrier_init(comm, req);
    case bcast:
      return ADCL_Bcast_init(receive_buffer, block, MPI_INT, root, comm, req);
    case gather:
      return ADCL_Gather_init(send_buffer, block, MPI_INT, receive_buffer, block, MPI_INT, root, comm, req);
    case gatherv:
      return ADCL_Gatherv_init(send_buffer, block, MPI_INT, receive_buffer, counts, displs, MPI_INT, root, comm, req);
    case scatter:
      return ADCL_Scatter_init(send_buffer, block, MPI_INT, receive_buffer, block, MPI_INT, root, comm, req);
    case scatterv:
      return ADCL_Scatterv_init(send_buffer, counts, displs, MPI_INT, receive_buffer, block, MPI_INT, root, comm, req);
    case allgather:
      return ADCL_Allgather_init(send_buffer, block, MPI_INT, receive_buffer, block, MPI_INT, comm, req);
    case allgatherv:
      return ADCL_Allgatherv_init(send_buffer, block, MPI_INT, receive_buffer, counts, displs, MPI_INT, comm, req);
    case alltoall:
      return ADCL_Alltoall_init(out, block, MPI_INT, receive_buffer, block, MPI_INT, comm, req);
    case alltoallv:
      return ADCL_Alltoallv_init(out, counts, displs, MPI_INT, receive_buffer, counts, displs, MPI_INT, comm, req);
    case alltoallw:
      return ADCL_Alltoallw_init(out, counts, byte_displs, types, receive_buffer, counts, byte_displs, types, comm,
                                 req);
    case reduce:
      return ADCL_Reduce_init(in_place && rank == root ? MPI_IN_PLACE : send_buffer, receive_buffer, block, MPI_INT,
                              MPI_SUM, root, comm, req);
    case allreduce:
      return ADCL_Allreduce_init(out, receive_buffer, block, MPI_INT, MPI_SUM, comm, req);
    case reduce_scatter_block:
      return ADCL_Reduce_scatter_block_init(out, receive_buffer, block, MPI_INT, MPI_SUM, comm, req);
    case reduce_scatter:
      return ADCL_Reduce_scatter_init(out, receive_buffer, counts, MPI_INT, MPI_SUM, comm, req);
    case scan:
      return ADCL_Scan_init(out, receive_buffer, block, MPI_INT, MPI_SUM, comm, req);
    default:
      return ADCL_Exscan_init(out, receive_buffer, block, MPI_INT, MPI_SUM, comm, req);
  }
}

static void run_searches(enum operation operation, int in_place) {
  ADCL_Request req;
  OK(make(operation, in_place, MPI_COMM_WORLD, &req));
  for (int i = 0; i < starts; ++i) {
    fill(operation, in_place);
    OK(ADCL_Request_start(req));
    CHECK(is_right(operation, in_place));
  }
  for (int i = 0; i < starts; ++i) {
    int done = 0;
    fill(operation, in_place);
    OK(ADCL_Request_init(req));
    OK(ADCL_Request_progress(req, 0));
    if (i % 2 == 0) {
      OK(ADCL_Request_test(req, &done));
    }
    if (!done) {
      OK(ADCL_Request_wait(req));
    }
    CHECK(is_right(operation, in_place));
  }
  OK(ADCL_Request_free(&req));
}

/* Every operation with other arrays; the request's own arrays are neither read nor written. */
static void other_arrays(void) {
  static int out[most], in[most], untouched[most];
  ADCL_Request req;
  memset(untouched, 0x5a, sizeof untouched);
  for (int operation = bcast; operation < operations; ++operation) {
    OK(make((enum operation)operation, 0, MPI_COMM_WORLD, &req));
    for (int i = 0; i < starts; ++i) {
      fill((enum operation)operation, 0);
      memcpy(out, send_buffer, sizeof out);
      memcpy(in, receive_buffer, sizeof in);
      memcpy(send_buffer, untouched, sizeof send_buffer);
      memcpy(receive_buffer, untouched, sizeof receive_buffer);
      if (i % 2 == 0) {
        OK(ADCL_Request_start_with(req, out, in));
      } else {
        OK(ADCL_Request_init_with(req, out, in));
        OK(ADCL_Request_wait(req));
      }
      CHECK(memcmp(in, expected, sizeof in) == 0);
      CHECK(memcmp(send_buffer, untouched, sizeof untouched) == 0);
      CHECK(memcmp(receive_buffer, untouched, sizeof untouched) == 0);
    }
    OK(ADCL_Request_free(&req));
  }
  OK(make(allreduce, 1, MPI_COMM_WORLD, &req));
  for (int i = 0; i < starts; ++i) {
    fill(allreduce, 1);
    memcpy(in, send_buffer, sizeof in);
    OK(ADCL_Request_start_with(req, NULL, in));
    CHECK(memcmp(in, expected, block * sizeof(int)) == 0);
  }
  OK(ADCL_Request_free(&req));
}

/* Requests from vectors, vmaps and a topology, as in thesis Fig. 4.1. */
static void requests_from_vectors(void) {
  const int points = size * block;
  ADCL_Vector svec, rvec;
  ADCL_Vmap all, in_place, sums;
  ADCL_Topology topo;
  ADCL_Request req;
  OK(ADCL_Vector_register(1, &points, 0, MPI_INT, send_buffer, &svec));
  OK(ADCL_Vector_register(1, &points, 0, MPI_INT, receive_buffer, &rvec));
  OK(ADCL_Vmap_alltoall_allocate(block, block, &all));
  OK(ADCL_Vmap_inplace_allocate(&in_place));
  OK(ADCL_Vmap_reduce_allocate(block, MPI_SUM, &sums));
  OK(ADCL_Topology_create(MPI_COMM_WORLD, 0, &topo));
  OK(ADCL_Request_create_generic(svec, all, rvec, all, topo, ADCL_FNCTSET_ALLTOALL, &req));
  fill(alltoall, 0);
  OK(ADCL_Request_start(req));
  CHECK(is_right(alltoall, 0));
  OK(ADCL_Request_free(&req));
  OK(ADCL_Request_create_generic(ADCL_VECTOR_NULL, in_place, rvec, sums, topo, ADCL_FNCTSET_ALLREDUCE, &req));
  fill(allreduce, 1);
  OK(ADCL_Request_start(req));
  CHECK(is_right(allreduce, 1));
  OK(ADCL_Request_free(&req));
  CHECK(ADCL_Request_create_generic(svec, sums, rvec, all, topo, ADCL_FNCTSET_ALLTOALL, &req) == ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Request_create_generic(svec, all, ADCL_VECTOR_NULL, all, topo, ADCL_FNCTSET_ALLTOALL, &req) ==
        ADCL_ERR_HANDLE);
  ADCL_Vmap large;
  OK(ADCL_Vmap_reduce_allocate(points + 1, MPI_SUM, &large));
  CHECK(ADCL_Request_create_generic(svec, large, rvec, large, topo, ADCL_FNCTSET_ALLREDUCE, &req) == ADCL_ERR_ARGUMENT);
  OK(ADCL_Vmap_free(&large));
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Vmap_free(&sums));
  OK(ADCL_Vmap_free(&in_place));
  OK(ADCL_Vmap_free(&all));
  OK(ADCL_Vector_deregister(&rvec));
  OK(ADCL_Vector_deregister(&svec));
}

/* A wrong argument on the last rank is an error on all ranks. */
static void wrong_arguments(void) {
  const int last = rank == size - 1;
  ADCL_Request req = ADCL_REQUEST_NULL;
  CHECK(ADCL_Allreduce_init(last ? NULL : send_buffer, receive_buffer, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Allreduce_init(send_buffer, receive_buffer, last ? -1 : block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Allreduce_init(send_buffer, receive_buffer, block, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Allreduce_init(last ? receive_buffer : send_buffer, receive_buffer, block, MPI_INT, MPI_SUM,
                            MPI_COMM_WORLD, &req) == ADCL_ERR_ARGUMENT);
  CHECK(strstr(ADCL_Last_error(), "sbuf and rbuf are the same array; pass MPI_IN_PLACE") != NULL);
  CHECK(ADCL_Reduce_scatter_block_init(receive_buffer, receive_buffer, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_ARGUMENT);
  OK(ADCL_Allreduce_init(send_buffer, send_buffer, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req)); /* no overlap */
  OK(ADCL_Request_free(&req));
  OK(ADCL_Option_set("ADCL_CODELETS", "allreduce:Foo"));
  CHECK(ADCL_Allreduce_init(send_buffer, receive_buffer, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_OPTION);
  CHECK(strstr(ADCL_Last_error(), "`adcl info allreduce` lists") != NULL);
  OK(ADCL_Option_set("ADCL_CODELETS", "allreduce:rng"));
  CHECK(ADCL_Allreduce_init(send_buffer, receive_buffer, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_OPTION);
  CHECK(strstr(ADCL_Last_error(), "did you mean Ring?") != NULL);
  OK(ADCL_Option_set("ADCL_CODELETS", ""));
  CHECK(ADCL_Bcast_init(send_buffer, block, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, &req) == ADCL_ERR_TYPE);
  CHECK(ADCL_Bcast_init(send_buffer, block, MPI_INT, size, MPI_COMM_WORLD, &req) == ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Bcast_init(send_buffer, block, MPI_INT, 0, MPI_COMM_NULL, &req) == ADCL_ERR_ARGUMENT);
  CHECK(ADCL_Alltoall_init(send_buffer, block, MPI_INT, receive_buffer, block + 1, MPI_INT, MPI_COMM_WORLD, &req) ==
        ADCL_ERR_ARGUMENT);
  if (size > 1) {
    CHECK(ADCL_Bcast_init(send_buffer, last ? block : 1, MPI_INT, 0, MPI_COMM_WORLD, &req) == ADCL_ERR_MISMATCH);
    CHECK(ADCL_Bcast_init(send_buffer, block, MPI_INT, last, MPI_COMM_WORLD, &req) == ADCL_ERR_MISMATCH);
    CHECK(ADCL_Allreduce_init(send_buffer, receive_buffer, block, MPI_INT, last ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD,
                              &req) == ADCL_ERR_MISMATCH);
    CHECK(ADCL_Gatherv_init(send_buffer, last ? 1 : block, MPI_INT, receive_buffer, counts, displs, MPI_INT, 0,
                            MPI_COMM_WORLD, &req) == ADCL_ERR_MISMATCH);
    CHECK((last ? ADCL_Scan_init(send_buffer, receive_buffer, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req)
                : ADCL_Exscan_init(send_buffer, receive_buffer, block, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &req)) ==
          ADCL_ERR_MISMATCH);
#ifndef SMPI_H /* SMPI has no intercommunicators */
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
    CHECK(ADCL_Barrier_init(inter, &req) == ADCL_ERR_ARGUMENT);
    CHECK(strstr(ADCL_Last_error(), "MPI_Intercomm_merge") != NULL);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
#endif
  }
  CHECK(req == ADCL_REQUEST_NULL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  rank = harness_rank();
  size = harness_size();
  for (int i = 0; i < size; ++i) {
    counts[i] = block;
    displs[i] = i * block;
    byte_displs[i] = i * block * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  for (int operation = barrier; operation < operations; ++operation) {
    run_searches((enum operation)operation, 0);
    if (operation >= alltoall) {
      run_searches((enum operation)operation, 1);
    }
  }
  other_arrays();
  requests_from_vectors();
  wrong_arguments();
  OK(ADCL_Finalize());
  return harness_verdict();
}
