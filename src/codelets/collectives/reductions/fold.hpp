/// \file fold.hpp
/// What reductions have in common: a partial result that grows to either side.
#pragma once

#include "codelets/collectives/schedule.hpp"

namespace adcl::codelets {

/// The combined values of consecutive ranks. They lie where the last combination has left them.
class Fold {
 public:
  /// Begins with \p first, which is not written to unless it is \p writable.
  Fold(Script& script, const Piece& first, bool writable) : script_(script), value_(first), writable_(writable) {}

  [[nodiscard]] const Piece& value() const noexcept { return value_; }

  /// Values of the ranks behind follow, which lie at \p right and are written over.
  void append(const Piece& right) {
    script_.combine(value_, right);
    value_ = right;
    writable_ = true;
  }
  /// Values of the ranks before come to the front; \p left is only read. Without a place of its own the value moves to
  /// \p place first.
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
