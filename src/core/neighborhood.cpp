#include "core/neighborhood.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace adcl {

std::vector<Direction> all_directions(int ndims) {
  std::vector<Direction> directions;
  Direction direction(static_cast<std::size_t>(ndims), -1);
  while (true) {
    if (std::any_of(direction.begin(), direction.end(), [](int step) { return step != 0; })) {
      directions.push_back(direction);
    }
    std::size_t d = direction.size();
    while (d > 0 && direction[d - 1] == 1) {
      direction[--d] = -1;
    }
    if (d == 0) {
      return directions;
    }
    ++direction[d - 1];
  }
}

int Neighborhood::neighbor_count() const {
  std::set<int> ranks(destinations.begin(), destinations.end());
  ranks.insert(sources.begin(), sources.end());
  for (const Neighbor& neighbor : neighbors) {
    ranks.insert(neighbor.rank);
  }
  return static_cast<int>(ranks.size());
}

void Neighborhood::identify(Hash& hash) const {
  hash.add(kind_name()).add(static_cast<std::uint64_t>(size));
  hash.add_all(coords).add_all(grid_dims).add_all(periodic);
  hash.add(neighbors.size());
  for (const Neighbor& neighbor : neighbors) {
    hash.add_all(neighbor.direction).add(static_cast<std::uint64_t>(neighbor.rank));
    hash.add(static_cast<std::uint64_t>(neighbor.sends)).add(static_cast<std::uint64_t>(neighbor.receives));
  }
  hash.add_all(destinations).add_all(sources);
}

}  // namespace adcl
