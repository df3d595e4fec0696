/* ranks: 3 4
 * timeout: 120
 * Each process has one request with its left neighbor and one with its right neighbor in a cycle of processes:
 * several communicators, none of which has all processes. During the search, all processes start requests in one
 * global order, and complete them in any order. After all requests have decided and started once more, starts no
 * longer wait for other processes. Then any order works, even a circular order that would deadlock in the search. */
#include "harness.h"

enum { points = 16, searching_rounds = 2000, production_rounds = 50 };

/* A pair of this process and its next or previous process. */
struct pair {
  MPI_Comm comm;
  int number; /* position of the pair's first process in the cycle */
  int rank;
  double line[points];
  ADCL_Request request;
};

static void open_pair(struct pair *pair, MPI_Comm members, int number) {
  const int dims[1] = {points};
  const int size[1] = {2};
  const int periods[1] = {0};
  pair->number = number;
  MPI_Cart_create(members, 1, size, periods, 0, &pair->comm);
  MPI_Comm_rank(pair->comm, &pair->rank);
  OK(ADCL_Halo_init(ADCL_HALO(pair->line, 1, dims, 0, 1, MPI_DOUBLE), pair->comm, &pair->request));
}

static void fill(struct pair *pair, int round) {
  for (int i = 0; i < points; ++i) {
    pair->line[i] = 1000.0 * pair->rank + i + 0.001 * round;
  }
}

static void verify(const struct pair *pair, int round) {
  const int halo = pair->rank == 0 ? points - 1 : 0;
  const int theirs = pair->rank == 0 ? 1 : points - 2;
  CHECK(pair->line[halo] == 1000.0 * (1 - pair->rank) + theirs + 0.001 * round);
}

static void exchange(struct pair *first, struct pair *second, int round) {
  fill(first, round);
  fill(second, round);
  OK(ADCL_Request_init(first->request));
  OK(ADCL_Request_init(second->request));
  if (harness_rank() % 2 == 0) { /* the order of completion is free */
    OK(ADCL_Request_wait(second->request));
    OK(ADCL_Request_wait(first->request));
  } else {
    OK(ADCL_Request_wait(first->request));
    OK(ADCL_Request_wait(second->request));
  }
  verify(first, round);
  verify(second, round);
}

int main(int argc, char **argv) {
  static struct pair next, before;
  struct pair *in_order[2];
  int rank, size, round = 0, left = 1;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  OK(ADCL_Option_set("ADCL_SEARCH", "brute_force")); /* a search whose decisions are final */
  OK(ADCL_Option_set("ADCL_MEASUREMENTS", "2"));
  rank = harness_rank();
  size = harness_size();
  /* Creation is also collective: pair 0 first, then pair 1, ... on all processes. */
  for (int number = 0; number < size; ++number) {
    const int second = (number + 1) % size;
    MPI_Comm members;
    MPI_Comm_split(MPI_COMM_WORLD, rank == number || rank == second ? 0 : MPI_UNDEFINED, rank == number ? 0 : 1,
                   &members);
    if (members != MPI_COMM_NULL) {
      open_pair(rank == number ? &next : &before, members, number);
      MPI_Comm_free(&members);
    }
  }
  in_order[0] = next.number < before.number ? &next : &before;
  in_order[1] = next.number < before.number ? &before : &next;
  for (; round < searching_rounds && left > 0; ++round) {
    exchange(in_order[0], in_order[1], round);
    left = is_searching(next.request) || is_searching(before.request);
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  CHECK(left == 0);
  exchange(in_order[0], in_order[1], round);
  for (int i = 0; i < production_rounds; ++i) {
    exchange(&next, &before, round + i); /* in a circular order */
  }
  for (int i = 0; i < 2; ++i) {
    OK(ADCL_Request_free(&in_order[i]->request));
    MPI_Comm_free(&in_order[i]->comm);
  }
  OK(ADCL_Finalize());
  return harness_verdict();
}
