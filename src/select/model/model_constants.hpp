/// \file model_constants.hpp
/// The constants of the search "model". docs/default-search.md has the replays that chose them.
#pragma once

#include <cstddef>

namespace adcl::select {

// Chosen by replays.

/// Counted executions of a first trial; later trials count two and four times as many.
inline constexpr int first_executions = 2;
/// Counted executions of a finalist in a round; with half or twice as many, replays do not differ.
inline constexpr int final_executions = 3 * first_executions;
/// Standard deviation of the logarithms of a candidate's times, before they are measured.
inline constexpr double usual_noise = 0.1;
/// Standard deviation of the logarithms of times that candidates share: all of them, those with the same value of an
/// attribute, and those with values of one class.
inline constexpr double shared_spread = 0.5;
/// Standard deviation of the logarithm of a candidate's own time; with 0.5, searches without priors try too little.
inline constexpr double own_spread = 0.6;
/// Part of that standard deviation that remains if priors are known, and the exponent with which it grows from 100
/// starts on: without growth, regret after 20000 starts rises by 0.4 %.
inline constexpr double prior_part = 0.2;
/// Overhead of a first execution without a prior, in executions.
inline constexpr double usual_first = 30.0;
/// Starts after which the search ends.
inline constexpr double longest_search = 20000.0;
/// The search ends when no trial pays in a program with this many times as many starts; 1 raises regret on networks.
inline constexpr double far_future = 30.0;
/// Trials in one batch; one at a time takes 57 % more agreements on networks.
inline constexpr std::size_t trials_at_once = 3;
/// Finalists, and turns in which stalled candidates run again; without a limit, time on networks rises by 0.8 %.
inline constexpr int most_finalists = 4;
/// Candidates within this factor of the best so far become finalists; 1.2 adds 0.03 % of time.
inline constexpr double near_best = 1.15;
/// One-sided confidence that a finalist is slower, and that a candidate is faster than the first one.
inline constexpr double sure = 0.99;
inline constexpr double likely = 0.9;
/// Rounds before finalists are judged.
inline constexpr int fewest_rounds = 8;
/// Executions after which half of a candidate's stalls count; without stalls, regret on networks rises by 1.8 %.
inline constexpr double stalls_half = 10.0;

// Chosen by contracts and by the machine.

/// Difference that decisions ignore: the winner is at most 2 % slower than the first candidate.
inline constexpr double tie = 0.02;
/// Part of all starts that the first candidate's trial, agreements, and repeated runs of stalled candidates may cost.
inline constexpr double affordable = 0.05;
/// Starts to come for which a provisional winner must hold: ADCL_STATE_PRODUCTION begins within 1000 starts.
inline constexpr double short_life = 1000.0;
/// Operations at least this long are timed outside of trials: reading the clock takes less than a thousandth of it.
inline constexpr double long_operation_s = 50e-6;
/// Timed executions of the winner before the search ends, in which rare stalls show.
inline constexpr int enough_to_stall = 200;
/// A candidate that takes this many times as long as the best so far is not compared with it again.
inline constexpr double hopeless_times = 3.0;
/// Standard deviations behind the best so far that rule a candidate out.
inline constexpr double hopeless_deviations = 5.0;

// Derived.

/// Starts to come for which the rounds of finalists are affordable.
inline constexpr double worth_finals =
    fewest_rounds * most_finalists * (first_executions + final_executions) / affordable;

}  // namespace adcl::select
