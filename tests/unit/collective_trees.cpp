// Tests the trees of collectives: parents and children agree, every node is reachable from node 0, and a double tree
// has logarithmic depth and no node that is inner in both trees.
#include "codelets/collectives/trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace adcl::codelets {
namespace {

using NodeOf = std::function<TreeNode(int node, int size)>;

/// Checks a tree of \p size nodes.
void expect_tree(const NodeOf& node_of, int size, const char* name) {
  std::vector<TreeNode> nodes;
  for (int node = 0; node < size; ++node) {
    nodes.push_back(node_of(node, size));
  }
  EXPECT_EQ(nodes.front().parent, -1) << name << ", " << size;
  for (int node = 0; node < size; ++node) {
    for (const int child : nodes[static_cast<std::size_t>(node)].children) {
      ASSERT_TRUE(child > 0 && child < size) << name << ", " << size << ": child " << child << " of " << node;
      EXPECT_EQ(nodes[static_cast<std::size_t>(child)].parent, node) << name << ", " << size << ": child " << child;
    }
    int steps = 0;
    for (int up = node; up != 0; up = nodes[static_cast<std::size_t>(up)].parent) {
      ASSERT_TRUE(up > 0 && up < size && ++steps < size) << name << ", " << size << ": from " << node;
      const auto& siblings = nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(up)].parent)].children;
      EXPECT_EQ(std::count(siblings.begin(), siblings.end(), up), 1) << name << ", " << size << ": " << up;
    }
  }
}

TEST(Trees, ConnectAllNodes) {
  for (int size = 1; size <= 70; ++size) {
    expect_tree(star_node, size, "star");
    expect_tree(chain_node, size, "chain");
    expect_tree(binary_node, size, "binary");
    for (const int radix : {2, 3, 4}) {
      expect_tree([radix](int node, int of) { return knomial_node(node, of, radix); }, size, "k-nomial");
    }
    expect_tree([](int node, int of) { return double_tree_node(node, of)[0]; }, size, "first of two");
    expect_tree([](int node, int of) { return double_tree_node(node, of)[1]; }, size, "second of two");
  }
}

TEST(DoubleTree, HasAtMostOneInnerNodeOfBothTrees) {
  for (int size = 2; size <= 70; ++size) {
    int idle = 0;
    for (int node = 1; node < size; ++node) {
      const auto trees = double_tree_node(node, size);
      EXPECT_TRUE(trees[0].children.empty() || trees[1].children.empty()) << node << " of " << size;
      EXPECT_LE(trees[0].children.size(), 2U);
      EXPECT_LE(trees[1].children.size(), 2U);
      idle += trees[0].children.empty() && trees[1].children.empty() ? 1 : 0;
    }
    EXPECT_LE(idle, 1) << size;
  }
}

TEST(DoubleTree, HasLogarithmicDepth) {
  for (const int size : {2, 9, 64, 1000}) {
    for (int node = 1; node < size; ++node) {
      for (std::size_t tree = 0; tree < 2; ++tree) {
        int depth = 0;
        for (int up = node; up != 0; up = double_tree_node(up, size)[tree].parent) {
          ++depth;
        }
        EXPECT_LE(1 << (depth - 1), 2 * size) << node << " of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace adcl::codelets
