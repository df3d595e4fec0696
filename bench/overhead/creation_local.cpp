#include "overhead/creation_local.hpp"

#include <algorithm>
#include <cstddef>

#include "codelets/sets.hpp"

namespace creation {
namespace {

constexpr int dimensions = 3;
constexpr int block_points = 34;

}  // namespace

Local::Local(int side, const adcl::mpi::Element& element) {
  neighborhood_.kind = adcl::Neighborhood::Kind::extended;
  neighborhood_.size = side * side * side;
  neighborhood_.ndims = dimensions;
  neighborhood_.coords.assign(dimensions, side / 2);
  neighborhood_.grid_dims.assign(dimensions, side);
  neighborhood_.periodic.assign(dimensions, 1);
  const auto rank_at = [&](const adcl::Direction& step) {
    int rank = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      rank = rank * side + (neighborhood_.coords[d] + step[d] + side) % side;
    }
    return rank;
  };
  neighborhood_.rank = rank_at(adcl::Direction(dimensions, 0));
  for (const adcl::Direction& direction : adcl::all_directions(dimensions)) {
    neighborhood_.neighbors.push_back({direction, rank_at(direction)});
  }
  machine_.nodes.own = neighborhood_.rank / ranks_per_node;
  machine_.nodes.count = (neighborhood_.size + ranks_per_node - 1) / ranks_per_node;
  const int first = machine_.nodes.own * ranks_per_node;
  for (int rank = first; rank < std::min(first + ranks_per_node, neighborhood_.size); ++rank) {
    machine_.nodes.ranks.push_back(rank);
  }
  machine_.nodes.smallest = neighborhood_.size - (machine_.nodes.count - 1) * ranks_per_node;
  const adcl::HaloWidths widths{std::vector<int>(dimensions, 1), std::vector<int>(dimensions, 1)};
  const adcl::HaloArray array{{std::vector<int>(dimensions, block_points), false}, widths, &element};
  field_ = {array, array, true};
}

std::uint64_t Local::prepare() const {
  adcl::HaloProblem problem(&machine_);
  problem.neighborhood = neighborhood_;
  problem.fields = {field_};
  adcl::build_halo(problem);
  std::uint64_t sum = problem.signature();
  for (const adcl::Codelet& codelet : adcl::codelets::neighborhood().codelets) {
    if (!codelet.algorithm.applicable(problem)) {
      sum += codelet.algorithm.bytes(problem);
    }
  }
  const adcl::Statement statement = problem.state();
  return sum + statement.common + statement.layout + statement.balances[0] + statement.balances[1];
}

}  // namespace creation
