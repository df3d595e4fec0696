#include "support/problem_model.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace adcl::test {
namespace {

std::string joined(const std::vector<int>& values, const char* separator) {
  std::string result;
  for (const int value : values) {
    result += (result.empty() ? "" : separator) + std::to_string(value);
  }
  return result;
}

/// Coordinates of grid point \p number if the last dimension varies fastest.
std::vector<int> position_of(std::int64_t number, const std::vector<int>& dims) {
  std::vector<int> position(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    position[d] = static_cast<int>(number % dims[d]);
    number /= dims[d];
  }
  return position;
}

/// Address of a grid point, in points.
std::int64_t linear_index(const std::vector<int>& position, const Grid& grid) {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const std::size_t d = grid.fortran_order ? position.size() - 1 - i : i;
    index = index * grid.dims[d] + position[d];
  }
  return index;
}

/// Cell by cell: a halo cell is a copy of the corresponding cell in the block of the neighbor on that side.
std::vector<Origin> grid_origins(const ProblemModel& model, int rank) {
  const RankModel& mine = model.ranks[static_cast<std::size_t>(rank)];
  const std::size_t ndims = mine.block.size();
  std::vector<Origin> result;
  const std::int64_t points = mine.receive_grid.points();
  for (std::int64_t number = 0; number < points; ++number) {
    const std::vector<int> position = position_of(number, mine.receive_grid.dims);
    Direction side(ndims, 0);
    for (std::size_t d = 0; d < ndims; ++d) {
      const int inner = position[d] - mine.receive_widths.left[d];
      side[d] = inner < 0 ? -1 : (inner >= mine.block[d] ? 1 : 0);
    }
    const auto sides = std::count_if(side.begin(), side.end(), [](int step) { return step != 0; });
    if (sides == 0 || (sides > 1 && model.topology.kind != Kind::extended) || !model.topology.receives_from(side)) {
      continue;
    }
    const int owner = model.topology.neighbor(rank, side);
    if (owner < 0) {
      continue;
    }
    const RankModel& other = model.ranks[static_cast<std::size_t>(owner)];
    std::vector<int> there(ndims);
    for (std::size_t d = 0; d < ndims; ++d) {
      int inner = position[d] - mine.receive_widths.left[d];
      if (side[d] < 0) {
        inner += other.block[d];
      } else if (side[d] > 0) {
        inner -= mine.block[d];
      }
      there[d] = other.send_widths.left[d] + inner;
    }
    result.push_back({linear_index(position, mine.receive_grid), owner, linear_index(there, other.send_grid)});
  }
  return result;
}

/// The k-th edge from a source in a rank's list belongs to the k-th edge to this rank in the source's list.
std::vector<Origin> graph_origins(const ProblemModel& model, int rank) {
  const auto me = static_cast<std::size_t>(rank);
  std::map<int, int> seen;
  std::vector<Origin> result;
  const auto& sources = model.topology.sources[me];
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto owner = static_cast<std::size_t>(sources[i]);
    int remaining = seen[sources[i]]++;
    const auto& destinations = model.topology.destinations[owner];
    std::size_t edge = 0;
    while (destinations[edge] != rank || remaining-- > 0) {
      ++edge;
    }
    const auto& there = model.ranks[owner].points.sends[edge];
    const auto& here = model.ranks[me].points.receives[i];
    for (std::size_t p = 0; p < here.size(); ++p) {
      result.push_back({here[p], sources[i], there[p]});
    }
  }
  return result;
}

}  // namespace

std::vector<int> TopologyModel::coords(int rank) const { return position_of(rank, grid_dims); }

int TopologyModel::neighbor(int rank, const Direction& direction) const {
  if (kind == Kind::generic) {
    for (std::size_t d = 0; d < direction.size(); ++d) {
      if (direction[d] != 0) {
        return (direction[d] < 0 ? left : right)[static_cast<std::size_t>(rank)][d];
      }
    }
  }
  const std::vector<int> here = coords(rank);
  int result = 0;
  for (std::size_t d = 0; d < grid_dims.size(); ++d) {
    int coordinate = here[d] + direction[d];
    if (periodic[d] == 0 && (coordinate < 0 || coordinate >= grid_dims[d])) {
      return -1;
    }
    coordinate = (coordinate + grid_dims[d]) % grid_dims[d];
    result = result * grid_dims[d] + coordinate;
  }
  return result;
}

bool TopologyModel::receives_from(const Direction& direction) const {
  const bool from_left = std::any_of(direction.begin(), direction.end(), [](int step) { return step < 0; });
  return flow == Flow::both || (flow == Flow::left_to_right) == from_left;
}

std::string TopologyModel::describe() const {
  std::ostringstream out;
  switch (kind) {
    case Kind::cartesian:
      out << "Cartesian ";
      break;
    case Kind::extended:
      out << "extended ";
      break;
    case Kind::generic:
      out << "generic " << ndims << "-D "
          << (flow == Flow::both ? "both ways " : (flow == Flow::left_to_right ? "left to right " : "right to left "));
      break;
    case Kind::graph:
      out << "graph of " << size << " ranks, destinations";
      for (const auto& list : destinations) {
        out << " [" << joined(list, " ") << "]";
      }
      break;
  }
  if (!grid_dims.empty()) {
    out << joined(grid_dims, "x") << " processes, periodic " << joined(periodic, ",");
  } else if (kind == Kind::generic) {
    out << "permuted";
  }
  if (kind == Kind::generic) {
    out << ", right neighbors";
    for (const auto& list : right) {
      out << " [" << joined(list, " ") << "]";
    }
  }
  if (!node_of_rank.empty()) {
    out << ", nodes of the ranks " << joined(node_of_rank, " ");
  }
  return out.str();
}

std::string ProblemModel::describe() const {
  std::ostringstream out;
  out << topology.describe() << "; " << (same_buffer ? "one array" : "two arrays")
      << (fortran_order ? ", Fortran order" : ", C order") << (shared ? ", shared" : ", private") << ", nc " << nc
      << ", ranks:";
  for (const RankModel& rank : ranks) {
    out << " {" << joined(rank.send_grid.dims, "x");
    if (!rank.block.empty()) {
      out << " block " << joined(rank.block, "x") << " widths " << joined(rank.send_widths.left, ",") << "|"
          << joined(rank.send_widths.right, ",");
    }
    out << " " << variant_name(family, rank.send_variant);
    if (!same_buffer) {
      out << " -> " << joined(rank.receive_grid.dims, "x") << " " << variant_name(family, rank.receive_variant);
      if (!rank.block.empty()) {
        out << " widths " << joined(rank.receive_widths.left, ",") << "|" << joined(rank.receive_widths.right, ",");
      }
    }
    out << "}";
  }
  return out.str();
}

std::vector<Origin> origins(const ProblemModel& model, int rank) {
  return model.topology.kind == Kind::graph ? graph_origins(model, rank) : grid_origins(model, rank);
}

std::vector<std::vector<int>> factorizations(int size, int ndims) {
  if (ndims == 1) {
    return {{size}};
  }
  std::vector<std::vector<int>> result;
  for (int factor = 1; factor <= size; ++factor) {
    if (size % factor != 0) {
      continue;
    }
    for (auto rest : factorizations(size / factor, ndims - 1)) {
      rest.insert(rest.begin(), factor);
      result.push_back(std::move(rest));
    }
  }
  return result;
}

}  // namespace adcl::test
