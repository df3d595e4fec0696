/// \file combinations.hpp
/// The meta-codelets of several coordinates, each of which has some candidates: all of them, or one coordinate after
/// the other. Pure. Source: thesis section 6.2.2.
#pragma once

#include <cstddef>
#include <vector>

namespace adcl::runtime {

/// Stages of a search. Each has a list of choices, one candidate per coordinate; whoever uses it says which one was
/// best.
class Combinations {
 public:
  Combinations() = default;
  /// \p sizes: candidates of each coordinate, at least one each; \p first: one that can run. Up to \p limit
  /// combinations are one stage; beyond, each coordinate is one, in the order of the coordinates, round after round.
  Combinations(std::vector<int> sizes, const std::vector<int>& first, long long limit);

  /// What the stage compares; by coordinates, the first choice is the best one known so far.
  [[nodiscard]] const std::vector<std::vector<int>>& choices() const noexcept { return choices_; }
  /// \p choice of choices() was the best; false: there is no other stage.
  bool advance(std::size_t choice);
  /// What was best in the last stage that has ended.
  [[nodiscard]] const std::vector<int>& best() const noexcept { return best_; }
  [[nodiscard]] bool by_coordinate() const noexcept { return by_coordinate_; }
  /// The coordinate of the stage, when they are searched one by one.
  [[nodiscard]] std::size_t coordinate() const noexcept { return coordinate_; }
  static constexpr int most_rounds = 3;

 private:
  void list();
  bool next_coordinate();

  std::vector<int> sizes_;
  std::vector<int> best_;
  std::vector<std::vector<int>> choices_;
  bool by_coordinate_ = false;
  std::size_t coordinate_ = 0;
  int round_ = 1;
  bool changed_ = false;  ///< the round has changed the best one
};

}  // namespace adcl::runtime
