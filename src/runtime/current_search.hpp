/// \file current_search.hpp
/// The search that a Tuner runs, with what only some searches have.
#pragma once

#include <memory>
#include <utility>

#include "search/guided.hpp"
#include "search/search.hpp"
#include "search/verification.hpp"

namespace adcl::runtime {

/// Owns the search. What describes it lives and ends with it: assigning another search replaces all of it, so nothing
/// can refer to a search that is gone.
class CurrentSearch {
 public:
  explicit CurrentSearch(std::unique_ptr<search::Search> search) : search_(std::move(search)) {}
  explicit CurrentSearch(std::unique_ptr<search::Guided> search) : guided_(search.get()), search_(std::move(search)) {}
  /// \p after_slowdown: it begins because starts took longer than after the decision.
  CurrentSearch(std::unique_ptr<search::Verification> search, bool after_slowdown)
      : verification_(search.get()), after_slowdown_(after_slowdown), search_(std::move(search)) {}

  search::Search* operator->() const noexcept { return search_.get(); }
  search::Search& operator*() const noexcept { return *search_; }
  /// The search, where similar problems guide it; else null.
  [[nodiscard]] const search::Guided* guided() const noexcept { return guided_; }
  /// It verifies earlier knowledge, and its verdict is a candidate that has kept its time.
  [[nodiscard]] bool confirms() const { return verification_ != nullptr && verification_->held(); }
  [[nodiscard]] bool after_slowdown() const noexcept { return after_slowdown_; }

 private:
  const search::Verification* verification_ = nullptr;  ///< search_, where it is one
  const search::Guided* guided_ = nullptr;              ///< search_, where it is one
  bool after_slowdown_ = false;
  std::unique_ptr<search::Search> search_;
};

}  // namespace adcl::runtime
