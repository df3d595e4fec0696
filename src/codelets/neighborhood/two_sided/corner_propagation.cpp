#include "codelets/neighborhood/two_sided/corner_propagation.hpp"

#include <algorithm>
#include <utility>

#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/two_sided/dimension_by_dimension.hpp"
#include "core/error.hpp"

namespace adcl::codelets {
namespace {

constexpr auto one_vector = "extended topology; the same vector for sending and receiving";
constexpr auto palmer = "Palmer and Nieplocha 2002 (paper reference 6)";

const Neighborhood::Neighbor* find_neighbor(const Neighborhood& neighborhood, const Direction& direction) {
  const auto& neighbors = neighborhood.neighbors;
  const auto found = std::find_if(neighbors.begin(), neighbors.end(), [&](const Neighborhood::Neighbor& neighbor) {
    return neighbor.direction == direction;
  });
  return found != neighbors.end() ? &*found : nullptr;
}

Direction axis_direction(int ndims, std::size_t dimension, int step) {
  Direction direction(static_cast<std::size_t>(ndims), 0);
  direction[dimension] = step;
  return direction;
}

/// True if a diagonal direction has a neighbor exactly when each of its axes has a neighbor, and if all neighbors send
/// and receive, as on a Cartesian grid.
bool is_product(const Neighborhood& neighborhood) {
  for (const Direction& direction : all_directions(neighborhood.ndims)) {
    bool expected = true;
    for (std::size_t d = 0; d < direction.size(); ++d) {
      expected =
          expected && (direction[d] == 0 ||
                       find_neighbor(neighborhood, axis_direction(neighborhood.ndims, d, direction[d])) != nullptr);
    }
    const auto* neighbor = find_neighbor(neighborhood, direction);
    if (expected != (neighbor != nullptr) || (neighbor != nullptr && !(neighbor->sends && neighbor->receives))) {
      return false;
    }
  }
  return true;
}

const Transfer& transfer_along(const std::vector<Transfer>& transfers, const Direction& direction, int field) {
  return *std::find_if(transfers.begin(), transfers.end(), [&](const Transfer& transfer) {
    return transfer.direction == direction && transfer.field == field;
  });
}

/// Extends the region of the transfer into the halo of all dimensions before \p dimension, on the sides that a neighbor
/// has filled.
void extend(Transfer& transfer, std::size_t dimension, const HaloProblem& problem) {
  const Neighborhood& neighborhood = problem.neighborhood;
  const HaloWidths& widths = problem.array(transfer, Way::in).widths;
  Region& region = transfer.region;
  for (std::size_t d = 0; d < dimension; ++d) {
    if (find_neighbor(neighborhood, axis_direction(neighborhood.ndims, d, -1)) != nullptr) {
      region.start[d] -= widths.left[d];
      region.extent[d] += widths.left[d];
    }
    if (find_neighbor(neighborhood, axis_direction(neighborhood.ndims, d, 1)) != nullptr) {
      region.extent[d] += widths.right[d];
    }
  }
}

void sort_by_peer(std::vector<Transfer>& transfers) {
  std::sort(transfers.begin(), transfers.end(),
            [](const Transfer& a, const Transfer& b) { return std::pair(a.peer, a.tag) < std::pair(b.peer, b.tag); });
}

}  // namespace

std::optional<std::string> without_propagation(const HaloProblem& problem) {
  if (problem.neighborhood.kind != Neighborhood::Kind::extended) {
    return text("a ", problem.neighborhood.kind_name(), " topology has no corners to exchange");
  }
  const bool sent_on = std::all_of(problem.fields.begin(), problem.fields.end(), [](const HaloField& field) {
    const auto& [send, receive, same_buffer] = field;
    return same_buffer && send.grid.dims == receive.grid.dims && send.widths.left == receive.widths.left &&
           send.widths.right == receive.widths.right;
  });
  if (!sent_on) {
    return "sending and receiving use different vectors or halo widths, but data received in one dimension are sent in "
           "the next";
  }
  if (!is_product(problem.neighborhood)) {
    return "the neighbors do not form a Cartesian grid";
  }
  return std::nullopt;
}

std::unique_ptr<HaloProblem> fold_corners(const HaloProblem& problem) {
  auto folded = std::make_unique<HaloProblem>(static_cast<const HaloSetting&>(problem));
  const int ndims = problem.neighborhood.ndims;
  for (std::size_t d = 0; d < static_cast<std::size_t>(ndims); ++d) {
    for (const int step : {-1, 1}) {
      if (find_neighbor(problem.neighborhood, axis_direction(ndims, d, step)) == nullptr) {
        continue;
      }
      for (int field = 0; field < static_cast<int>(problem.fields.size()); ++field) {
        folded->sends.push_back(transfer_along(problem.sends, axis_direction(ndims, d, step), field));
        extend(folded->sends.back(), d, problem);
        folded->receives.push_back(transfer_along(problem.receives, axis_direction(ndims, d, -step), field));
        extend(folded->receives.back(), d, problem);
      }
    }
  }
  sort_by_peer(folded->sends);
  sort_by_peer(folded->receives);
  return folded;
}

namespace {

template <typename Messages>
constexpr Algorithm corner_algorithm() {
  return {[](const Problem& problem) {
            const auto reason = without_propagation(halo(problem));
            return reason ? reason : Messages::applicable(*fold_corners(halo(problem)));
          },
          [](const Problem& problem) { return Messages::bytes(*fold_corners(halo(problem))); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<DimensionByDimension<Messages>>(*fold_corners(halo(problem)), context.comm(),
                                                                    buffers);
          }};
}

}  // namespace

Rows corner_propagation() {
  return {
      {.name = "Ordered_corners",
       .attributes =
           attributes(Partners::dimension_corners, NonContiguous::ddt, Primitive::isend_irecv, Completion::waitall),
       .capabilities = blocking,
       .requirements = one_vector,
       .source = palmer,
       .algorithm = corner_algorithm<DatatypeMessages>(),
       .expectation = growth::flat},
      {.name = "Ordered_corners_pack",
       .attributes =
           attributes(Partners::dimension_corners, NonContiguous::pack, Primitive::isend_irecv, Completion::waitall),
       .capabilities = {.touches_data = true},
       .requirements = one_vector,
       .source = palmer,
       .algorithm = corner_algorithm<PackedMessages>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
