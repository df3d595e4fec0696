/* ranks: 1 2 3
 * The communicator for the application's codelets has the processes of the request's topology in the same order,
 * also for subsets and for processes in reverse order. It differs from all communicators of the application. */
#include "harness.h"

static MPI_Comm users;
static int calls;

static void exchange_ranks(ADCL_Request request) {
  MPI_Comm comm;
  int rank, size, relation, user_rank, sum;
  OK(ADCL_Request_get_comm(request, &comm, &rank, &size));
  MPI_Comm_compare(comm, users, &relation);
  CHECK(relation == MPI_CONGRUENT);
  MPI_Comm_rank(users, &user_rank);
  CHECK(rank == user_rank);
  sum = rank;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size - 1) / 2);
  ++calls;
}

static void check_communicator(MPI_Comm comm) {
  ADCL_Function function;
  ADCL_Fnctset set;
  ADCL_Topology topology;
  ADCL_Request request;
  users = comm;
  calls = 0;
  OK(ADCL_Function_create(exchange_ranks, ADCL_ATTRSET_NULL, NULL, "talk", &function));
  OK(ADCL_Fnctset_create(1, &function, "own", &set));
  OK(ADCL_Topology_create(comm, 0, &topology));
  OK(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, topology, set, &request));
  OK(ADCL_Request_start(request));
  OK(ADCL_Request_start(request));
  CHECK(calls == 2);
  OK(ADCL_Request_free(&request));
  OK(ADCL_Topology_free(&topology));
  OK(ADCL_Fnctset_free(&set));
  OK(ADCL_Function_free(&function));
}

int main(int argc, char **argv) {
  MPI_Comm reversed, part;
  MPI_Init(&argc, &argv);
  OK(ADCL_Init());
  MPI_Comm_split(MPI_COMM_WORLD, 0, -harness_rank(), &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, harness_rank() % 2, 0, &part);
  check_communicator(MPI_COMM_WORLD);
  check_communicator(reversed);
  if (harness_rank() % 2 == 0) {
    check_communicator(part);
  }
  MPI_Comm_free(&part);
  MPI_Comm_free(&reversed);
  OK(ADCL_Finalize());
  return harness_verdict();
}
