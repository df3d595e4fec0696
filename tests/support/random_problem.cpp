// Creates random topologies and problems.
#include <algorithm>
#include <map>
#include <numeric>

#include "support/problem_model.hpp"

namespace adcl::test {
namespace {

using Table = std::vector<std::vector<int>>;  // [dimension][coordinate]

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Sets the grids from blocks and widths.
void set_grids(ProblemModel& model) {
  for (RankModel& rank : model.ranks) {
    rank.send_grid = {{}, model.fortran_order};
    rank.receive_grid = {{}, model.fortran_order};
    for (std::size_t d = 0; d < rank.block.size(); ++d) {
      rank.send_grid.dims.push_back(rank.block[d] + rank.send_widths.left[d] + rank.send_widths.right[d]);
      rank.receive_grid.dims.push_back(rank.block[d] + rank.receive_widths.left[d] + rank.receive_widths.right[d]);
    }
  }
}

/// Block sizes that vary with the coordinate where neighbors stay compatible: in a process grid, and otherwise along
/// one dimension.
Table random_blocks(Random& random, const TopologyModel& topology, int largest) {
  Table blocks(index(topology.ndims));
  for (std::size_t d = 0; d < blocks.size(); ++d) {
    const int places = topology.grid_dims.empty() ? 1 : topology.grid_dims[d];
    const int typical = random.between(1, largest);
    const bool even = random.one_in(3);
    for (int i = 0; i < places; ++i) {
      blocks[d].push_back(even ? typical : std::max(1, typical + random.between(-typical / 2, typical / 2 + 1)));
    }
  }
  return blocks;
}

/// [dimension][coordinate] widths of one side, each at most the smallest block.
Table random_widths(Random& random, const Table& blocks, bool same_everywhere) {
  Table widths(blocks.size());
  const int style = random.between(0, 4);  // 0: random; else 0, 1 or the block everywhere, or 0 on this side
  for (std::size_t d = 0; d < blocks.size(); ++d) {
    const int limit = *std::min_element(blocks[d].begin(), blocks[d].end());
    int width = 0;
    for (std::size_t i = 0; i < blocks[d].size(); ++i) {
      if (i == 0 || !same_everywhere) {
        width = style == 1 ? 1 : (style == 2 ? limit : random.between(0, std::min(limit, style == 3 ? 1 : 3)));
      }
      widths[d].push_back(width);
    }
  }
  return widths;
}

void choose_kind(Random& random, ProblemModel& model) {
  model.same_buffer = random.between(1, 3) != 1;
  model.fortran_order = random.one_in(2);
  model.nc = random.pick(std::vector<int>{0, 0, 1, 3});
  model.family = random.pick(std::vector<Family>{Family::character, Family::real, Family::real, Family::triple,
                                                 Family::triple, Family::record, Family::record});
}

/// Number of grid points whose data every MPI library sends with a rendezvous.
int many_points(const ProblemModel& model) {
  constexpr int long_bytes = 80000;
  return long_bytes / data_bytes(model.family) / std::max(model.nc, 1) + 1;
}

void choose_layouts(Random& random, ProblemModel& model) {
  const std::vector<int> usable = variants(model.family);
  const int common = random.one_in(2) ? usable.front() : random.pick(usable);
  const int common_receive = model.same_buffer || random.one_in(2) ? common : random.pick(usable);
  const bool mixed_ranks = random.one_in(5);
  for (RankModel& rank : model.ranks) {
    rank.send_variant = mixed_ranks ? random.pick(usable) : common;
    rank.receive_variant = mixed_ranks ? random.pick(usable) : common_receive;
    if (model.same_buffer) {
      rank.receive_variant = rank.send_variant;
    }
  }
}

int largest_block(int ndims) {
  constexpr int by_dimension[] = {0, 20, 9, 6, 3};
  return by_dimension[ndims];
}

ProblemModel random_grid_problem(Random& random, const TopologyModel& topology, bool long_messages) {
  ProblemModel model;
  model.topology = topology;
  choose_kind(random, model);
  Table blocks = random_blocks(random, topology, largest_block(topology.ndims));
  if (long_messages) {
    // One long dimension gives long messages, either for the faces that span it or for a wide halo.
    for (auto& list : blocks) {
      for (int& block : list) {
        block = std::min(block, 2) + (&list == &blocks.back() ? many_points(model) : 0);
      }
    }
  }
  // In a permuted grid, block sizes vary along one dimension only, so widths cannot vary in every dimension.
  const bool uniform_widths = model.same_buffer || topology.grid_dims.empty();
  Table left = random_widths(random, blocks, uniform_widths);
  Table right = random_widths(random, blocks, uniform_widths);
  if (long_messages) {
    left.back().assign(left.back().size(), topology.ndims == 1 ? many_points(model) : 1);
  }
  for (int rank = 0; rank < topology.size; ++rank) {
    const std::vector<int> coords =
        topology.grid_dims.empty() ? std::vector<int>(blocks.size(), 0) : topology.coords(rank);
    RankModel mine;
    for (std::size_t d = 0; d < blocks.size(); ++d) {
      const int places = static_cast<int>(blocks[d].size());
      const int here = coords[d];
      mine.block.push_back(blocks[d][index(here)]);
      mine.send_widths.left.push_back(left[d][index(here)]);
      mine.send_widths.right.push_back(right[d][index(here)]);
      // The number of layers that the left neighbor sends to the right is the width of its left halo.
      mine.receive_widths.left.push_back(left[d][index((here + places - 1) % places)]);
      mine.receive_widths.right.push_back(right[d][index((here + 1) % places)]);
    }
    model.ranks.push_back(std::move(mine));
  }
  set_grids(model);
  choose_layouts(random, model);
  return model;
}

/// A point may be sent several times, but received only once; in one array, received points are never sent.
void set_points(Random& random, ProblemModel& model, const std::vector<std::vector<int>>& send_counts,
                const std::vector<std::vector<int>>& receive_counts) {
  for (std::size_t r = 0; r < model.ranks.size(); ++r) {
    RankModel& rank = model.ranks[r];
    const int received = std::accumulate(receive_counts[r].begin(), receive_counts[r].end(), 0);
    const int extra = random.between(1, 40);
    const auto grid_of = [&](int points) {
      const int width = random.one_in(2) ? 1 : random.between(1, 5);
      return width == 1 ? Grid{{points}, model.fortran_order} : Grid{{points / width + 1, width}, model.fortran_order};
    };
    rank.receive_grid = grid_of(received + extra);
    rank.send_grid = model.same_buffer ? rank.receive_grid : grid_of(random.between(1, 60));
    std::vector<int> order(index(static_cast<int>(rank.receive_grid.points())));
    std::iota(order.begin(), order.end(), 0);
    if (!random.one_in(4)) {
      random.shuffle(order);
    }
    auto next = order.begin();
    for (const int count : receive_counts[r]) {
      rank.points.receives.emplace_back(next, next + count);
      next += count;
    }
    std::vector<int> may_send(next, order.end());
    if (!model.same_buffer) {
      may_send.resize(index(static_cast<int>(rank.send_grid.points())));
      std::iota(may_send.begin(), may_send.end(), 0);
    }
    const bool runs = random.one_in(3);
    for (const int count : send_counts[r]) {
      std::vector<int> list;
      const int first = random.between(0, static_cast<int>(may_send.size()) - 1);
      for (int i = 0; i < count; ++i) {
        list.push_back(runs ? may_send[index((first + i) % static_cast<int>(may_send.size()))] : random.pick(may_send));
      }
      rank.points.sends.push_back(std::move(list));
    }
  }
}

ProblemModel random_graph_problem(Random& random, const TopologyModel& topology, bool long_messages) {
  ProblemModel model;
  model.topology = topology;
  choose_kind(random, model);
  model.ranks.resize(index(topology.size));
  std::map<std::pair<int, int>, std::vector<int>> counts;  // of the edges between two ranks, in their order
  std::vector<std::vector<int>> send_counts(index(topology.size));
  std::vector<std::vector<int>> receive_counts(index(topology.size));
  for (int rank = 0; rank < topology.size; ++rank) {
    for (const int destination : topology.destinations[index(rank)]) {
      const int count = random.one_in(4) ? 0 : random.between(1, long_messages ? 2 * many_points(model) : 12);
      counts[{rank, destination}].push_back(count);
      send_counts[index(rank)].push_back(count);
    }
  }
  for (int rank = 0; rank < topology.size; ++rank) {
    std::map<int, std::size_t> seen;
    for (const int source : topology.sources[index(rank)]) {
      receive_counts[index(rank)].push_back(counts[{source, rank}][seen[source]++]);
    }
  }
  set_points(random, model, send_counts, receive_counts);
  choose_layouts(random, model);
  return model;
}

/// In half of the problems, assigns ranks to random nodes, independent of the machine.
void set_nodes(Random& random, TopologyModel& topology) {
  topology.node_of_rank.clear();
  if (random.one_in(2)) {
    const int last_node = random.between(0, topology.size - 1);
    for (int rank = 0; rank < topology.size; ++rank) {
      topology.node_of_rank.push_back(random.between(0, last_node));
    }
  }
}

}  // namespace

TopologyModel grid_topology(Kind kind, const std::vector<int>& grid_dims, const std::vector<int>& periodic) {
  TopologyModel topology;
  topology.kind = kind;
  topology.grid_dims = grid_dims;
  topology.periodic = periodic;
  topology.ndims = static_cast<int>(grid_dims.size());
  topology.size = std::accumulate(grid_dims.begin(), grid_dims.end(), 1, [](int a, int b) { return a * b; });
  return topology;
}

TopologyModel random_grid_topology(Random& random, int size, Kind kind, int ndims) {
  const std::vector<int> grid_dims = random.pick(factorizations(size, ndims));
  std::vector<int> periodic;
  for (int d = 0; d < ndims; ++d) {
    periodic.push_back(random.between(0, 1));
  }
  TopologyModel topology = grid_topology(kind, grid_dims, periodic);
  set_nodes(random, topology);
  return topology;
}

TopologyModel random_generic_topology(Random& random, int size, int ndims) {
  TopologyModel topology;
  const bool from_grid = random.one_in(2);
  if (from_grid) {
    topology = random_grid_topology(random, size, Kind::cartesian, ndims);
  }
  const TopologyModel grid = topology;
  topology.kind = Kind::generic;
  topology.size = size;
  topology.ndims = ndims;
  topology.flow = random.pick(std::vector<Flow>{Flow::both, Flow::left_to_right, Flow::right_to_left});
  topology.left.assign(index(size), std::vector<int>(index(ndims), -1));
  topology.right = topology.left;
  for (int d = 0; d < ndims; ++d) {
    std::vector<int> right_of(index(size));
    std::iota(right_of.begin(), right_of.end(), 0);
    random.shuffle(right_of);
    for (int rank = 0; rank < size; ++rank) {
      int right = right_of[index(rank)];
      if (from_grid) {
        Direction direction(index(ndims), 0);
        direction[index(d)] = 1;
        right = grid.neighbor(rank, direction);
      }
      if (right >= 0 && !random.one_in(5)) {
        topology.right[index(rank)][index(d)] = right;
        topology.left[index(right)][index(d)] = rank;
      }
    }
  }
  set_nodes(random, topology);
  return topology;
}

TopologyModel random_graph_topology(Random& random, int size) {
  TopologyModel topology;
  topology.kind = Kind::graph;
  topology.size = size;
  topology.destinations.resize(index(size));
  topology.sources.resize(index(size));
  const int most = random.between(0, 2 * size);
  for (int rank = 0; rank < size; ++rank) {
    const int degree = random.between(0, std::min(most, 8));
    for (int i = 0; i < degree; ++i) {
      const int destination = random.between(0, size - 1);
      topology.destinations[index(rank)].push_back(destination);
      topology.sources[index(destination)].push_back(rank);
      if (random.one_in(2)) {
        topology.destinations[index(destination)].push_back(rank);
        topology.sources[index(rank)].push_back(destination);
      }
    }
  }
  for (auto* lists : {&topology.destinations, &topology.sources}) {
    for (auto& list : *lists) {
      random.shuffle(list);
    }
  }
  set_nodes(random, topology);
  return topology;
}

ProblemModel grid_problem(const TopologyModel& topology, const Table& blocks, const HaloWidths& widths) {
  ProblemModel model;
  model.topology = topology;
  for (int rank = 0; rank < topology.size; ++rank) {
    RankModel mine;
    const std::vector<int> coords = topology.coords(rank);
    for (std::size_t d = 0; d < blocks.size(); ++d) {
      mine.block.push_back(blocks[d][index(coords[d])]);
    }
    mine.send_widths = widths;
    mine.receive_widths = widths;
    model.ranks.push_back(std::move(mine));
  }
  set_grids(model);
  return model;
}

ProblemModel random_problem(Random& random, const TopologyModel& topology, bool long_messages) {
  ProblemModel model = topology.kind == Kind::graph ? random_graph_problem(random, topology, long_messages)
                                                    : random_grid_problem(random, topology, long_messages);
  model.shared = !random.one_in(4);
  return model;
}

}  // namespace adcl::test
