/// \file current_search.hpp
/// The search that a tuner runs, with what only some searches have.
#pragma once

#include <memory>
#include <utility>

#include "search/guided.hpp"
#include "search/search.hpp"
#include "search/verification.hpp"

namespace adcl::runtime {

/// Owns the search. Assigning another one replaces all that describes it.
class CurrentSearch {
 public:
  explicit CurrentSearch(std::unique_ptr<search::Search> search) : search_(std::move(search)) {}
  explicit CurrentSearch(std::unique_ptr<search::Guided> search) : guided_(search.get()), search_(std::move(search)) {}
  explicit CurrentSearch(std::unique_ptr<search::Verification> search)
      : verification_(search.get()), search_(std::move(search)) {}

  search::Search* operator->() const noexcept { return search_.get(); }
  search::Search& operator*() const noexcept { return *search_; }
  /// The search, if similar problems guide it; else null.
  [[nodiscard]] const search::Guided* guided() const noexcept { return guided_; }
  /// The search, if it verifies earlier knowledge; else null.
  [[nodiscard]] const search::Verification* verification() const noexcept { return verification_; }

 private:
  const search::Verification* verification_ = nullptr;  ///< search_, if it is one
  const search::Guided* guided_ = nullptr;              ///< search_, if it is one
  std::unique_ptr<search::Search> search_;
};

}  // namespace adcl::runtime
