/// \file model.hpp
/// Search that runs a trial only if its expected gain exceeds its cost. Pure.
///
/// A Gaussian process predicts the logarithms of the candidates' times from their priors and from all measured times.
/// Candidates with the same attribute values, or with values of one class, are correlated.
///
/// The gain of a trial is the expected improvement of one start (knowledge gradient) times the number of remaining
/// starts: ADCL_EXPECTED_STARTS minus the starts so far, or if it is unset, the number of starts so far. The cost is
/// the expected extra time of the executions, plus the overhead of a candidate's first execution (Expectation::first).
///
/// Each batch is the first of these that applies:
///
///  1. Without a measured candidate: the candidate with the lowest prior.
///  2. Up to four trials whose gain exceeds their cost. The first candidate of the table joins the first batch of
///     trials.
///  3. If all other candidates are ruled out, or, with ADCL_EXPECTED_STARTS, if no trial is worth its cost: repeated
///     runs of candidates that are slower only because of stalls, then rounds of the finalists, then the end of the
///     search.
///  4. Rounds of the finalists, if at least worth_finals starts remain.
///  5. Waiting: the best candidate so far runs until a trial may be worth its cost. Long operations are timed during
///     the wait, since they may stall. The wait is short until the best candidate has four blocks.
///
/// In a round, each finalist runs one block, and only differences within rounds count. The first candidate of the table
/// wins unless another candidate is at least 2 % faster. The best candidate becomes the provisional winner as soon as
/// no trial would be worth its cost in 1000 more starts.
///
/// Where a block is one measurement (Parameters::whole_blocks), short_blocks.hpp corrects the times of short blocks.
/// set_peer_measurements() adds the times of similar problems as measurements with larger errors.
///
/// All ranks take the same branch: every number is reduced over the ranks or counts starts, and the functions of
/// core/elementary.hpp are bitwise identical on all processors. model_constants.hpp has the constants,
/// docs/default-search.md the evidence.
///
/// Source: Frazier, Powell and Dayanik, "The knowledge-gradient policy for correlated normal beliefs", INFORMS Journal
/// on Computing 21 (2009).
#pragma once

#include <string>
#include <vector>

#include "select/batch_search.hpp"
#include "select/model/belief.hpp"
#include "select/model/model_constants.hpp"
#include "select/model/paired.hpp"
#include "select/model/short_blocks.hpp"
#include "select/model/stalls.hpp"

namespace adcl::select {

class Model final : public BatchSearch {
 public:
  Model(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);
  [[nodiscard]] double estimated_log_time(int candidate) const override;
  bool set_peer_measurements(std::span<const PeerMeasurement> measurements) override;

 private:
  /// Measurements of a candidate.
  struct Trials {
    std::vector<double> logs;         ///< logarithms of its block times, sorted
    double squares = 0.0;             ///< sum of squared deviations from their median
    double first_cost_s = 0.0;        ///< overhead of its first block
    bool ran = false;                 ///< the candidate ran in this search
    double longest = 0.0;             ///< executions of its longest block
    std::vector<double> round_logs;   ///< logarithm of its time in each round of the finalists; NaN: no time
    std::vector<double> round_means;  ///< mean time with stalls / usual time, in each round; NaN: no time
    double usual_s = 0.0;             ///< time without stalls
    Stalls stalls;
    measure::Numbers collected;  ///< all its blocks pooled
  };
  /// A possible trial. Gain, cost, and worth are in executions of the leader.
  struct Trial {
    int candidate = 0;
    int executions = 0;
    double gain = 0.0;  ///< per remaining start
    double cost = 0.0;
    double worth = 0.0;  ///< gain in all remaining starts minus cost
  };

  void advance() override;
  void reset() override;
  void take_results(int candidate, const measure::Numbers& numbers, const BlockCost& cost) override;
  [[nodiscard]] int leader() const override;
  [[nodiscard]] bool is_tied(int candidate, int winner) const override;
  [[nodiscard]] std::string sentence(int winner) const override;

  void update();
  [[nodiscard]] std::vector<Observation> observations() const;
  [[nodiscard]] double peer_log_excess(int candidate) const;
  [[nodiscard]] bool ruled_out_by_peers(int candidate) const;
  void correct_short_blocks();
  [[nodiscard]] bool only_short_blocks(int candidate) const;
  [[nodiscard]] double short_block_error(int candidate) const;
  [[nodiscard]] double ahead_of_first(int candidate) const;
  [[nodiscard]] bool is_primed(int candidate) const;
  [[nodiscard]] double first_cost_scale() const;
  void evaluate_trials();
  [[nodiscard]] std::vector<Trial> worthwhile(double starts_to_come) const;
  [[nodiscard]] std::vector<int> choose_finalists() const;
  bool compare_finalists(int most);
  [[nodiscard]] std::vector<int> slower_by_stalls(int best) const;
  bool rerun_stalled(int best);
  void judge_by_rounds();
  void remove_slow_finalists();
  [[nodiscard]] Difference log_difference(int candidate, int other) const;
  [[nodiscard]] double stall_surplus(int candidate, int other) const;
  [[nodiscard]] Difference stall_difference(int candidate, int other) const;
  [[nodiscard]] bool must_try_first(int best) const;
  [[nodiscard]] bool has_few_blocks(int best) const;
  bool retry_first(int best);
  void wait(int best, double to_come);
  [[nodiscard]] double agreement_s() const;
  [[nodiscard]] double starts_to_next_trial(int best) const;
  [[nodiscard]] int counted_of(const Trial& trial) const;
  void begin_trials(const std::vector<Trial>& trials);
  void start(std::vector<Block> blocks);
  [[nodiscard]] Trials& of(int candidate) { return trials_[at(candidate)]; }
  [[nodiscard]] const Trials& of(int candidate) const { return trials_[at(candidate)]; }

  std::vector<Trials> trials_;
  ShortBlocks short_blocks_;
  std::vector<Trial> possible_trials_;  ///< grouped by candidate
  Belief belief_;
  std::vector<PeerMeasurement> peers_;  ///< one entry per candidate; may be empty
  bool has_priors_ = false;
  double block_noise_ = 0.0;          ///< variance of the logarithms of a candidate's block times
  double starts_ = 0.0;               ///< number of starts in all batches so far
  std::vector<double> agreements_s_;  ///< seconds of short blocks beyond their executions
  double expected_starts_ = 0.0;      ///< total number of starts; 0: unknown
  int rounds_ = 0;                    ///< number of rounds of the finalists so far
  std::vector<int> finalists_;        ///< finalists that may still win, in table order
  std::vector<int> rerunning_;        ///< stalled candidates that run again
  int reruns_ = 0;                    ///< number of batches of rerunning_ so far
  int rerun_executions_ = 0;
  double next_rerun_ = 0.0;  ///< start count of the next repeated runs
  bool comparing_ = false;   ///< the current batch is a round of finalists
  bool concluding_ = false;
};

}  // namespace adcl::select
