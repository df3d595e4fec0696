#include "support/neighborhoods.hpp"

#include <algorithm>

namespace adcl::test {

Neighborhood neighborhood_of(const TopologyModel& topology, int rank) {
  const auto me = static_cast<std::size_t>(rank);
  Neighborhood result;
  result.kind = topology.kind;
  result.rank = rank;
  result.size = topology.size;
  result.ndims = topology.ndims;
  if (topology.kind == Kind::graph) {
    result.sources = topology.sources[me];
    result.destinations = topology.destinations[me];
    return result;
  }
  if (!topology.grid_dims.empty()) {
    result.coords = topology.coords(rank);
  }
  if (topology.kind != Kind::generic) {
    result.grid_dims = topology.grid_dims;
    result.periodic = topology.periodic;
  }
  for (const Direction& direction : all_directions(topology.ndims)) {
    const auto steps = std::count_if(direction.begin(), direction.end(), [](int step) { return step != 0; });
    if (steps > 1 && topology.kind != Kind::extended) {
      continue;
    }
    const int peer = topology.neighbor(rank, direction);
    if (peer >= 0) {
      Direction back = direction;
      std::for_each(back.begin(), back.end(), [](int& step) { step = -step; });
      result.neighbors.push_back({direction, peer, topology.receives_from(back), topology.receives_from(direction)});
    }
  }
  return result;
}

std::vector<std::unique_ptr<HaloProblem>> problems_of(const std::vector<ProblemModel>& fields) {
  const TopologyModel& topology = fields.front().topology;
  std::vector<std::unique_ptr<HaloProblem>> result;
  for (int rank = 0; rank < topology.size; ++rank) {
    auto problem = std::make_unique<HaloProblem>();
    problem->neighborhood = neighborhood_of(topology, rank);
    problem->fields.clear();
    std::vector<GraphPoints> points;
    for (const ProblemModel& model : fields) {
      const RankModel& mine = model.ranks[static_cast<std::size_t>(rank)];
      problem->fields.push_back({{mine.send_grid, mine.send_widths, nullptr},
                                 {mine.receive_grid, mine.receive_widths, nullptr},
                                 model.same_buffer});
      points.push_back(mine.points);
    }
    if (topology.kind == Kind::graph) {
      build_graph(*problem, points);
    } else {
      build_halo(*problem);
    }
    result.push_back(std::move(problem));
  }
  return result;
}

std::vector<std::unique_ptr<HaloProblem>> problems_of(const ProblemModel& model) {
  return problems_of(std::vector{model});
}

}  // namespace adcl::test
