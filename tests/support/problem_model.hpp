/// \file problem_model.hpp
/// Models of halo problems with the data of all ranks. All ranks make the same model from the same seed, so that each
/// computes its expected halo without communication. Independent of how the library builds its messages. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "support/random.hpp"
#include "support/type_model.hpp"

namespace adcl::test {

using Kind = Neighborhood::Kind;

/// Directions in which data move in a generic topology.
enum class Flow { both, left_to_right, right_to_left };

struct TopologyModel {
  Kind kind = Kind::cartesian;
  int size = 1;
  int ndims = 0;
  std::vector<int> grid_dims;  ///< extents of the process grid, ranks in row-major order; empty: no grid
  std::vector<int> periodic;
  std::vector<std::vector<int>> left;   ///< generic: [rank][dimension]; -1: no neighbor
  std::vector<std::vector<int>> right;  ///< generic
  Flow flow = Flow::both;
  std::vector<std::vector<int>> destinations;  ///< graph: [rank], in the order of the communicator
  std::vector<std::vector<int>> sources;       ///< graph
  std::vector<int> node_of_rank;               ///< empty: the nodes that MPI reports

  [[nodiscard]] std::vector<int> coords(int rank) const;
  /// The neighbor in the direction, or -1. Not for graphs.
  [[nodiscard]] int neighbor(int rank, const Direction& direction) const;
  /// True when the rank receives into the halo on the side of \p direction.
  [[nodiscard]] bool receives_from(const Direction& direction) const;
  [[nodiscard]] std::string describe() const;
};

/// Block, halo widths and arrays of one rank.
struct RankModel {
  std::vector<int> block;  ///< interior extents; empty for a graph
  HaloWidths send_widths;
  HaloWidths receive_widths;
  Grid send_grid;
  Grid receive_grid;
  int send_variant = 0;
  int receive_variant = 0;
  GraphPoints points;
};

struct ProblemModel {
  TopologyModel topology;
  bool same_buffer = true;
  bool fortran_order = false;
  bool shared = true;  ///< the arrays are in shared memory of the node
  int nc = 0;
  Family family = Family::real;
  std::vector<RankModel> ranks;

  [[nodiscard]] std::string describe() const;
};

/// Source of the content of a received grid point.
struct Origin {
  std::int64_t point = 0;
  int owner = 0;
  std::int64_t owner_point = 0;
};

/// Every grid point that \p rank must receive, and nothing else.
std::vector<Origin> origins(const ProblemModel& model, int rank);

/// All ways to write \p size as an ordered product of \p ndims factors.
std::vector<std::vector<int>> factorizations(int size, int ndims);

TopologyModel grid_topology(Kind kind, const std::vector<int>& grid_dims, const std::vector<int>& periodic);
TopologyModel random_grid_topology(Random& random, int size, Kind kind, int ndims);
TopologyModel random_generic_topology(Random& random, int size, int ndims);
TopologyModel random_graph_topology(Random& random, int size);

/// Blocks of [dimension][coordinate] extents and the same widths everywhere, sent and received in one array.
ProblemModel grid_problem(const TopologyModel& topology, const std::vector<std::vector<int>>& blocks,
                          const HaloWidths& widths);
/// Random blocks, widths, datatypes, arrays. \p long_messages: some exceed the buffers of MPI libraries.
ProblemModel random_problem(Random& random, const TopologyModel& topology, bool long_messages);

}  // namespace adcl::test
