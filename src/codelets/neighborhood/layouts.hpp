/// \file layouts.hpp
/// Exchanges with neighbors the positions of transfers in arrays.
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
  std::int64_t first_point = 0;  ///< offset of the array in the memory that its rank exposes, in bytes
  Region region;
  mpi::NodeMemoryHandle memory{};  ///< the memory that its rank exposes, unless the rank exposes a window
};

/// For each transfer of \p exposed, sends the peer the layout of the region in the field's array of \p arrays. Returns
/// the layouts that the peers of \p wanted send, in the order of \p wanted. Each transfer in one list of a rank has its
/// other end in the other list of the peer. Uses tags from \p tag_base on. Collective over \p comm: throws on all ranks
/// if it throws on one.
std::vector<Layout> exchange_layouts(MPI_Comm comm, int tag_base, const std::vector<Transfer>& exposed,
                                     std::span<const Layout> arrays, const std::vector<Transfer>& wanted);

}  // namespace adcl::codelets
