/// \file study.hpp
/// The searches of a communicator that later ones wait for: those of similar problems would find the same again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "history/entry.hpp"

namespace adcl::runtime {

/// A search under way.
struct Study {
  std::int64_t number = 0;  ///< the same on all ranks
  std::string key;          ///< of the way of use
  history::Entry problem;   ///< on rank 0
  std::string leader{};     ///< the fastest candidate so far, by reduced numbers; empty: none was measured
  bool waits = false;       ///< for another one; the same on all ranks
  bool over = false;        ///< it has decided, or will never do so; becomes true at the same start on all ranks
};

/// Those of a communicator. They begin in the same order on all ranks.
class Studies {
 public:
  std::shared_ptr<Study> begin(std::string key, history::Entry problem) {
    std::erase_if(studies_, [](const auto& study) { return study.expired() || study.lock()->over; });
    auto made = std::make_shared<Study>(Study{++last_, std::move(key), std::move(problem), {}, false, false});
    studies_.push_back(made);
    return made;
  }
  /// Those that are under way.
  [[nodiscard]] std::vector<std::shared_ptr<const Study>> all() const {
    std::vector<std::shared_ptr<const Study>> found;
    for (const auto& study : studies_) {
      if (const auto held = study.lock(); held != nullptr && !held->over) {
        found.push_back(held);
      }
    }
    return found;
  }

 private:
  std::vector<std::weak_ptr<Study>> studies_;
  std::int64_t last_ = 0;
};

}  // namespace adcl::runtime
