/// \file model_constants.hpp
/// Constants of the search "model", each with its derivation or the figure that becomes worse with another value.
/// Figures are means over replayed programs; docs/default-search.md describes them. Two more constants are next to
/// their formulas: own_part in model_trials.cpp, and trimmed_part in paired.cpp.
#pragma once

namespace adcl::select {

// Determined by replays.

/// Counted executions of a first trial. Later trials have up to four times this number. With 1 or 4, regret after 2000
/// starts on networks rises by 1.3 or 2.7 %.
inline constexpr int first_executions = 2;
/// Prior standard deviation of the logarithms of a candidate's block times. With 0.05, the time of 2000 starts on
/// networks rises by 0.3 %; with 0.15, no figure gets worse.
inline constexpr double usual_noise = 0.1;
/// Prior standard deviation of each shared component of log times: of all candidates, of candidates with the same
/// attribute value, and of candidates with values of the same class. With 0.6, the time of 200 starts rises by 0.6 %.
inline constexpr double shared_spread = 0.5;
/// Prior standard deviation of each candidate's own component. With 0.5, searches without priors try too few
/// candidates.
inline constexpr double own_spread = 0.6;
/// Factor of the prior standard deviations if candidates have an Expectation. The factor grows after 100 starts
/// (usual_first / prior_part), with prior_part as the exponent of the growth. Without growth, regret after 20000 starts
/// rises by 0.4 %.
inline constexpr double prior_part = 0.2;
/// Largest number of trials in a batch and of finalists, and number of batches of repeated runs. With three finalists,
/// regret on networks rises by 5.0 %. With one trial per batch, searches on networks need 57 % more agreements.
inline constexpr int most_at_once = 4;
/// Standard deviations, or standard errors, that rule a candidate out. With 8, the time of 2000 starts rises by 0.05 %.
inline constexpr double far = 3.0;
/// Shortest wait, in multiples of the starts so far. With half this value, the time after 200 starts rises by 0.4 %.
inline constexpr double shortest_wait = 0.25;

// Determined by contracts and by the machine.

/// Difference that decisions ignore: the winner may be 2 % slower than the first candidate.
inline constexpr double tie = 0.02;
/// Largest part of the time for the first candidate's trial, for agreements, and for repeated runs of stalled
/// candidates. With 10 %, the time of 200 starts rises by 2.7 %; with 2 %, 2.0 % fewer programs of 200 starts with
/// collectives end within 2 % of the best.
inline constexpr double affordable = 0.05;
/// Number of starts after which the search ends. With half this value, regret on networks rises by 0.4 %.
inline constexpr double longest_search = 20000.0;
/// Duration of the shortest operation that is also timed outside of trials: reading the clock takes less than a
/// thousandth of it. With 30 us, the time of 200 starts rises by 0.4 %.
inline constexpr double long_operation_s = 50e-6;
/// Number of timed executions that is sufficient to measure rare stalls. With 0, 13 % fewer programs on networks end
/// within 2 % of the best.
inline constexpr int enough_to_stall = 200;

// Derived.

/// Candidates within this factor of the best so far become finalists: exp(sqrt(2) usual_noise), a standard deviation of
/// the difference of two log times. With 1.25, the time rises by 0.1 %.
inline constexpr double near_best = 1.15;
/// Candidates slower than the best so far by this factor are not compared with it again: exp(2 own_spread), two
/// standard deviations of a candidate's own component.
inline constexpr double hopeless_times = 3.3;

/// Used for three purposes: (1) lower bound of the assumed number of remaining starts; (2) overhead of a
/// first execution without an Expectation, in executions; (3) number of executions after which a candidate's stalls
/// have half their weight. Replays are insensitive to (2) and (3) between 10 and 60.
inline constexpr double usual_first = 1.0 / affordable;
/// Counted executions of a finalist in a round. With two more executions, 1.7 % fewer programs end within 2 % of the
/// best.
inline constexpr int final_executions = 3 * first_executions;
/// Remaining starts in which a provisional winner must stay the best, so that ADCL_STATE_PRODUCTION begins within 1000
/// starts.
inline constexpr double short_life = affordable * longest_search;
/// Minimum number of remaining starts for rounds of finalists.
inline constexpr double worth_finals = most_at_once * most_at_once * (first_executions + final_executions) / affordable;

/// Maximum number of rounds during the search, and at its end. With the first number also at its end, regret after
/// 200000 starts on networks rises by 0.9 %; with the second also during the search, the time of 20000 starts rises.
inline constexpr int most_rounds = enough_to_stall / final_executions;
inline constexpr int most_last_rounds = static_cast<int>(longest_search) / enough_to_stall;

}  // namespace adcl::select
