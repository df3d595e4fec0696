#include "timer/combinations.hpp"

#include <utility>

namespace adcl::runtime {

Combinations::Combinations(std::vector<int> sizes, const std::vector<int>& first, long long limit)
    : sizes_(std::move(sizes)), best_(sizes_.size(), 0) {
  long long product = 1;
  for (const int size : sizes_) {
    product = product > limit ? product : product * size;
  }
  by_coordinate_ = product > limit && sizes_.size() > 1;
  if (by_coordinate_) {
    best_ = first;
    while (sizes_[coordinate_] == 1) {
      ++coordinate_;
    }
  }
  list();
}

/// The first coordinate varies slowest; the first choice is best_.
void Combinations::list() {
  choices_ = {best_};
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (!varies(c)) {
      continue;
    }
    std::vector<std::vector<int>> longer;
    for (std::vector<int>& choice : choices_) {
      longer.push_back(choice);
      for (choice[c] = 0; choice[c] < sizes_[c]; ++choice[c]) {
        if (choice[c] != best_[c]) {
          longer.push_back(choice);
        }
      }
    }
    choices_ = std::move(longer);
  }
}

/// Moves to the next coordinate with several candidates. Returns false after the last round.
bool Combinations::next_coordinate() {
  do {
    if (++coordinate_ == sizes_.size()) {
      coordinate_ = 0;
      if (!std::exchange(changed_, false) || ++round_ > max_rounds) {
        return false;
      }
    }
  } while (sizes_[coordinate_] == 1);
  return true;
}

bool Combinations::advance(std::size_t choice) {
  changed_ = changed_ || choices_[choice] != best_;
  best_ = choices_[choice];
  if (!by_coordinate_ || !next_coordinate()) {
    return false;
  }
  list();
  return true;
}

}  // namespace adcl::runtime
