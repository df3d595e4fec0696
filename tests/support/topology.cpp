// Creates MPI's topologies from models.
#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "support/exchange.hpp"

namespace adcl::test {
namespace {

using mpi::check;

std::size_t slot(int value) { return static_cast<std::size_t>(value); }

}  // namespace

Topology::Topology(const TopologyModel& model, MPI_Comm comm) : model_(model) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  if (model.kind == Kind::cartesian || model.kind == Kind::extended) {
    check(MPI_Cart_create(comm, model.ndims, model.grid_dims.data(), model.periodic.data(), 0, &comm_),
          "MPI_Cart_create");
  } else if (model.kind == Kind::graph) {
    const auto& sources = model.sources[slot(rank)];
    const auto& destinations = model.destinations[slot(rank)];
    const std::vector<int> weights(std::max(sources.size(), destinations.size()) + 1, 1);
    check(MPI_Dist_graph_create_adjacent(comm, static_cast<int>(sources.size()), sources.data(), weights.data(),
                                         static_cast<int>(destinations.size()), destinations.data(), weights.data(),
                                         MPI_INFO_NULL, 0, &comm_),
          "MPI_Dist_graph_create_adjacent");
  } else {
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  }
  context_ = mpi::Context::of(comm_);
  if (!model.node_of_rank.empty()) {
    context_->set_nodes(model.node_of_rank[slot(rank)]);
  }
  id_ = context_->next_id();
  neighborhood_.kind = model.kind;
  check(MPI_Comm_rank(comm_, &neighborhood_.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &neighborhood_.size), "MPI_Comm_size");
  neighborhood_.ndims = model.ndims;
  if (model.kind == Kind::graph) {
    ask_graph();
  } else if (model.kind == Kind::generic) {
    take_given();
  } else {
    ask_grid();
  }
}

Topology::~Topology() {
  context_.reset();
  MPI_Comm_free(&comm_);
}

void Topology::ask_grid() {
  const std::size_t ndims = slot(model_.ndims);
  neighborhood_.coords.resize(ndims);
  neighborhood_.grid_dims.resize(ndims);
  neighborhood_.periodic.resize(ndims);
  check(MPI_Cart_get(comm_, model_.ndims, neighborhood_.grid_dims.data(), neighborhood_.periodic.data(),
                     neighborhood_.coords.data()),
        "MPI_Cart_get");
  for (const Direction& direction : all_directions(model_.ndims)) {
    const auto steps = std::count_if(direction.begin(), direction.end(), [](int step) { return step != 0; });
    if (steps > 1 && model_.kind != Kind::extended) {
      continue;
    }
    std::vector<int> there = neighborhood_.coords;
    bool inside = true;
    for (std::size_t d = 0; d < ndims; ++d) {
      there[d] += direction[d];
      inside = inside && (neighborhood_.periodic[d] != 0 || (there[d] >= 0 && there[d] < neighborhood_.grid_dims[d]));
    }
    if (!inside) {
      continue;
    }
    Neighborhood::Neighbor neighbor;
    neighbor.direction = direction;
    check(MPI_Cart_rank(comm_, there.data(), &neighbor.rank), "MPI_Cart_rank");
    neighborhood_.neighbors.push_back(neighbor);
  }
}

void Topology::take_given() {
  const auto me = slot(neighborhood_.rank);
  for (int d = 0; d < model_.ndims; ++d) {
    for (const int step : {-1, 1}) {
      const int peer = (step < 0 ? model_.left : model_.right)[me][slot(d)];
      if (peer < 0) {
        continue;
      }
      Neighborhood::Neighbor neighbor;
      neighbor.direction.assign(slot(model_.ndims), 0);
      neighbor.direction[slot(d)] = step;
      neighbor.rank = peer;
      neighbor.sends = model_.flow == Flow::both || (model_.flow == Flow::left_to_right) == (step > 0);
      neighbor.receives = model_.flow == Flow::both || (model_.flow == Flow::left_to_right) == (step < 0);
      neighborhood_.neighbors.push_back(neighbor);
    }
  }
  if (!model_.grid_dims.empty()) {
    neighborhood_.coords = model_.coords(neighborhood_.rank);
  }
}

void Topology::ask_graph() {
  int n_sources = 0;
  int n_destinations = 0;
  int weighted = 0;
  check(MPI_Dist_graph_neighbors_count(comm_, &n_sources, &n_destinations, &weighted),
        "MPI_Dist_graph_neighbors_count");
  neighborhood_.sources.resize(slot(n_sources));
  neighborhood_.destinations.resize(slot(n_destinations));
  std::vector<int> source_weights(slot(n_sources) + 1);
  std::vector<int> destination_weights(slot(n_destinations) + 1);
  check(MPI_Dist_graph_neighbors(comm_, n_sources, neighborhood_.sources.data(), source_weights.data(), n_destinations,
                                 neighborhood_.destinations.data(), destination_weights.data()),
        "MPI_Dist_graph_neighbors");
  require(neighborhood_.sources == model_.sources[slot(neighborhood_.rank)] &&
              neighborhood_.destinations == model_.destinations[slot(neighborhood_.rank)],
          Code::internal,
          "MPI_Dist_graph_neighbors returns another order than was passed to MPI_Dist_graph_create_adjacent");
}

}  // namespace adcl::test
