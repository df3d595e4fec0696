/// \file layouts.hpp
/// Tells neighbors where in one's array the data of a transfer belong.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "mpi/node_memory.hpp"

namespace adcl::codelets {

/// A region in the array of another rank.
struct Layout {
  Grid grid;
  std::int64_t first_point = 0;  ///< where the array begins in what its rank exposes, bytes
  Region region;
  mpi::NodeMemoryHandle memory{};  ///< what its rank exposes, where that is not a window
};

/// Sends the layout of each transfer of \p exposed, in an array as \p arrays says of its field, to its peer, and
/// returns those of the peers of \p wanted, in its order. Every transfer's other end is in the other list of its peer.
/// Tags from \p tag_base on are used. Collective over \p comm: throws on all ranks when it does on one.
std::vector<Layout> exchange_layouts(MPI_Comm comm, int tag_base, const std::vector<Transfer>& exposed,
                                     std::span<const Layout> arrays, const std::vector<Transfer>& wanted);

}  // namespace adcl::codelets
