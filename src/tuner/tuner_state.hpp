/// \file tuner_state.hpp
/// The states of a tuner, each with its own data. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "measure/drift.hpp"
#include "tuner/concurrent_search.hpp"

namespace adcl::runtime {

/// The search hands out the tickets of a batch.
struct Measuring {};
/// The numbers of a complete batch are being reduced.
struct Agreeing {
  std::int64_t due = 0;  ///< number of the start that waits for the reduction
};
/// The search pauses: its incumbent runs on a lease.
struct Pausing {
  int incumbent = 0;
};

/// Data of both states that run a search.
struct Searching {
  std::variant<Measuring, Agreeing, Pausing> step;
  bool recheck = false;  ///< after the search, the winner from before a slowdown is re-checked
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

/// No start is timed.
struct Quiet {};
/// A check: starts are timed.
struct Sampling {
  int left = 0;  ///< remaining starts, including the current start
};
/// The numbers of a check are being reduced. The start that begins the next check reads them.
struct Posted {};

/// Runs the winner.
struct Production {
  bool confirmed = false;  ///< the winner of earlier results has kept its time
  measure::Drift drift{};
  std::variant<Quiet, Sampling, Posted> check{};
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
