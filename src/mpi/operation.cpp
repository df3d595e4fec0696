#include "mpi/operation.hpp"

#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::mpi {

bool is_commutative(MPI_Op op) {
  require(op != MPI_OP_NULL, Code::argument, "op is MPI_OP_NULL; pass an operation such as MPI_SUM");
  int commutative = 0;
  check(MPI_Op_commutative(op, &commutative), "MPI_Op_commutative");
  return commutative != 0;
}

void require_intracommunicator(MPI_Comm comm) {
  require(comm != MPI_COMM_NULL, Code::argument, "the communicator is MPI_COMM_NULL");
  int inter = 0;
  check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  require(inter == 0, Code::argument,
          "the communicator is an intercommunicator; merge it with MPI_Intercomm_merge first");
}

}  // namespace adcl::mpi
