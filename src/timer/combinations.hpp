/// \file combinations.hpp
/// Enumerates meta-codelets, which have one candidate per coordinate: all combinations at once, or one coordinate after
/// the other. Pure. Source: thesis section 6.2.2.
#pragma once

#include <cstddef>
#include <vector>

namespace adcl::runtime {

/// Stages of a search. Each has a list of choices, one candidate per coordinate; the caller reports which choice was
/// the fastest.
class Combinations {
 public:
  Combinations() = default;
  /// \p sizes: candidates per coordinate, at least one each; \p first: a combination that can run. Up to \p limit
  /// combinations form one stage. Otherwise each coordinate forms a stage, in the order of the coordinates, round after
  /// round.
  Combinations(std::vector<int> sizes, const std::vector<int>& first, long long limit);

  /// The choices that the stage compares; by coordinate, the first choice is the best so far.
  [[nodiscard]] const std::vector<std::vector<int>>& choices() const noexcept { return choices_; }
  /// Reports that \p choice of choices() was the fastest. Returns false if no stage is left.
  bool advance(std::size_t choice);
  /// The fastest choice of the last completed stage.
  [[nodiscard]] const std::vector<int>& best() const noexcept { return best_; }
  [[nodiscard]] bool by_coordinate() const noexcept { return by_coordinate_; }
  /// Whether the stage has choices that differ in this coordinate, or would have if it had several candidates.
  [[nodiscard]] bool varies(std::size_t coordinate) const noexcept {
    return !by_coordinate_ || coordinate == coordinate_;
  }
  static constexpr int max_rounds = 3;

 private:
  void list();
  bool next_coordinate();

  std::vector<int> sizes_;
  std::vector<int> best_;
  std::vector<std::vector<int>> choices_;
  bool by_coordinate_ = false;
  std::size_t coordinate_ = 0;  ///< the coordinate that the stage varies, if by_coordinate_
  int round_ = 1;
  bool changed_ = false;  ///< the round has changed best_
};

}  // namespace adcl::runtime
