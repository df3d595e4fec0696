/// \file trees.hpp
/// Trees of processes, numbered from their root on. Pure.
#pragma once

#include <algorithm>
#include <vector>

namespace adcl::codelets {

/// The neighbours of one node.
struct TreeNode {
  int parent = -1;            ///< -1: it is the root
  std::vector<int> children;  ///< ascending

  /// The children with the largest subtrees first: what they have to do takes longest.
  [[nodiscard]] std::vector<int> largest_first() const { return {children.rbegin(), children.rend()}; }
};

/// All nodes are children of node 0.
inline TreeNode star_node(int node, int size) {
  TreeNode place{node == 0 ? -1 : 0, {}};
  for (int child = 1; node == 0 && child < size; ++child) {
    place.children.push_back(child);
  }
  return place;
}

/// One node after the other.
inline TreeNode chain_node(int node, int size) {
  TreeNode place{node - 1, {}};
  if (node + 1 < size) {
    place.children.push_back(node + 1);
  }
  return place;
}

/// Two children each, level by level.
inline TreeNode binary_node(int node, int size) {
  TreeNode place{node == 0 ? -1 : (node - 1) / 2, {}};
  for (int child = 2 * node + 1; child <= 2 * node + 2 && child < size; ++child) {
    place.children.push_back(child);
  }
  return place;
}

/// The k-nomial tree of base \p radix, 2 at least, by which a node leads the nodes that follow it: what they have,
/// together with its own, is of consecutive nodes.
inline TreeNode knomial_node(int node, int size, int radix) {
  const int base = std::max(radix, 2);
  TreeNode place;
  int stride = 1;
  for (; stride < size && (node / stride) % base == 0; stride *= base) {
    for (int j = 1; j < base && node + j * stride < size; ++j) {
      place.children.push_back(node + j * stride);
    }
  }
  if (node > 0) {
    place.parent = node - (node / stride) % base * stride;
  }
  return place;
}

/// How many nodes \p node leads in a k-nomial tree, itself included.
inline int knomial_subtree(int node, int size, int radix) {
  const int base = std::max(radix, 2);
  int stride = 1;
  while (stride < size && (node / stride) % base == 0) {
    stride *= base;
  }
  return std::min(stride, size - node);
}

/// Which tree, as a template argument; `radix` is of the k-nomial one.
enum class Tree { star, chain, binary, knomial };

inline TreeNode node_of(Tree tree, int radix, int node, int size) {
  switch (tree) {
    case Tree::star:
      return star_node(node, size);
    case Tree::chain:
      return chain_node(node, size);
    case Tree::binary:
      return binary_node(node, size);
    default:
      return knomial_node(node, size, radix);
  }
}

}  // namespace adcl::codelets
