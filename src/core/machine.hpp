/// \file machine.hpp
/// What a problem runs on, as far as it matters to which codelet is fastest. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/nodes.hpp"

namespace adcl {

/// The same on all ranks of a communicator, but for what the nodes say of this rank's own.
struct Machine {
  int ranks = 1;  ///< of the communicator
  Nodes nodes;
  std::string library;  ///< name of the MPI library, such as "Open MPI"
  std::string version;  ///< its version, such as "4.1.4"

  /// Of all of the above, as far as it is the same on all ranks.
  [[nodiscard]] std::uint64_t identity() const noexcept {
    return Hash().add(static_cast<std::uint64_t>(ranks)).add(nodes.hash).add(library).add(version).value();
  }
};

}  // namespace adcl
