// Barriers: messages without data.
#include "codelets/collectives/rows.hpp"
#include "codelets/collectives/trees.hpp"

namespace adcl::codelets {
namespace {

/// Signals go up a tree to the root and down again.
template <Tree tree, int radix>
void up_and_down(Script& script) {
  const TreeNode node = node_of(tree, radix, script.rank(), script.size());
  for (const int child : node.children) {
    script.await(child);
  }
  script.end_round();
  if (node.parent >= 0) {
    script.signal(node.parent);
    script.end_round();
    script.await(node.parent);
    script.end_round();
  }
  for (const int child : node.children) {
    script.signal(child);
  }
}

/// After round k, each rank has a direct or indirect signal from all ranks at distances less than radix^k before it.
template <int radix>
void dissemination(Script& script) {
  for (int distance = 1; distance < script.size(); distance *= radix) {
    for (int digit = 1; digit < radix && digit * distance < script.size(); ++digit) {
      script.signal(script.around(digit * distance));
      script.await(script.around(-digit * distance));
    }
    script.end_round();
  }
}

void doubling(Script& script) {
  for (int distance = 1; distance < script.size(); distance *= 2) {
    script.signal(script.rank() ^ distance);
    script.await(script.rank() ^ distance);
    script.end_round();
  }
}

}  // namespace

Rows barriers() {
  constexpr auto dissemination_source = "Hensgen, Finkel and Manber, Int. J. Parallel Program. 17 (1988)";
  return {
      row<&up_and_down<Tree::star, 0>, Needs{.ranks = 1}>("Linear", {Family::linear}, source::pjesivac, "p"),
      row<&dissemination<2>, Needs{.ranks = 3}>("Dissemination", {.family = Family::bruck, .radix = 2},
                                                dissemination_source, "log p"),
      row<&dissemination<4>, Needs{.ranks = 4}>("Dissemination_4", {.family = Family::bruck, .radix = 4},
                                                dissemination_source, "log p"),
      row<&doubling, Needs{.ranks = 2, .power_of_two = true}>("Doubling", {Family::doubling}, source::pjesivac,
                                                              "log p"),
      row<&up_and_down<Tree::knomial, 2>, Needs{.ranks = 3}>("Binomial", {.family = Family::tree, .radix = 2},
                                                             source::pjesivac, "log p"),
      shared_row<&up_and_down<Tree::star, 0>, Needs{}>("Linear", {Family::linear}, source::pjesivac, "p"),
      shared_row<&dissemination<2>, Needs{}>("Dissemination", {.family = Family::bruck, .radix = 2},
                                             dissemination_source, "log p"),
      row<&up_and_down<Tree::knomial, 4>, Needs{.ranks = 5}>("Knomial_4", {.family = Family::tree, .radix = 4},
                                                             source::pjesivac, "log p"),
  };
}

}  // namespace adcl::codelets
