/// \file fold.hpp
/// A partial result that grows on either side, for reductions.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The combined values of consecutive ranks, at the location where the last combination stored them.
class Fold {
 public:
  /// Begins with \p first, which is modified only if it is \p writable.
  Fold(Script& script, const Piece& first, bool writable) : script_(script), value_(first), writable_(writable) {}

  [[nodiscard]] const Piece& value() const noexcept { return value_; }

  /// Appends the values of the following ranks, which are at \p right and are overwritten.
  void append(const Piece& right) {
    script_.combine(value_, right);
    value_ = right;
    writable_ = true;
  }
  /// Prepends the values of the preceding ranks, which are at \p left and are not modified. If the value is not
  /// writable, it is first copied to \p place.
  void prepend(const Piece& left, const Piece& place) {
    if (!writable_) {
      script_.copy(value_, place);
      value_ = place;
      writable_ = true;
    }
    script_.combine(left, value_);
  }

 private:
  Script& script_;
  Piece value_;
  bool writable_;
};

}  // namespace adcl::codelets
