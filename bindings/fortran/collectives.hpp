/// \file collectives.hpp
/// What the Fortran entry points of collectives share.
#pragma once

#include <vector>

#include "in_place.hpp"
#include "shim.hpp"

namespace adcl::fortran {

inline MPI_Op operation(const MPI_Fint* op) noexcept { return MPI_Op_f2c(*op); }

/// Processes of a communicator, and which of them this one is; none of MPI_COMM_NULL.
struct Processes {
  explicit Processes(const MPI_Fint* comm) {
    const MPI_Comm converted = communicator(comm);
    if (converted != MPI_COMM_NULL) {
      MPI_Comm_size(converted, &size);
      MPI_Comm_rank(converted, &rank);
    }
  }
  int size = 0;
  int rank = -1;
};

/// The counts, displacements or datatypes of all processes, or none where MPI ignores them.
template <typename T>
std::vector<T> list(const CFI_cdesc_t* values, bool significant, const Processes& processes, const char* name) {
  return significant ? gather<T>(values, processes.size, name) : std::vector<T>();
}

inline std::vector<MPI_Datatype> datatypes(const std::vector<MPI_Fint>& types) {
  std::vector<MPI_Datatype> converted;
  for (const MPI_Fint& type : types) {
    converted.push_back(datatype(&type));
  }
  return converted;
}

/// Makes a request by \p prepare, which is told where to put it. A mistake that only this layer sees is an error on all
/// ranks: the library refuses to put a request nowhere.
template <typename Prepare>
void create(int* req, int* ierror, const Prepare& prepare) noexcept {
  *req = integer(ADCL_REQUEST_NULL);
  call(ierror, [&] {
    ADCL_Request created = ADCL_REQUEST_NULL;
    const int code = prepare(&created);
    *req = integer(created);
    return code;
  });
}

}  // namespace adcl::fortran
