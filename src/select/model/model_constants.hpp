/// \file model_constants.hpp
/// The constants of the search "model". docs/default-search.md has the replays that chose them.
#pragma once

#include <cstddef>

namespace adcl::select {

// Chosen by replays.

/// Counted executions of a first trial; later trials count two and four times as many.
inline constexpr int first_executions = 2;
/// Standard deviation of the logarithms of a candidate's times, before they are measured; with 0.15, replays hardly
/// differ.
inline constexpr double usual_noise = 0.1;
/// Standard deviation of the logarithms of times that candidates share: all of them, those with the same value of an
/// attribute, and those with values of one class.
inline constexpr double shared_spread = 0.5;
/// Standard deviation of the logarithm of a candidate's own time; with 0.5, searches without priors try too little.
inline constexpr double own_spread = 0.6;
/// Part of the own standard deviation that remains if priors are known, and the exponent with which it grows from
/// 100 starts on, usual_first / prior_part: without growth, regret after 20000 starts rises by 0.4 %.
inline constexpr double prior_part = 0.2;
/// Trials in one batch; finalists, which are judged when each of them has begun two rounds; and turns in which stalled
/// candidates run again. With three finalists, regret on networks rises by 5.0 %; one trial at a time takes 57 % more
/// agreements there.
inline constexpr int most_at_once = 4;
/// Standard deviations, and standard errors, that rule a candidate out; with 8, time rises by 0.05 %.
inline constexpr double far = 3.0;
/// Shortest wait, in starts so far; with half as long waits, time after 200 starts rises by 0.4 %.
inline constexpr double shortest_wait = 0.25;

// Chosen by contracts and by the machine.

/// Difference that decisions ignore: the winner is at most 2 % slower than the first candidate.
inline constexpr double tie = 0.02;
/// Part of all starts that the first candidate's trial, agreements, and repeated runs of stalled candidates may cost.
inline constexpr double affordable = 0.05;
/// Starts after which the search ends.
inline constexpr double longest_search = 20000.0;
/// Operations at least this long are timed outside of trials: reading the clock takes less than a thousandth of it.
inline constexpr double long_operation_s = 50e-6;
/// Timed executions of a candidate in which rare stalls show.
inline constexpr int enough_to_stall = 200;

// Derived.

/// Candidates within this factor of the best so far become finalists: a standard deviation of the difference of two
/// logarithms of times, exp(sqrt(2) usual_noise); 1.25 adds 0.1 % of time.
inline constexpr double near_best = 1.15;
/// A candidate that takes this many times as long as the best so far is not compared with it again: two standard
/// deviations of its own time, exp(2 own_spread).
inline constexpr double hopeless_times = 3.3;

/// Fewest starts assumed to come, so that one more is affordable; the usual overhead of a first execution, in
/// executions; and the executions after which half of a candidate's stalls count. For the latter two, replays hardly
/// differ between 10 and 60.
inline constexpr double usual_first = 1.0 / affordable;
/// Counted executions of a finalist in a round; with two more, 1.7 % fewer programs end within 2 % of the best.
inline constexpr int final_executions = 3 * first_executions;
/// Starts to come for which a provisional winner must hold: ADCL_STATE_PRODUCTION begins within 1000 starts.
inline constexpr double short_life = affordable * longest_search;
/// Starts to come for which the rounds of finalists are affordable.
inline constexpr double worth_finals = most_at_once * most_at_once * (first_executions + final_executions) / affordable;

}  // namespace adcl::select
