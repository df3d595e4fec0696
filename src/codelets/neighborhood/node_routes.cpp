#include "codelets/neighborhood/node_routes.hpp"

#include <algorithm>
#include <array>

#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

using Words = std::array<std::int64_t, 4>;

}  // namespace

NodeLeaders::NodeLeaders(std::span<const int> node_of_rank) : node_of_rank_(node_of_rank) {
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of_rank[rank]);
    ranks_.resize(std::max(ranks_.size(), node + 1));
    ranks_[node].push_back(static_cast<int>(rank));
  }
  for (std::size_t node = 0; node < ranks_.size(); ++node) {
    slots_ = std::max(slots_, slot(static_cast<int>(node), nodes() - 1) + 1);
  }
}

int NodeLeaders::leader(int node, int other) const {
  const auto& ranks = ranks_[static_cast<std::size_t>(node)];
  return ranks[static_cast<std::size_t>(other) % ranks.size()];
}

int NodeLeaders::slot(int node, int other) const {
  return other / static_cast<int>(ranks_[static_cast<std::size_t>(node)].size());
}

Bundles gather_bundles(MPI_Comm node_comm, const NodeLeaders& leaders, const std::vector<Piece>& own, bool outgoing) {
  constexpr int n_words = static_cast<int>(Words().size());
  int size = 0;
  mpi::check(MPI_Comm_size(node_comm, &size), "MPI_Comm_size");
  std::vector<Words> mine;
  for (const Piece& piece : own) {
    mine.push_back({piece.receiver, piece.sender, piece.tag, piece.bytes});
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
    const Piece piece{static_cast<int>(words[0]), static_cast<int>(words[1]), static_cast<int>(words[2]), words[3], 0};
    bundles[leaders.node_of(outgoing ? piece.receiver : piece.sender)].push_back(piece);
  }
  for (auto& [node, bundle] : bundles) {
    std::sort(bundle.begin(), bundle.end());
    std::int64_t offset = 0;
    for (Piece& piece : bundle) {
      piece.offset = offset;
      offset += piece.bytes;
    }
  }
  return bundles;
}

std::int64_t bundle_bytes(const std::vector<Piece>& bundle) {
  return bundle.empty() ? 0 : bundle.back().offset + bundle.back().bytes;
}

}  // namespace adcl::codelets
