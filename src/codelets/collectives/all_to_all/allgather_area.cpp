#include "codelets/collectives/all_to_all/allgather_area.hpp"

namespace adcl::codelets {
namespace {

/// Whether the blocks of all ranks lie one behind the other.
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

}  // namespace

AllgatherArea::AllgatherArea(Script& script) : script_(script), direct_(adjacent(script)) {
  std::int64_t end = 0;
  for (int i = 0; i < script.size(); ++i) {
    begins_.push_back(end);
    const Piece block = script.in(i);
    end += direct_ ? block.count : block.bytes();
  }
  begins_.push_back(end);
  all_ = direct_ ? Piece{Place::receive, &script.problem().receive.type(0), 0, end} : script.scratch(end);
  script.copy(script.own(), blocks(script.rank(), script.rank() + 1));
  script.end_round();
}

Piece AllgatherArea::blocks(int first, int last) const {
  const std::int64_t begin = begins_[static_cast<std::size_t>(first)];
  return all_.part(begin, begins_[static_cast<std::size_t>(last)] - begin);
}

void AllgatherArea::finish() {
  for (int i = 0; i < script_.size() && !direct_; ++i) {
    script_.copy(blocks(i, i + 1), script_.in(i));
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
