#include "support/nodes.hpp"

#include <cstddef>
#include <map>

namespace adcl::test {

Nodes nodes_seen(const std::vector<int>& node_of_rank, int rank) {
  std::map<int, int> numbers;
  std::vector<std::vector<int>> ranks;
  Nodes nodes;
  for (std::size_t r = 0; r < node_of_rank.size(); ++r) {
    const int number = numbers.try_emplace(node_of_rank[r], static_cast<int>(numbers.size())).first->second;
    ranks.resize(numbers.size());
    ranks[static_cast<std::size_t>(number)].push_back(static_cast<int>(r));
    nodes.hash += node_hash(static_cast<int>(r), number);
  }
  nodes.count = static_cast<int>(ranks.size());
  nodes.smallest = static_cast<int>(node_of_rank.size());
  for (const auto& members : ranks) {
    nodes.smallest = std::min(nodes.smallest, static_cast<int>(members.size()));
  }
  nodes.own = numbers.at(node_of_rank.at(static_cast<std::size_t>(rank)));
  nodes.ranks = ranks[static_cast<std::size_t>(nodes.own)];
  return nodes;
}

}  // namespace adcl::test
