/// \file halo_twins.hpp
/// Halo exchanges as MPI programs contain them, to compare ADCL's codelets with: no ADCL in here.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace twins {

/// An n-dimensional block of doubles with one halo layer, in C order, on a Cartesian communicator.
struct Block {
  MPI_Comm cart = MPI_COMM_NULL;
  std::vector<int> dims;  ///< halo included
  double* data = nullptr;
};

/// A way of exchanging the faces of a block, made ready.
class Twin {
 public:
  virtual ~Twin() = default;
  virtual void exchange() = 0;
};

struct Row {
  std::string name;
  std::unique_ptr<Twin> (*make)(const Block& block);
};

/// `ddt` (derived types, all messages at once), `packed`, `persistent`, `neighbor` (MPI_Neighbor_alltoallw).
const std::vector<Row>& table();

}  // namespace twins
