/// \file neighborhood.hpp
/// The neighbors of a process, without MPI. Pure. Source: thesis section 3.3; paper section II.
#pragma once

#include <vector>

#include "core/hash.hpp"

namespace adcl {

/// Displacements in the process grid: -1, 0 or 1 per dimension.
using Direction = std::vector<int>;

/// All directions in \p ndims dimensions in a fixed order, without the zero direction.
std::vector<Direction> all_directions(int ndims);

/// The neighbors of one rank.
struct Neighborhood {
  enum class Kind { cartesian, generic, extended, graph };
  struct Neighbor {
    Direction direction;   ///< toward the neighbor
    int rank = 0;          ///< never MPI_PROC_NULL: absent neighbors are not listed
    bool sends = true;     ///< this rank sends to it
    bool receives = true;  ///< this rank receives from it
  };

  Kind kind = Kind::cartesian;
  int rank = 0;
  int size = 1;
  int ndims = 0;                    ///< 0 for a graph
  std::vector<int> coords;          ///< coordinates of this rank; empty if unknown
  std::vector<int> grid_dims;       ///< extents of the process grid; empty if unknown
  std::vector<int> periodic;        ///< 0 or 1 per dimension; empty if unknown
  std::vector<Neighbor> neighbors;  ///< all kinds but graph
  std::vector<int> destinations;    ///< graph only, in the order of the communicator
  std::vector<int> sources;         ///< graph only

  [[nodiscard]] const char* kind_name() const {
    constexpr const char* names[] = {"cartesian", "generic", "extended", "graph"};
    return names[static_cast<int>(kind)];
  }
  /// Number of processes that this rank sends to or receives from, possibly including itself.
  [[nodiscard]] int neighbor_count() const;
  /// Adds everything that distinguishes two neighborhoods of a rank; the same in every run.
  void identify(Hash& hash) const;
};

}  // namespace adcl
