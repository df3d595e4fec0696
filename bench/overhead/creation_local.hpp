/// \file creation_local.hpp
/// Local work of a process that creates a request, on a simulated machine with more ranks than are available here.
#pragma once

#include <cstdint>

#include "codelets/neighborhood/halo_problem.hpp"
#include "mpi/datatype.hpp"

namespace creation {

constexpr int ranks_per_node = 64;

/// A process in the middle of a periodic grid of processes with 26 neighbors.
class Local {
 public:
  /// \p side ranks in each of three dimensions.
  Local(int side, const adcl::mpi::Element& element);

  /// The steps of a creation between its collective calls: the messages, each codelet's applicability and the memory of
  /// its plan, the signature, and the values of the ballot. Returns a number that depends on all of them.
  [[nodiscard]] std::uint64_t prepare() const;

 private:
  adcl::Neighborhood neighborhood_;
  adcl::Machine machine_;
  adcl::HaloField field_;
};

}  // namespace creation
