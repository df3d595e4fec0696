// A C++ program that uses the installed ADCL: it has its own function set with two ways to add up a number.
#include <ADCL.h>

#include <array>
#include <iostream>

namespace {

struct Sum {
  int mine = 0;
  int total = 0;
};

Sum& sum_of(ADCL_Request request) {
  void* context = nullptr;
  ADCL_Request_get_context(request, &context);
  return *static_cast<Sum*>(context);
}

void allreduce(ADCL_Request request) {
  Sum& sum = sum_of(request);
  MPI_Comm comm = MPI_COMM_NULL;
  ADCL_Request_get_comm(request, &comm, nullptr, nullptr);
  MPI_Allreduce(&sum.mine, &sum.total, 1, MPI_INT, MPI_SUM, comm);
}

void reduce_and_broadcast(ADCL_Request request) {
  Sum& sum = sum_of(request);
  MPI_Comm comm = MPI_COMM_NULL;
  ADCL_Request_get_comm(request, &comm, nullptr, nullptr);
  MPI_Reduce(&sum.mine, &sum.total, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Bcast(&sum.total, 1, MPI_INT, 0, comm);
}

int failures = 0;

void expect(int code) {
  if (code != ADCL_SUCCESS) {
    ++failures;
    std::cerr << ADCL_Error_string(code) << ": " << ADCL_Last_error() << '\n';
  }
}

void add_up(int rank, int size) {
  std::array<ADCL_Function, 2> functions{};
  expect(ADCL_Function_create(allreduce, ADCL_ATTRSET_NULL, nullptr, "allreduce", &functions[0]));
  expect(ADCL_Function_create(reduce_and_broadcast, ADCL_ATTRSET_NULL, nullptr, "reduce_and_broadcast", &functions[1]));
  ADCL_Fnctset set = ADCL_FNCTSET_NULL;
  expect(ADCL_Fnctset_create(2, functions.data(), "sum", &set));
  ADCL_Request request = ADCL_REQUEST_NULL;
  expect(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request));
  Sum sum;
  expect(ADCL_Request_set_context(request, &sum));
  for (int call = 0; call < 40 && failures == 0; ++call) {
    sum = {.mine = rank + call, .total = -1};
    expect(ADCL_Request_start(request));
    failures += sum.total != size * (size - 1) / 2 + size * call ? 1 : 0;
  }
  expect(ADCL_Request_free(&request));
  expect(ADCL_Fnctset_free(&set));
  expect(ADCL_Function_free(&functions[0]));
  expect(ADCL_Function_free(&functions[1]));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(ADCL_Init());
  add_up(rank, size);
  expect(ADCL_Finalize());
  if (failures != 0) {
    std::cerr << "rank " << rank << ": " << failures << " failures\n";
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures != 0 ? 1 : 0;
}
