// Regions and tags of halo exchanges on regular process grids and on graphs.
#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "codelets/neighborhood/halo_problem.hpp"
#include "core/error.hpp"

namespace adcl {
namespace {

/// Number of the direction in base 3, the same on all ranks.
int direction_number(const Direction& direction) {
  int number = 0;
  for (const int displacement : direction) {
    number = number * 3 + displacement + 1;
  }
  return number;
}

/// Tag of data that move in \p direction. Axis-aligned grids need only 2n tags, extended grids 3^n.
int direction_tag(const Direction& direction, bool extended) {
  if (extended) {
    return direction_number(direction);
  }
  for (std::size_t d = 0; d < direction.size(); ++d) {
    if (direction[d] != 0) {
      return static_cast<int>(2 * d) + (direction[d] > 0 ? 1 : 0);
    }
  }
  return 0;
}

Direction opposite(Direction direction) {
  for (int& displacement : direction) {
    displacement = -displacement;
  }
  return direction;
}

/// Phase of a link in a fixed order of a process grid's links: by axis, and along an axis even links, odd links, and
/// the link that closes a ring of odd length. Both ends compute the same number, and each rank has at most one link per
/// phase. A pairwise exchange therefore takes one step per link of a rank, instead of forming a chain through the grid.
int link_phase(const Neighborhood& neighborhood, const Direction& towards_neighbor) {
  if (neighborhood.coords.empty() || neighborhood.grid_dims.empty()) {
    return 0;
  }
  const auto axis = static_cast<std::size_t>(
      std::find_if(towards_neighbor.begin(), towards_neighbor.end(), [](int step) { return step != 0; }) -
      towards_neighbor.begin());
  const bool forward = towards_neighbor[axis] > 0;
  const int size = neighborhood.grid_dims[axis];
  const int lower = forward ? neighborhood.coords[axis] : (neighborhood.coords[axis] - 1 + size) % size;
  const int color = (lower == size - 1 && size % 2 == 1) ? 2 : lower % 2;
  const int line = direction_number(forward ? towards_neighbor : opposite(towards_neighbor));
  return 1 + line * 3 + color;
}

struct Interior {
  std::vector<int> begin;
  std::vector<int> end;
};

Interior interior_of(const Grid& grid, const HaloWidths& widths) {
  Interior interior;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    interior.begin.push_back(widths.left[d]);
    interior.end.push_back(grid.dims[d] - widths.right[d]);
  }
  return interior;
}

/// The region that this rank sends to the neighbor in \p direction: the interior layers at that side. The number of
/// layers is the width of the halo on the opposite side.
Region sent_region(const Grid& grid, const HaloWidths& widths, const Direction& direction) {
  const Interior interior = interior_of(grid, widths);
  Region region;
  for (std::size_t d = 0; d < direction.size(); ++d) {
    const int layers = direction[d] > 0 ? widths.left[d] : widths.right[d];
    if (direction[d] == 0) {
      region.start.push_back(interior.begin[d]);
      region.extent.push_back(interior.end[d] - interior.begin[d]);
    } else {
      region.start.push_back(direction[d] > 0 ? interior.end[d] - layers : interior.begin[d]);
      region.extent.push_back(layers);
    }
  }
  return region;
}

/// The part of the halo that the neighbor in \p direction fills.
Region received_region(const Grid& grid, const HaloWidths& widths, const Direction& direction) {
  const Interior interior = interior_of(grid, widths);
  Region region;
  for (std::size_t d = 0; d < direction.size(); ++d) {
    if (direction[d] == 0) {
      region.start.push_back(interior.begin[d]);
      region.extent.push_back(interior.end[d] - interior.begin[d]);
    } else {
      region.start.push_back(direction[d] > 0 ? interior.end[d] : 0);
      region.extent.push_back(direction[d] > 0 ? widths.right[d] : widths.left[d]);
    }
  }
  return region;
}

/// Returns "send vector" or "receive vector", with the number of the field if there are several.
std::string name_of(const HaloProblem& problem, std::size_t field, const char* which) {
  return problem.several_fields() ? text(which, " vector of field ", field) : text(which, " vector");
}

void check_block(const HaloArray& array, const std::string& which) {
  const auto& [left_widths, right_widths] = array.widths;
  for (std::size_t d = 0; d < array.grid.dims.size(); ++d) {
    const int left = left_widths[d];
    const int right = right_widths[d];
    const std::int64_t block = std::int64_t{array.grid.dims[d]} - left - right;
    require(block >= 1 && std::max(left, right) <= block, Code::argument, "the halo of the ", which,
            " is too wide: dimension ", d, " has extent ", array.grid.dims[d], ", which leaves a block of ", block,
            " between halos of ", left, " and ", right, " layers; the block must be at least as wide as its halos");
  }
}

void sort_by_peer(std::vector<Transfer>& transfers) {
  std::sort(transfers.begin(), transfers.end(),
            [](const Transfer& a, const Transfer& b) { return std::pair(a.peer, a.tag) < std::pair(b.peer, b.tag); });
}

/// Tag of one field of a link. The fields of a link have consecutive tags, so both ends know the tags regardless of
/// their numbers of links.
int field_tag(const HaloProblem& problem, int tag, std::size_t field) {
  return tag * static_cast<int>(problem.fields.size()) + static_cast<int>(field);
}

/// Matches the k-th edge from a rank to a second rank with the k-th edge that the second rank lists from the first, as
/// in MPI's neighborhood collectives.
void add_graph_transfers(HaloProblem& problem, Way way, std::size_t field,
                         const std::vector<std::vector<int>>& points) {
  const auto& peers = way == Way::out ? problem.neighborhood.destinations : problem.neighborhood.sources;
  std::map<int, int> occurrences;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    Transfer transfer;
    transfer.peer = peers[i];
    transfer.field = static_cast<int>(field);
    transfer.tag = field_tag(problem, occurrences[peers[i]]++, field);
    transfer.region.indexed = true;
    transfer.region.points = points[i];
    problem.tag_span = std::max(problem.tag_span, transfer.tag + 1);
    (way == Way::out ? problem.sends : problem.receives).push_back(std::move(transfer));
  }
}

void check_inside(const std::vector<std::vector<int>>& points, const Grid& grid, const std::string& which) {
  for (const auto& list : points) {
    for (const int point : list) {
      require(point >= 0 && point < grid.points(), Code::argument, "the ", which, " has no grid point ", point,
              "; its points are 0 to ", grid.points() - 1);
    }
  }
}

}  // namespace

void build_halo(HaloProblem& problem) {
  const Neighborhood& neighborhood = problem.neighborhood;
  const auto ndims = static_cast<std::size_t>(neighborhood.ndims);
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    const auto& [send, receive, same_buffer] = problem.fields[f];
    require(send.grid.dims.size() == ndims && receive.grid.dims.size() == ndims, Code::argument, "the ",
            name_of(problem, f, "send"), " has ", send.grid.dims.size(), " dimensions, the receive vector has ",
            receive.grid.dims.size(), " and the topology has ", ndims,
            "; pass the same number of dimensions (nc, the entries per grid point, is not a dimension)");
    check_block(send, name_of(problem, f, "send"));
    check_block(receive, name_of(problem, f, "receive"));
  }
  const bool extended = neighborhood.kind == Neighborhood::Kind::extended;
  problem.sends.clear();
  problem.receives.clear();
  int directions = 2 * neighborhood.ndims;
  if (extended) {
    directions = 1;
    for (std::size_t d = 0; d < ndims; ++d) {
      directions *= 3;
    }
  }
  problem.tag_span = directions * static_cast<int>(problem.fields.size());
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    const auto& [send, receive, same_buffer] = problem.fields[f];
    for (const auto& neighbor : neighborhood.neighbors) {
      Transfer transfer;
      transfer.field = static_cast<int>(f);
      transfer.peer = neighbor.rank;
      transfer.phase = link_phase(neighborhood, neighbor.direction);
      if (neighbor.sends) {
        transfer.direction = neighbor.direction;
        transfer.tag = field_tag(problem, direction_tag(transfer.direction, extended), f);
        transfer.region = sent_region(send.grid, send.widths, neighbor.direction);
        problem.sends.push_back(transfer);
      }
      if (neighbor.receives) {
        transfer.direction = opposite(neighbor.direction);
        transfer.tag = field_tag(problem, direction_tag(transfer.direction, extended), f);
        transfer.region = received_region(receive.grid, receive.widths, neighbor.direction);
        problem.receives.push_back(transfer);
      }
    }
  }
  sort_by_peer(problem.sends);
  sort_by_peer(problem.receives);
}

namespace {

void check_points(const HaloProblem& problem, std::size_t field, const GraphPoints& points) {
  const Neighborhood& neighborhood = problem.neighborhood;
  require(
      points.sends.size() == neighborhood.destinations.size() && points.receives.size() == neighborhood.sources.size(),
      Code::argument, "the vmaps have points for ", points.sends.size(), " destinations and ", points.receives.size(),
      " sources, but the graph has ", neighborhood.destinations.size(), " and ", neighborhood.sources.size(),
      "; pass one count per neighbor in the order of MPI_Dist_graph_neighbors");
  check_inside(points.sends, problem.fields[field].send.grid, name_of(problem, field, "send"));
  check_inside(points.receives, problem.fields[field].receive.grid, name_of(problem, field, "receive"));
  std::unordered_set<int> written;
  for (const auto& list : points.receives) {
    for (const int point : list) {
      require(written.insert(point).second, Code::argument, "grid point ", point,
              " is received twice; receive each grid point from one neighbor only");
    }
  }
  for (const auto& list : points.sends) {
    for (const int point : list) {
      require(!problem.fields[field].same_buffer || written.count(point) == 0, Code::argument, "grid point ", point,
              " is sent and received through the same vector; receive into a different vector");
    }
  }
}

}  // namespace

void build_graph(HaloProblem& problem, const std::vector<GraphPoints>& points) {
  problem.sends.clear();
  problem.receives.clear();
  problem.tag_span = 1;
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    check_points(problem, f, points[f]);
    add_graph_transfers(problem, Way::out, f, points[f].sends);
    add_graph_transfers(problem, Way::in, f, points[f].receives);
  }
  sort_by_peer(problem.sends);
  sort_by_peer(problem.receives);
}

}  // namespace adcl
