/// \file trees.hpp
/// Trees of processes, numbered from their root. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace adcl::codelets {

/// The neighbors of one node.
struct TreeNode {
  int parent = -1;            ///< -1 for the root
  std::vector<int> children;  ///< the largest subtree last

  /// The children in descending order of their subtrees' sizes, because the largest subtrees take longest.
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

/// A chain of all nodes.
inline TreeNode chain_node(int node, int size) {
  TreeNode place{node - 1, {}};
  if (node + 1 < size) {
    place.children.push_back(node + 1);
  }
  return place;
}

/// A binary tree, numbered level by level.
inline TreeNode binary_node(int node, int size) {
  TreeNode place{node == 0 ? -1 : (node - 1) / 2, {}};
  for (int child = 2 * node + 1; child <= 2 * node + 2 && child < size; ++child) {
    place.children.push_back(child);
  }
  return place;
}

/// The k-nomial tree of base \p radix, at least 2. The subtree of a node consists of consecutive nodes that begin with
/// it.
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

/// Number of nodes in the subtree of \p node in a k-nomial tree, including \p node.
inline int knomial_subtree(int node, int size, int radix) {
  const int base = std::max(radix, 2);
  int stride = 1;
  while (stride < size && (node / stride) % base == 0) {
    stride *= base;
  }
  return std::min(stride, size - node);
}

/// Node \p place, counted from 1, of a binary tree of \p places nodes that are numbered in order (left subtree, node,
/// right subtree); odd places are leaves. The parent of the highest node is 0.
inline TreeNode inorder_node(int place, int places) {
  const int low = place & -place;
  TreeNode node;
  for (int step = low / 2; step > 0; step /= 2) {
    if (place + step <= places) {
      node.children.push_back(place + step);
      break;
    }
  }
  if (low > 1) {
    node.children.push_back(place - low / 2);
  }
  node.parent = place;
  for (int step = low; node.parent == place || node.parent > places; step *= 2) {
    if (2 * step > places && (node.parent & (2 * step)) == 0) {
      node.parent = 0;
      break;
    }
    node.parent += (node.parent & (2 * step)) != 0 ? -step : step;
  }
  return node;
}

/// The two trees of Sanders, Speck and Traeff: an inner node of one tree is a leaf of the other tree, except for at
/// most one node. Node 0 has one child in each tree.
inline std::array<TreeNode, 2> double_tree_node(int node, int size) {
  const int places = size - 1;
  const bool mirrored = places % 2 == 0;
  const auto place_of = [&](int x) { return mirrored ? places + 1 - x : x % places + 1; };
  const auto node_at = [&](int y) { return y == 0 ? 0 : mirrored ? places + 1 - y : (y - 2 + places) % places + 1; };
  std::array<TreeNode, 2> trees;
  if (node == 0) {
    const int top = places > 0 ? static_cast<int>(std::bit_floor(static_cast<unsigned>(places))) : 0;
    if (places > 0) {
      trees[0].children = {top};
      trees[1].children = {node_at(top)};
    }
    return trees;
  }
  trees[0] = inorder_node(node, places);
  trees[1] = inorder_node(place_of(node), places);
  trees[1].parent = node_at(trees[1].parent);
  for (int& child : trees[1].children) {
    child = node_at(child);
  }
  return trees;
}

/// Kind of tree, as a template argument; `radix` applies to the k-nomial tree.
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
