/* ranks: 1 2 3 4
 * Collectives in the style of programs for ADCL 1.x: counts come from the vectors, every call passes both vectors,
 * and roots vary. Results are checked after every start, with each codelet that the search tries. */
#include "harness.h"

#include <ADCL_v1.h>

enum { starts = 80, most_ranks = 8, entries = 3 };

static int rank, size;

/* Functions of a test: set the data before each start, and check them afterwards. */
typedef void prepare_fn(int start, double *send, double *receive);
typedef int wrong_fn(int start, const double *send, const double *receive);

/* Runs a request in one call, in two parts, or in two parts with progress until it is complete. */
static void run_once(ADCL_Request request, int start) {
  if (start % 3 == 0) {
    OK(ADCL_Request_start(request));
    return;
  }
  OK(ADCL_Request_init(request));
  if (start % 3 == 2) {
    int code = ADCL_CONTINUE;
    while (code == ADCL_CONTINUE) {
      code = ADCL_Request_progress(request);
    }
    OK(code);
    OK(ADCL_Request_progress(request));
  }
  OK(ADCL_Request_wait(request));
}

static void run(ADCL_Request request, double *send, double *receive, prepare_fn *prepare, wrong_fn *wrong) {
  int failures = 0;
  for (int start = 0; start < starts; ++start) {
    prepare(start, send, receive);
    run_once(request, start);
    failures += wrong(start, send, receive);
  }
  CHECK(failures == 0);
  OK(ADCL_Request_free(&request));
}

/* Entry i that process `from` has for process `to`. */
static double item(int start, int from, int to, int i) { return start * 1000.0 + from * 100 + to * 10 + i; }

static void nothing_received(double *receive) {
  for (int i = 0; receive != NULL && i < most_ranks * most_ranks * entries; ++i) {
    receive[i] = -1.0;
  }
}

/* ---- Each rank contributes its whole vector ---------------------------------------------------------------------- */

static void own_entries(int start, double *send, double *receive) {
  nothing_received(receive);
  for (int i = 0; i < entries; ++i) {
    send[i] = item(start, rank, 0, i);
  }
}

static double sum_of_all(int start, int i) {
  double sum = 0;
  for (int r = 0; r < size; ++r) {
    sum += item(start, r, 0, i);
  }
  return sum;
}

static int wrong_sum(int start, const double *send, const double *receive) {
  (void)send;
  int wrong = 0;
  for (int i = 0; i < entries; ++i) {
    wrong += receive[i] != sum_of_all(start, i);
  }
  return wrong;
}

static int root_of_test = 0;

static int wrong_sum_at_root(int start, const double *send, const double *receive) {
  return rank == root_of_test ? wrong_sum(start, send, receive) : 0;
}

/* In place: each rank's contribution is at its position in the receive buffer. */
static void own_entries_in_place(int start, double *send, double *receive) {
  (void)send;
  own_entries(start, receive, NULL);
}

static int wrong_blocks(int start, const double *send, const double *receive) {
  (void)send;
  int wrong = 0;
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < entries; ++i) {
      wrong += receive[r * entries + i] != item(start, r, 0, i);
    }
  }
  return wrong;
}

static int wrong_blocks_at_root(int start, const double *send, const double *receive) {
  return rank == root_of_test ? wrong_blocks(start, send, receive) : 0;
}

static ADCL_Vector vector_of(int n, ADCL_Vmap vmap, double **data) {
  ADCL_Vector vec;
  OK(ADCL_Vector_allocate_generic(1, &n, 0, vmap, MPI_DOUBLE, data, &vec));
  return vec;
}

static ADCL_Vector in_place_vector(void) {
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  OK(ADCL_Vmap_inplace_allocate(&vmap));
  OK(ADCL_Vector_allocate_generic(0, NULL, 0, vmap, MPI_DATATYPE_NULL, NULL, &vec));
  OK(ADCL_Vmap_free(&vmap));
  return vec;
}

static void reductions(ADCL_Topology topo) {
  static double room[most_ranks * most_ranks * entries];
  double *send;
  int n = entries;
  ADCL_Vmap all, one;
  ADCL_Request request;
  OK(ADCL_Vmap_allreduce_allocate(MPI_SUM, &all));
  OK(ADCL_Vmap_reduce_allocate(MPI_SUM, &one));
  ADCL_Vector svec = vector_of(n, all, &send);
  ADCL_Vector rvec, ivec = in_place_vector();
  OK(ADCL_Vector_register_generic(1, &n, 0, all, MPI_DOUBLE, room, &rvec));
  OK(ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_ALLREDUCE, &request));
  run(request, send, room, own_entries, wrong_sum);
  OK(ADCL_Request_create_generic(ivec, rvec, topo, ADCL_FNCTSET_ALLREDUCE, &request));
  run(request, NULL, room, own_entries_in_place, wrong_sum);
  OK(ADCL_Vector_free(&svec));
  OK(ADCL_Vector_deregister(&rvec));

  svec = vector_of(n, one, &send);
  OK(ADCL_Vector_register_generic(1, &n, 0, one, MPI_DOUBLE, room, &rvec));
  for (root_of_test = 0; root_of_test<size; root_of_test += size> 1 ? size - 1 : 1) {
    OK(ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_REDUCE, root_of_test, &request));
    run(request, send, room, own_entries, wrong_sum_at_root);
    OK(ADCL_Request_create_generic_rooted(ivec, rvec, topo, ADCL_FNCTSET_IREDUCE, root_of_test, &request));
    run(request, NULL, room, own_entries_in_place, wrong_sum_at_root);
  }
  root_of_test = 0;
  OK(ADCL_Vector_free(&svec));
  OK(ADCL_Vector_deregister(&rvec));
  OK(ADCL_Vector_free(&ivec));
  OK(ADCL_Vmap_free(&all));
  OK(ADCL_Vmap_free(&one));
}

static void gathers(ADCL_Topology topo) {
  static double room[most_ranks * most_ranks * entries];
  double *send;
  int n = entries * size, counts[most_ranks], displs[most_ranks];
  ADCL_Vmap all, list;
  ADCL_Vector rvec, lvec;
  ADCL_Request request;
  for (int r = 0; r < size; ++r) {
    counts[r] = entries;
    displs[r] = r * entries;
  }
  OK(ADCL_Vmap_all_allocate(&all));
  OK(ADCL_Vmap_list_allocate(size, counts, displs, &list));
  ADCL_Vector svec = vector_of(entries, all, &send);
  OK(ADCL_Vector_register_generic(1, &n, 0, all, MPI_DOUBLE, room, &rvec));
  OK(ADCL_Vector_register_generic(1, &n, 0, list, MPI_DOUBLE, room, &lvec));
  OK(ADCL_Request_create_generic(svec, lvec, topo, ADCL_FNCTSET_ALLGATHERV, &request));
  run(request, send, room, own_entries, wrong_blocks);
  OK(ADCL_Request_create_generic(svec, rvec, topo, ADCL_FNCTSET_IALLGATHER, &request));
  run(request, send, room, own_entries, wrong_blocks);
  root_of_test = size - 1;
  OK(ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_GATHER, root_of_test, &request));
  run(request, send, room, own_entries, wrong_blocks_at_root);
  OK(ADCL_Request_create_generic_rooted(svec, lvec, topo, ADCL_FNCTSET_GATHERV, root_of_test, &request));
  run(request, send, room, own_entries, wrong_blocks_at_root);
  root_of_test = 0;
  OK(ADCL_Vector_free(&svec));
  OK(ADCL_Vector_deregister(&rvec));
  OK(ADCL_Vector_deregister(&lvec));
  OK(ADCL_Vmap_free(&all));
  OK(ADCL_Vmap_free(&list));
}

/* ---- Each rank sends a block to each rank ------------------------------------------------------------------------ */

static void blocks_for_each_rank(int start, double *send, double *receive) {
  nothing_received(receive);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < entries; ++i) {
      send[r * entries + i] = item(start, rank, r, i);
    }
  }
}

static int wrong_received_blocks(int start, const double *send, const double *receive) {
  (void)send;
  int wrong = 0;
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < entries; ++i) {
      wrong += receive[r * entries + i] != item(start, r, rank, i);
    }
  }
  return wrong;
}

static int wrong_part(int start, const double *send, const double *receive) {
  (void)send;
  int wrong = 0;
  for (int i = 0; i < entries; ++i) {
    wrong += receive[i] != item(start, root_of_test, rank, i);
  }
  return wrong;
}

static void exchanges(ADCL_Topology topo) {
  static double room[most_ranks * most_ranks * entries];
  double *send;
  int n = entries * size, part = entries, counts[most_ranks], displs[most_ranks];
  ADCL_Vmap each, list, all;
  ADCL_Vector rvec;
  ADCL_Request request;
  for (int r = 0; r < size; ++r) {
    counts[r] = entries;
    displs[r] = r * entries;
  }
  OK(ADCL_Vmap_alltoall_allocate(entries, entries, &each));
  OK(ADCL_Vmap_list_allocate(size, counts, displs, &list));
  OK(ADCL_Vmap_all_allocate(&all));
  ADCL_Vmap vmaps[3];
  vmaps[0] = each;
  vmaps[1] = list;
  vmaps[2] = all;
  ADCL_Fnctset sets[3];
  sets[0] = ADCL_FNCTSET_ALLTOALL;
  sets[1] = ADCL_FNCTSET_ALLTOALLV;
  sets[2] = ADCL_FNCTSET_IALLTOALL;
  for (int kind = 0; kind < 3; ++kind) {
    ADCL_Vector svec = vector_of(n, vmaps[kind], &send);
    OK(ADCL_Vector_register_generic(1, &n, 0, vmaps[kind], MPI_DOUBLE, room, &rvec));
    OK(ADCL_Request_create_generic(svec, rvec, topo, sets[kind], &request));
    run(request, send, room, blocks_for_each_rank, wrong_received_blocks);
    OK(ADCL_Vector_free(&svec));
    OK(ADCL_Vector_deregister(&rvec));
  }
  root_of_test = size - 1;
  ADCL_Vector svec = vector_of(n, all, &send);
  OK(ADCL_Vector_register_generic(1, &part, 0, all, MPI_DOUBLE, room, &rvec));
  OK(ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_SCATTER, root_of_test, &request));
  run(request, send, room, blocks_for_each_rank, wrong_part);
  root_of_test = 0;
  OK(ADCL_Vector_free(&svec));
  OK(ADCL_Vector_deregister(&rvec));
  OK(ADCL_Vmap_free(&each));
  OK(ADCL_Vmap_free(&list));
  OK(ADCL_Vmap_free(&all));
}

/* ---- Broadcasts of the send vector ------------------------------------------------------------------------------- */

static void data_at_root(int start, double *send, double *receive) {
  (void)receive;
  for (int i = 0; i < entries; ++i) {
    send[i] = rank == root_of_test ? item(start, rank, 0, i) : -1.0;
  }
}

static int wrong_copy(int start, const double *send, const double *receive) {
  (void)receive;
  int wrong = 0;
  for (int i = 0; i < entries; ++i) {
    wrong += send[i] != item(start, root_of_test, 0, i);
  }
  return wrong;
}

static void broadcasts(ADCL_Topology topo) {
  double *send, *unused;
  ADCL_Vmap all;
  ADCL_Request request;
  OK(ADCL_Vmap_all_allocate(&all));
  ADCL_Vector svec = vector_of(entries, all, &send);
  ADCL_Vector rvec = vector_of(entries, all, &unused);
  for (root_of_test = 0; root_of_test < size; ++root_of_test) {
    OK(ADCL_Request_create_generic_rooted(svec, rvec, topo, ADCL_FNCTSET_IBCAST, root_of_test, &request));
    run(request, send, NULL, data_at_root, wrong_copy);
  }
  root_of_test = 0;
  OK(ADCL_Request_create_generic(svec, ADCL_VECTOR_NULL, topo, ADCL_FNCTSET_BCAST, &request));
  run(request, send, NULL, data_at_root, wrong_copy);
  OK(ADCL_Ibcast_init(send, entries, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request));
  run(request, send, NULL, data_at_root, wrong_copy);
  OK(ADCL_Vector_free(&svec));
  OK(ADCL_Vector_free(&rvec));
  OK(ADCL_Vmap_free(&all));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  OK(ADCL_Init());
  ADCL_Topology topo;
  OK(ADCL_Topology_create(MPI_COMM_WORLD, &topo));
  reductions(topo);
  gathers(topo);
  exchanges(topo);
  broadcasts(topo);
  OK(ADCL_Topology_free(&topo));
  OK(ADCL_Finalize());
  return harness_verdict();
}
