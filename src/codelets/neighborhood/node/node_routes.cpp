#include "codelets/neighborhood/node/node_routes.hpp"

#include <algorithm>
#include <array>

#include "codelets/neighborhood/messages.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

using Words = std::array<std::int64_t, 6>;

}  // namespace

FarNodes::FarNodes(const HaloProblem& problem) : peers_(neighbors_of(problem)) {
  std::erase_if(peers_, [&](int peer) { return problem.is_near(peer); });
  nodes_.resize(peers_.size());
  sent_.resize(peers_.size());
  received_.resize(peers_.size());
  requests_.resize(2 * peers_.size(), MPI_REQUEST_NULL);
}

void FarNodes::exchange_nodes(const HaloProblem& problem, MPI_Comm comm) {
  const Nodes& own = *problem.nodes;
  std::fill(sent_.begin(), sent_.end(), own.own);
  exchange(comm, problem.tag_base);
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    nodes_[i].node = received_[i];
    sent_[i] = leader_for(own, received_[i]);
  }
  exchange(comm, problem.tag_base);
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    nodes_[i].leader = received_[i];
  }
}

void FarNodes::exchange(MPI_Comm comm, int tag) {
  const std::size_t n = peers_.size();
  for (std::size_t i = 0; i < n; ++i) {
    mpi::check(MPI_Irecv(&received_[i], 1, MPI_INT, peers_[i], tag, comm, &requests_[i]), "MPI_Irecv");
  }
  for (std::size_t i = 0; i < n; ++i) {
    mpi::check(MPI_Isend(&sent_[i], 1, MPI_INT, peers_[i], tag, comm, &requests_[n + i]), "MPI_Isend");
  }
  mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

FarNode FarNodes::of(int peer) const {
  const auto place = std::lower_bound(peers_.begin(), peers_.end(), peer);
  return nodes_[static_cast<std::size_t>(place - peers_.begin())];
}

Bundles gather_bundles(MPI_Comm node_comm, const std::vector<Share>& own) {
  constexpr int n_words = static_cast<int>(Words().size());
  int size = 0;
  mpi::check(MPI_Comm_size(node_comm, &size), "MPI_Comm_size");
  std::vector<Words> mine;
  for (const auto& [piece, far] : own) {
    mine.push_back({piece.receiver, piece.sender, piece.tag, piece.bytes, far.node, far.leader});
  }
  const int count = static_cast<int>(mine.size()) * n_words;
  std::vector<int> counts(static_cast<std::size_t>(size));
  std::vector<int> displacements(counts.size() + 1, 0);
  mpi::check(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, node_comm), "MPI_Allgather");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    displacements[i + 1] = displacements[i] + counts[i];
  }
  std::vector<Words> all(static_cast<std::size_t>(displacements.back() / n_words));
  mpi::check(MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), displacements.data(),
                            MPI_INT64_T, node_comm),
             "MPI_Allgatherv");
  Bundles bundles;
  for (const Words& words : all) {
    Bundle& bundle = bundles[static_cast<int>(words[4])];
    bundle.far_leader = static_cast<int>(words[5]);
    bundle.pieces.push_back(
        {static_cast<int>(words[0]), static_cast<int>(words[1]), static_cast<int>(words[2]), words[3], 0});
  }
  for (auto& [node, bundle] : bundles) {
    std::sort(bundle.pieces.begin(), bundle.pieces.end());
    std::int64_t offset = 0;
    for (Piece& piece : bundle.pieces) {
      piece.offset = offset;
      offset += piece.bytes;
    }
  }
  return bundles;
}

std::int64_t bundle_bytes(const Bundle& bundle) {
  return bundle.pieces.empty() ? 0 : bundle.pieces.back().offset + bundle.pieces.back().bytes;
}

}  // namespace adcl::codelets
