#include "data/topology.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "mpi/topology.hpp"

namespace adcl::data {
namespace {

using Kind = Neighborhood::Kind;

std::shared_ptr<Topology> make_topology(MPI_Comm comm, Kind kind) {
  auto topology = std::make_shared<Topology>();
  topology->context = mpi::Context::of(comm);
  topology->id = topology->context->next_id();
  topology->neighborhood.kind = kind;
  topology->neighborhood.rank = topology->context->rank();
  topology->neighborhood.size = topology->context->size();
  return topology;
}

void read_cartesian(Neighborhood& neighborhood, MPI_Comm comm) {
  mpi::check(MPI_Cartdim_get(comm, &neighborhood.ndims), "MPI_Cartdim_get");
  const auto n = static_cast<std::size_t>(neighborhood.ndims);
  neighborhood.grid_dims.resize(n);
  neighborhood.periodic.resize(n);
  neighborhood.coords.resize(n);
  mpi::check(MPI_Cart_get(comm, neighborhood.ndims, neighborhood.grid_dims.data(), neighborhood.periodic.data(),
                          neighborhood.coords.data()),
             "MPI_Cart_get");
}

/// The rank at a displacement, or MPI_PROC_NULL outside the grid. MPI_Cart_rank wraps periodic coordinates.
int rank_at(const Neighborhood& neighborhood, const Direction& direction, MPI_Comm comm) {
  std::vector<int> coords = neighborhood.coords;
  for (std::size_t d = 0; d < coords.size(); ++d) {
    coords[d] += direction[d];
    if (neighborhood.periodic[d] == 0 && (coords[d] < 0 || coords[d] >= neighborhood.grid_dims[d])) {
      return MPI_PROC_NULL;
    }
  }
  int rank = MPI_PROC_NULL;
  mpi::check(MPI_Cart_rank(comm, coords.data(), &rank), "MPI_Cart_rank");
  return rank;
}

void add_neighbor(Neighborhood& neighborhood, const Direction& direction, int rank, bool sends, bool receives) {
  if (rank != MPI_PROC_NULL) {
    neighborhood.neighbors.push_back({direction, rank, sends, receives});
  }
}

Direction unit(int ndims, int axis, int step) {
  Direction direction(static_cast<std::size_t>(ndims), 0);
  direction[static_cast<std::size_t>(axis)] = step;
  return direction;
}

void read_graph(Topology& topology, MPI_Comm comm) {
  int n_sources = 0;
  int n_destinations = 0;
  int weighted = 0;
  mpi::check(MPI_Dist_graph_neighbors_count(comm, &n_sources, &n_destinations, &weighted),
             "MPI_Dist_graph_neighbors_count");
  Neighborhood& neighborhood = topology.neighborhood;
  neighborhood.sources.resize(static_cast<std::size_t>(n_sources));
  neighborhood.destinations.resize(static_cast<std::size_t>(n_destinations));
  std::vector<int> source_weights(static_cast<std::size_t>(n_sources) + 1);
  std::vector<int> destination_weights(static_cast<std::size_t>(n_destinations) + 1);
  mpi::check(MPI_Dist_graph_neighbors(comm, n_sources, neighborhood.sources.data(), source_weights.data(),
                                      n_destinations, neighborhood.destinations.data(), destination_weights.data()),
             "MPI_Dist_graph_neighbors");
  topology.has_neighbors = true;
}

/// This rank's term of a sum over all ranks. The sum is zero exactly if receivers list every edge that senders list (up
/// to hash collisions), so every rank detects an inconsistent neighborhood without sending messages that no rank
/// receives.
std::uint64_t edge_balance(const Neighborhood& neighborhood) {
  std::uint64_t balance = 0;
  const auto edge = [](int from, int to, const Direction& direction) {
    return Hash().add(static_cast<std::uint64_t>(from)).add(static_cast<std::uint64_t>(to)).add_all(direction).value();
  };
  for (const auto& neighbor : neighborhood.neighbors) {
    if (neighbor.sends) {
      balance += edge(neighborhood.rank, neighbor.rank, neighbor.direction);
    }
    if (neighbor.receives) {
      Direction moving = neighbor.direction;
      std::for_each(moving.begin(), moving.end(), [](int& step) { step = -step; });
      balance -= edge(neighbor.rank, neighborhood.rank, moving);
    }
  }
  return balance;
}

void check_generic(int ndims, const int* lneighbors, const int* rneighbors, int direction, int size) {
  require(ndims >= 1, Code::argument, "ndims is ", ndims, "; a topology has at least one dimension");
  require(lneighbors != nullptr && rneighbors != nullptr, Code::argument,
          "lneighbors or rneighbors is a null pointer; pass arrays of ndims ranks, with MPI_PROC_NULL for a missing "
          "neighbor");
  require(direction >= 0 && direction <= 2, Code::argument, "direction is ", direction,
          "; pass ADCL_DIRECTION_BOTH, ADCL_DIRECTION_LEFT_TO_RIGHT or ADCL_DIRECTION_RIGHT_TO_LEFT");
  for (int d = 0; d < ndims; ++d) {
    for (const int rank : {lneighbors[d], rneighbors[d]}) {
      require(rank == MPI_PROC_NULL || (rank >= 0 && rank < size), Code::argument, "neighbor ", rank, " of dimension ",
              d, " is not a rank of the communicator, which has ", size,
              " ranks; pass MPI_PROC_NULL for a missing neighbor");
    }
  }
}

}  // namespace

std::shared_ptr<Topology> topology_of(MPI_Comm comm, int root) {
  auto topology = make_topology(comm, Kind::cartesian);
  Neighborhood& neighborhood = topology->neighborhood;
  mpi::run_collectively(topology->context->comm(), [&] {
    require(root >= 0 && root < neighborhood.size, Code::argument, "root is ", root,
            ", but the communicator has ranks 0 to ", neighborhood.size - 1);
    topology->root = root;
    const int kind = mpi::topology_kind(comm);
    if (kind == MPI_CART) {
      topology->has_neighbors = true;
      read_cartesian(neighborhood, comm);
      for (int d = 0; d < neighborhood.ndims; ++d) {
        for (const int step : {-1, 1}) {
          const Direction direction = unit(neighborhood.ndims, d, step);
          add_neighbor(neighborhood, direction, rank_at(neighborhood, direction, comm), true, true);
        }
      }
    } else if (kind == MPI_DIST_GRAPH) {
      neighborhood.kind = Kind::graph;
      read_graph(*topology, comm);
    }
  });
  return topology;
}

std::shared_ptr<Topology> generic_topology(int ndims, const int* lneighbors, const int* rneighbors, const int* coords,
                                           int direction, MPI_Comm comm) {
  auto topology = make_topology(comm, Kind::generic);
  Neighborhood& neighborhood = topology->neighborhood;
  mpi::Ballot ballot;
  const auto failure = mpi::error_of([&] {
    check_generic(ndims, lneighbors, rneighbors, direction, neighborhood.size);
    neighborhood.ndims = ndims;
    if (coords != nullptr) {
      neighborhood.coords.assign(coords, coords + ndims);
    }
    for (int d = 0; d < ndims; ++d) {
      add_neighbor(neighborhood, unit(ndims, d, -1), lneighbors[d], direction != 1, direction != 2);
      add_neighbor(neighborhood, unit(ndims, d, 1), rneighbors[d], direction != 2, direction != 1);
    }
  });
  const std::uint64_t shape =
      Hash().add(static_cast<std::uint64_t>(ndims)).add(static_cast<std::uint64_t>(direction)).value();
  ballot.same("shape", shape);
  ballot.add("edges", failure.has_value() ? 0 : edge_balance(neighborhood));
  if (failure.has_value()) {
    ballot.fail();
  }
  const mpi::Ballot combined = mpi::combine(*topology->context, ballot);
  if (combined.failed()) {
    mpi::share_error(topology->context->comm(), failure);
  }
  require(combined.agreed("shape"), Code::mismatch,
          "ndims or direction differs between ranks; pass the same values on all ranks");
  require(combined.sum("edges") == 0, Code::mismatch,
          "the neighbors do not match; if rank b is the right neighbor of rank "
          "a in a dimension, a must be the left neighbor of b");
  topology->has_neighbors = true;
  return topology;
}

std::shared_ptr<Topology> extended_topology(MPI_Comm cart_comm) {
  auto topology = make_topology(cart_comm, Kind::extended);
  Neighborhood& neighborhood = topology->neighborhood;
  mpi::run_collectively(topology->context->comm(), [&] {
    require(mpi::topology_kind(cart_comm) == MPI_CART, Code::argument,
            "the communicator has no Cartesian topology; create one with MPI_Cart_create");
    read_cartesian(neighborhood, cart_comm);
    for (const Direction& direction : all_directions(neighborhood.ndims)) {
      add_neighbor(neighborhood, direction, rank_at(neighborhood, direction, cart_comm), true, true);
    }
    topology->has_neighbors = true;
  });
  return topology;
}

}  // namespace adcl::data
