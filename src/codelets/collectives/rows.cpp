#include "codelets/collectives/rows.hpp"

#include <bit>

namespace adcl::codelets {

std::string requirements_of(const Needs& needs) {
  std::string all;
  const auto add = [&all](bool needed, const std::string& sentence) {
    if (needed) {
      all += (all.empty() ? "" : "; ") + sentence;
    }
  };
  add(needs.ranks > 2, text("at least ", needs.ranks, " processes"));
  add(needs.ranks == 2, "several processes");
  add(needs.even, "an even number of processes");
  add(needs.power_of_two, "a number of processes that is a power of two");
  add(needs.commutative, "a commutative operation");
  add(needs.alike, "the same count on all processes");
  add(needs.segment_bytes > 0, text("more than ", needs.segment_bytes, " bytes"));
  return all;
}

std::optional<std::string> objection(const CollectiveProblem& problem, const Needs& needs) {
  const auto processes = static_cast<unsigned>(problem.size);
  if (problem.size < needs.ranks) {
    return text("needs at least ", needs.ranks, " processes");
  }
  if (needs.even && problem.size % 2 != 0) {
    return "needs an even number of processes";
  }
  if (needs.power_of_two && !std::has_single_bit(processes)) {
    return "needs a number of processes that is a power of two";
  }
  if (needs.commutative && !problem.commutative) {
    return "the operation is not commutative";
  }
  if (needs.alike && !problem.alike) {
    return "the processes divide the data into entries of different sizes";
  }
  if (needs.segment_bytes > 0 && problem.block_bytes() <= needs.segment_bytes) {
    return text("the data fit into one segment of ", needs.segment_bytes, " bytes");
  }
  return std::nullopt;
}

}  // namespace adcl::codelets
