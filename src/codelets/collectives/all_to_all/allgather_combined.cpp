// A gather to rank 0, then a broadcast. Performance guideline: an allgather should not be slower than a gather and a
// broadcast.
#include "codelets/collectives/all_to_all/allgather_area.hpp"
#include "codelets/collectives/one_to_all/bcast_tree.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {
namespace {

void gather_bcast(Script& script) {
  AllgatherArea area(script);
  const int p = script.size();
  const TreeNode node = knomial_node(script.rank(), p, 2);
  for (const int child : node.children) {
    script.receive(child, area.blocks(child, child + knomial_subtree(child, p, 2)));
  }
  script.end_round();
  if (node.parent >= 0) {
    script.send(node.parent, area.blocks(script.rank(), script.rank() + knomial_subtree(script.rank(), p, 2)));
    script.end_round();
    script.receive(node.parent, area.blocks(0, p));
    script.end_round();
  }
  for (const int child : node.largest_first()) {
    script.send(child, area.blocks(0, p));
  }
  script.end_round();
  area.finish();
}

}  // namespace

Rows allgather_combined() {
  return {row<&gather_bcast, Needs{.ranks = 3}>("Gather_bcast", {Family::combined}, source::guidelines, "p")};
}

}  // namespace adcl::codelets
