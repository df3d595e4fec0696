/// \file machine.hpp
/// The properties of the machine that affect which codelet is fastest. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/nodes.hpp"

namespace adcl {

/// Equal on all ranks of a communicator, except the members of `nodes` about this rank's node.
struct Machine {
  int ranks = 1;  ///< number of ranks of the communicator
  Nodes nodes;
  std::string library;  ///< name of the MPI library, such as "Open MPI"
  std::string version;  ///< its version, such as "4.1.4"

  /// Hash of all members that are the same on all ranks.
  [[nodiscard]] std::uint64_t identity() const noexcept {
    return Hash().add(static_cast<std::uint64_t>(ranks)).add(nodes.hash).add(library).add(version).value();
  }
};

}  // namespace adcl
