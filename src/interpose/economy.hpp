/// \file economy.hpp
/// What a search may cost, in numbers of calls. Pure. All ranks pass agreed numbers and get the same result: only the
/// four operations and rounding are used.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace adcl::interpose {

/// Estimated seconds for creating a request.
inline constexpr double creation_s = 2e-3;
/// Seconds of an agreement, as an estimate.
inline constexpr double agreement_s = 20e-6;
/// Most part of the time in production that comparisons with the MPI library's call may cost.
inline constexpr double comparison_part = 0.005;

inline constexpr std::int64_t first_checkpoint = 32;  ///< calls before the ranks first agree
inline constexpr int calls_per_group = 4;             ///< runs of candidates between two agreements
inline constexpr int pairs_per_batch = 8;             ///< pairs between two agreements
inline constexpr int runs_per_side = 4;               ///< calls of one side of a pair; the first one is not timed
inline constexpr int samples_per_side = runs_per_side - 1;
inline constexpr std::size_t most_proof_pairs = 32;  ///< pairs after which a candidate is rejected
inline constexpr std::size_t withdrawal_pairs = 16;  ///< the last pairs, whose median must be above 1
inline constexpr double least_speedup = 1.01;        ///< lower end of the interval that a candidate needs to win
inline constexpr std::int64_t most_calls = std::int64_t{1} << 60U;

/// A number of calls, at least \p least.
inline std::int64_t calls_of(double calls, std::int64_t least) {
  return calls < static_cast<double>(most_calls) ? std::max(static_cast<std::int64_t>(std::ceil(calls)), least)
                                                 : most_calls;
}

/// Calls, all in all, of which the part \p budget pays for \p spent_s.
inline std::int64_t calls_that_pay(double spent_s, double budget, double call_s) {
  return call_s > 0.0 && budget > 0.0 ? calls_of(spent_s / (budget * call_s), 0) : most_calls;
}

/// Calls in production between two pairs.
inline std::int64_t calls_between_pairs(double native_s, double codelet_s) {
  constexpr std::int64_t least = 64;
  const double pair_s = runs_per_side * std::max(0.0, native_s - codelet_s) + agreement_s / pairs_per_batch;
  return codelet_s > 0.0 ? calls_of(pair_s / (comparison_part * codelet_s), least) : most_calls;
}

}  // namespace adcl::interpose
