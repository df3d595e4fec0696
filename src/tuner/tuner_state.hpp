/// \file tuner_state.hpp
/// The states of a tuner, each with its own data. Pure.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "measure/drift.hpp"
#include "tuner/concurrent_search.hpp"

namespace adcl::runtime {

/// Data of both states that run a search.
struct Searching {
  bool recheck = false;  ///< after the search, the winner from before a slowdown is re-checked
  bool pauses = false;   ///< the candidate of the last ticket runs on a lease
};

/// Waits for the search of a similar problem, and runs the best candidate of that search.
struct Waiting {
  std::shared_ptr<const ConcurrentSearch> awaited;  ///< that search
  int starts = 0;                                   ///< number of starts in this state
};
/// Measures a known winner again.
struct Verifying : Searching {};
/// Compares candidates.
struct Exploring : Searching {};

/// Runs the winner.
struct Production {
  bool confirmed = false;  ///< the winner of earlier results has kept its time
  measure::Drift drift{};
  int samples_left = 0;  ///< starts of the running check that are timed, including the current start; 0: no check
};

/// The last candidate has failed, on some rank.
struct Exhausted {
  std::string reason;  ///< the same on all ranks
};

using TunerState = std::variant<Exploring, Waiting, Verifying, Production, Exhausted>;

/// Returns the search data of \p state; null if it has none.
template <typename State>
auto* searching(State& state) noexcept {
  using Found = std::conditional_t<std::is_const_v<State>, const Searching, Searching>;
  Found* const verifying = std::get_if<Verifying>(&state);
  return verifying != nullptr ? verifying : static_cast<Found*>(std::get_if<Exploring>(&state));
}

}  // namespace adcl::runtime
