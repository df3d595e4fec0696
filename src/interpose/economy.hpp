/// \file economy.hpp
/// The budget of a search, as numbers of calls. Pure. All ranks pass agreed numbers and compute the same result,
/// because only basic arithmetic and rounding are used.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace adcl::interpose {

/// Estimated seconds for creating a request.
inline constexpr double creation_s = 2e-3;
/// Estimated seconds for reading the history when a request is created.
inline constexpr double reading_s = 1.5e-3;
/// Estimated seconds of an agreement.
inline constexpr double agreement_s = 20e-6;
/// Largest fraction of the production time that comparisons with the MPI library's call may cost.
inline constexpr double comparison_part = 0.005;
/// Largest fraction of the production time that agreements on the winner's time may cost.
inline constexpr double check_part = 0.001;

/// Part of the budget that a rehearsal may cost, which saves nothing in this run.
inline constexpr double rehearsal_part = 0.25;

inline constexpr std::int64_t first_checkpoint = 32;  ///< number of calls before the first agreement
/// Number of calls before the first agreement for small blocks. An agreement takes about as long as a call with small
/// blocks. A run of Quantum ESPRESSO with 44 size classes on 8 ranks has 26 agreements; with 32 calls, it has 67.
inline constexpr std::int64_t first_checkpoint_of_small = 128;
inline constexpr std::int64_t largest_small_bytes = 4096;
inline constexpr int fewest_samples = 4;   ///< samples that replace an earlier time
inline constexpr int calls_per_group = 4;  ///< runs of candidates between two agreements
inline constexpr int pairs_per_batch = 8;  ///< pairs between two agreements
inline constexpr int runs_per_side = 4;    ///< calls of one side of a pair; the first one is not timed
inline constexpr int samples_per_side = runs_per_side - 1;
inline constexpr int samples_per_check = 3;          ///< timed calls of the winner before an agreement on its time
inline constexpr std::size_t most_proof_pairs = 32;  ///< pairs after which a candidate is rejected
inline constexpr std::size_t rehearsal_pairs = 16;   ///< pairs after the proof of a rehearsal
inline constexpr std::size_t withdrawal_pairs = 16;  ///< number of recent pairs whose median speedup must exceed 1
inline constexpr double least_speedup = 1.01;        ///< a winner's speedup has a lower bound above this value
inline constexpr std::int64_t most_calls = std::int64_t{1} << 60U;

/// Rounds up a number of calls, to at least \p least and at most most_calls.
inline std::int64_t calls_of(double calls, std::int64_t least) {
  return calls < static_cast<double>(most_calls) ? std::max(static_cast<std::int64_t>(std::ceil(calls)), least)
                                                 : most_calls;
}

/// Total number of calls after which \p spent_s is at most the fraction \p budget of their time.
inline std::int64_t calls_that_pay(double spent_s, double budget, double call_s) {
  return call_s > 0.0 && budget > 0.0 ? calls_of(spent_s / (budget * call_s), 0) : most_calls;
}

/// Smallest number of calls in production between two pairs, and between two checks of the winner's time.
inline constexpr std::int64_t least_production_calls = 64;

/// Calls in production between two checks of the winner's time.
inline std::int64_t calls_between_checks(double codelet_s) {
  return codelet_s > 0.0 ? calls_of(agreement_s / (check_part * codelet_s), least_production_calls) : most_calls;
}

/// Calls in production between two pairs.
inline std::int64_t calls_between_pairs(double native_s, double codelet_s) {
  const double pair_s = runs_per_side * std::max(0.0, native_s - codelet_s) + agreement_s / pairs_per_batch;
  return codelet_s > 0.0 ? calls_of(pair_s / (comparison_part * codelet_s), least_production_calls) : most_calls;
}

}  // namespace adcl::interpose
