// An all-to-all in which two nodes exchange one message in each direction: the ranks of a node pass their blocks for
// another node to one rank of their node, the agent. The agent sends all these blocks to one rank of the other node,
// which distributes them. If there are enough ranks, each other node has a different agent. Blocks within a node are
// sent directly.
#include <algorithm>

#include "codelets/collectives/node/node_rows.hpp"

namespace adcl::codelets {
namespace {

/// Returns the rank of \p node that exchanges with node \p other.
int agent(const NodeMap& map, int node, int other) {
  const auto& ranks = map.ranks(node);
  return ranks[static_cast<std::size_t>(other) % ranks.size()];
}

/// Data that this rank exchanges with another node on behalf of its own node.
struct Exchange {
  int node = 0;
  int peer = 0;
  Piece out;  ///< the blocks of each rank of this node, for each rank of the other node
  Piece in;   ///< the received blocks, ordered by the ranks of the other node
};

class Writer {
 public:
  Writer(Script& script, const NodeMap& map)
      : script_(script), map_(map), own_(map.ranks(map.own())), block_(script.in(0).bytes()) {}

  void write() {
    hand_over();
    script_.end_round();
    for (const Exchange& with : exchanges_) {
      script_.receive(with.peer, with.in);
      script_.send(with.peer, with.out);
    }
    script_.end_round();
    distribute();
  }

 private:
  [[nodiscard]] std::int64_t ranks_of(int node) const { return static_cast<std::int64_t>(map_.ranks(node).size()); }

  /// Packs the blocks for each other node and sends them to its agent, and the blocks for this node to their receivers.
  void hand_over() {
    const auto mine = static_cast<std::int64_t>(own_.size());
    std::vector<Piece> packed;
    for (int node = 0; node < map_.nodes(); ++node) {
      packed.push_back(node == map_.own() ? Piece{} : script_.scratch(ranks_of(node) * block_));
      for (std::int64_t i = 0; node != map_.own() && i < ranks_of(node); ++i) {
        script_.copy(script_.out(map_.ranks(node)[static_cast<std::size_t>(i)]),
                     packed.back().part(i * block_, block_));
      }
    }
    script_.end_round();
    for (int node = 0; node < map_.nodes(); ++node) {
      if (node == map_.own()) {
        continue;
      }
      const std::int64_t bytes = ranks_of(node) * block_;
      const int through = agent(map_, map_.own(), node);
      const Piece& own_part = packed[static_cast<std::size_t>(node)];
      if (through != script_.rank()) {
        script_.send(through, own_part);
        continue;
      }
      exchanges_.push_back(
          {node, agent(map_, node, map_.own()), script_.scratch(mine * bytes), script_.scratch(mine * bytes)});
      own_parts_.push_back(own_part);
      for (std::int64_t i = 0; i < mine; ++i) {
        const int rank = own_[static_cast<std::size_t>(i)];
        if (rank != script_.rank()) {
          script_.receive(rank, exchanges_.back().out.part(i * bytes, bytes));
        }
      }
    }
    for (const int rank : own_) {
      if (rank != script_.rank()) {
        script_.receive(rank, script_.in(rank));
        script_.send(rank, script_.out(rank));
      }
    }
    script_.copy(script_.out(script_.rank()), script_.in(script_.rank()));
    const auto me = std::find(own_.begin(), own_.end(), script_.rank()) - own_.begin();
    for (std::size_t e = 0; e < exchanges_.size(); ++e) {
      const std::int64_t bytes = ranks_of(exchanges_[e].node) * block_;
      script_.copy(own_parts_[e], exchanges_[e].out.part(me * bytes, bytes));
    }
  }

  /// Sorts the received blocks by receiver, distributes them, and unpacks the blocks for this rank.
  void distribute() {
    const auto mine = static_cast<std::int64_t>(own_.size());
    std::vector<Piece> sorted;
    for (const Exchange& with : exchanges_) {
      const std::int64_t theirs = ranks_of(with.node);
      sorted.push_back(script_.scratch(mine * theirs * block_));
      for (std::int64_t i = 0; i < mine; ++i) {
        for (std::int64_t j = 0; j < theirs; ++j) {
          script_.copy(with.in.part((j * mine + i) * block_, block_),
                       sorted.back().part((i * theirs + j) * block_, block_));
        }
      }
    }
    script_.end_round();
    std::size_t next = 0;
    std::vector<Piece> got;
    for (int node = 0; node < map_.nodes(); ++node) {
      got.emplace_back();
      if (node == map_.own()) {
        continue;
      }
      const std::int64_t bytes = ranks_of(node) * block_;
      const int through = agent(map_, map_.own(), node);
      if (through != script_.rank()) {
        got.back() = script_.scratch(bytes);
        script_.receive(through, got.back());
        continue;
      }
      for (std::int64_t i = 0; i < mine; ++i) {
        const Piece part = sorted[next].part(i * bytes, bytes);
        const int rank = own_[static_cast<std::size_t>(i)];
        if (rank == script_.rank()) {
          got.back() = part;
        } else {
          script_.send(rank, part);
        }
      }
      ++next;
    }
    unpack(got);
  }

  void unpack(const std::vector<Piece>& got) {
    for (int node = 0; node < map_.nodes(); ++node) {
      for (std::int64_t j = 0; node != map_.own() && j < ranks_of(node); ++j) {
        script_.copy(got[static_cast<std::size_t>(node)].part(j * block_, block_),
                     script_.in(map_.ranks(node)[static_cast<std::size_t>(j)]));
      }
    }
  }

  Script& script_;
  const NodeMap& map_;
  const std::vector<int>& own_;
  std::int64_t block_;
  std::vector<Exchange> exchanges_;
  std::vector<Piece> own_parts_;  ///< packed blocks of this rank for each exchange
};

void aggregated(Script& script, const NodeMap& map) { Writer(script, map).write(); }

constexpr Attributes several{.family = Family::linear, .leaders = NodeMap::most_leaders};

}  // namespace

Rows node_alltoall() {
  return {node_row<&aggregated, Needs{}, NodeView::all>("Aggregate", several, source::factor, "p"),
          shared_node_row<&aggregated, Needs{}, NodeView::all>("Aggregate", several, source::factor, "p")};
}

}  // namespace adcl::codelets
