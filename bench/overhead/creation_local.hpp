/// \file creation_local.hpp
/// What a process does alone when a request is created, on a machine that is made up: no MPI library has so many ranks
/// here.
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

  /// The steps of a creation between its collective calls: the messages, what each codelet says to them and how much
  /// memory its plan would take, the signature, and what goes into the ballot. Returns a number made of all of that.
  [[nodiscard]] std::uint64_t prepare() const;

 private:
  adcl::Neighborhood neighborhood_;
  adcl::Machine machine_;
  adcl::HaloField field_;
};

}  // namespace creation
