#include "codelets/collectives/all_to_all/allgather_area.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace adcl::codelets {
namespace {

/// True if the blocks of all ranks are adjacent, in the order of the ranks.
bool adjacent(const Script& script) {
  const Blocks& blocks = script.problem().receive;
  std::int64_t end = 0;
  for (int i = 0; i < script.size() && !blocks.uniform(); ++i) {
    const Piece block = script.in(i);
    if (block.count > 0 && block.offset != end) {
      return false;
    }
    end += block.count * block.type->extent_bytes();
  }
  return true;
}

std::vector<int> in_order(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

AllgatherArea::AllgatherArea(Script& script) : AllgatherArea(script, in_order(script.size())) {}

AllgatherArea::AllgatherArea(Script& script, std::vector<int> ranks)
    : script_(script),
      ranks_(std::move(ranks)),
      direct_(std::is_sorted(ranks_.begin(), ranks_.end()) && adjacent(script)) {
  std::int64_t end = 0;
  for (const int rank : ranks_) {
    begins_.push_back(end);
    const Piece block = script.in(rank);
    end += direct_ ? block.count : block.bytes();
  }
  begins_.push_back(end);
  all_ = direct_ ? Piece{Place::receive, &script.problem().receive.type(0), 0, end} : script.scratch(end);
  const auto own = static_cast<int>(std::find(ranks_.begin(), ranks_.end(), script.rank()) - ranks_.begin());
  script.copy(script.own(), blocks(own, own + 1));
  script.end_round();
}

Piece AllgatherArea::blocks(int first, int last) const {
  const std::int64_t begin = begins_[static_cast<std::size_t>(first)];
  return all_.part(begin, begins_[static_cast<std::size_t>(last)] - begin);
}

void AllgatherArea::finish() {
  for (int i = 0; i < script_.size() && !direct_; ++i) {
    script_.copy(blocks(i, i + 1), script_.in(ranks_[static_cast<std::size_t>(i)]));
  }
}

RotatedArea::RotatedArea(Script& script) : script_(script) {
  std::int64_t end = 0;
  for (int i = 0; i < script.size(); ++i) {
    begins_.push_back(end);
    end += script.in(script.around(i)).bytes();
  }
  begins_.push_back(end);
  all_ = script.scratch(end);
  script.copy(script.own(), blocks(0, 1));
  script.end_round();
}

Piece RotatedArea::blocks(int first, int last) const {
  const std::int64_t begin = begins_[static_cast<std::size_t>(first)];
  return all_.part(begin, begins_[static_cast<std::size_t>(last)] - begin);
}

void RotatedArea::finish() {
  for (int i = 0; i < script_.size(); ++i) {
    script_.copy(blocks(i, i + 1), script_.in(script_.around(i)));
  }
}

}  // namespace adcl::codelets
