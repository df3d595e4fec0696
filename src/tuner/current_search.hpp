/// \file current_search.hpp
/// The search that a tuner runs, and access to functions that only some searches have.
#pragma once

#include <memory>
#include <utility>

#include "select/guided.hpp"
#include "select/search.hpp"
#include "select/verification.hpp"

namespace adcl::runtime {

/// Owns the search. Assigning another search replaces everything that describes it.
class CurrentSearch {
 public:
  explicit CurrentSearch(std::unique_ptr<select::Search> search) : search_(std::move(search)) {}
  explicit CurrentSearch(std::unique_ptr<select::Guided> search) : guided_(search.get()), search_(std::move(search)) {}
  explicit CurrentSearch(std::unique_ptr<select::Verification> search)
      : verification_(search.get()), search_(std::move(search)) {}

  select::Search* operator->() const noexcept { return search_.get(); }
  select::Search& operator*() const noexcept { return *search_; }
  /// The search, if similar problems guide it; else null.
  [[nodiscard]] const select::Guided* guided() const noexcept { return guided_; }
  /// The search, if it verifies earlier results; else null.
  [[nodiscard]] const select::Verification* verification() const noexcept { return verification_; }

 private:
  const select::Verification* verification_ = nullptr;  ///< search_, if it is a Verification
  const select::Guided* guided_ = nullptr;              ///< search_, if it is Guided
  std::unique_ptr<select::Search> search_;
};

}  // namespace adcl::runtime
