#include "mpi/topology.hpp"

#include "mpi/check.hpp"

namespace adcl::mpi {

int topology_kind(MPI_Comm comm) {
#ifdef SMPI_H
  // Do not call MPI_Topo_test: SMPI (3.32) aborts the simulation. MPI_Cartdim_get is sufficient, because SMPI has
  // Cartesian topologies only.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  check(MPI_Comm_get_errhandler(comm, &handler), "MPI_Comm_get_errhandler");
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int ndims = 0;
  const int code = MPI_Cartdim_get(comm, &ndims);
  // SMPI's MPI_COMM_WORLD has no error handler until one is set; errors are then fatal.
  const bool none = handler == MPI_ERRHANDLER_NULL;
  check(MPI_Comm_set_errhandler(comm, none ? MPI_ERRORS_ARE_FATAL : handler), "MPI_Comm_set_errhandler");
  if (!none) {
    check(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
  }
  return code == MPI_SUCCESS ? MPI_CART : MPI_UNDEFINED;
#else
  int kind = MPI_UNDEFINED;
  check(MPI_Topo_test(comm, &kind), "MPI_Topo_test");
  return kind;
#endif
}

}  // namespace adcl::mpi
