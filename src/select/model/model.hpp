/// \file model.hpp
/// Search that runs a trial only when its expected gain exceeds its cost. Pure.
///
/// A Gaussian process predicts the logarithms of the candidates' times from their priors and from all measured times.
/// Candidates with the same attribute values, or with values of one class, are correlated.
///
/// The gain of a trial is the expected improvement of one start (knowledge gradient) times the starts to come:
/// ADCL_EXPECTED_STARTS minus the starts so far, or as many as so far if that is unset. Its cost is the expected extra
/// time of its executions, plus the overhead of the first execution of a candidate (Expectation::first).
///
/// Each batch is the first of these that applies:
///
///  1. Without a measured candidate: the candidate with the lowest prior.
///  2. Up to three trials whose gain exceeds their cost. The first candidate of the table joins the first batch of
///     trials.
///  3. When all others are ruled out, or, with ADCL_EXPECTED_STARTS, when no trial pays: repeated runs of candidates
///     that are slower only because of stalls, then rounds of the finalists, then the end of the search.
///  4. Rounds of the finalists, once at least worth_finals starts are to come.
///  5. Wait: the best candidate runs until a trial may pay. Long operations are timed meanwhile, since they may stall.
///     A new best candidate waits only shortly, until it has been measured in four blocks.
///
/// In rounds, finalists run side by side, and only differences within rounds count. The first candidate wins unless
/// another one is shown to be 2 % faster. From when no trial would pay in a program of 1000 more starts, the best
/// candidate is the provisional winner.
///
/// Where a block is one measurement (Parameters::whole_blocks), few_starts.hpp corrects the times of short blocks.
/// advise() adds the times of similar problems as less exact measurements.
///
/// All ranks take the same branch: every number is reduced over the ranks or counts starts, and core/elementary.hpp
/// gives the same bits on all processors. model_constants.hpp has the constants, docs/default-search.md the evidence.
///
/// Source: Frazier, Powell and Dayanik, "The knowledge-gradient policy for correlated normal beliefs", INFORMS Journal
/// on Computing 21 (2009).
#pragma once

#include <string>
#include <vector>

#include "select/batch_search.hpp"
#include "select/model/belief.hpp"
#include "select/model/few_starts.hpp"
#include "select/model/model_constants.hpp"
#include "select/model/paired.hpp"
#include "select/model/stalls.hpp"

namespace adcl::select {

class Model final : public BatchSearch {
 public:
  Model(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);
  [[nodiscard]] double believed(int candidate) const override;
  bool advise(std::span<const Told> told) override;

 private:
  /// Measurements of a candidate.
  struct Trials {
    std::vector<double> logs;          ///< logarithms of its block times, sorted
    double squares = 0.0;              ///< sum of squared deviations from their median
    double first_s = 0.0;              ///< overhead of its first block
    bool ran = false;                  ///< in this search
    double longest = 0.0;              ///< executions of the block with which logs began
    std::vector<double> side_by_side;  ///< logarithm of its time in each round of finalists; NaN: none
    std::vector<double>
        means_in_rounds;   ///< its mean time in each round, stalls included, over its usual time; NaN: none
    double usual_s = 0.0;  ///< without stalls
    Stalls stalls;
    measure::Numbers collected;  ///< of all its blocks
  };
  /// A trial that may run.
  struct Trial {
    int candidate = 0;
    int executions = 0;
    double worth = 0.0;  ///< expected gain minus cost, in executions of the leader
  };

  /// Expected gain and cost of a trial, in executions of the leader.
  struct Offer {
    int candidate = 0;
    int executions = 0;
    double gain = 0.0;  ///< of one start to come
    double cost = 0.0;
  };

  void advance() override;
  void forget() override;
  void learn(int candidate, const measure::Numbers& numbers, const Range& range) override;
  [[nodiscard]] int leader() const override;
  [[nodiscard]] bool tied(int candidate, int winner) const override;
  [[nodiscard]] std::string sentence(int winner) const override;

  void update();
  [[nodiscard]] std::vector<Observation> observations() const;
  [[nodiscard]] double told_of(int candidate) const;
  [[nodiscard]] bool hopeless_by_advice(int candidate) const;
  void correct_few_starts();
  [[nodiscard]] bool known_by_few(int candidate) const;
  [[nodiscard]] double doubt_of_few(int candidate) const;
  [[nodiscard]] bool ahead_of_first(int candidate) const;
  [[nodiscard]] bool known_before(int candidate) const;
  [[nodiscard]] double first_cost_scale() const;
  [[nodiscard]] double first_expected(int candidate) const { return firsts_[static_cast<std::size_t>(candidate)]; }
  void weigh_trials();
  [[nodiscard]] std::vector<Trial> worthwhile(double starts_to_come) const;
  [[nodiscard]] std::vector<int> finalists() const;
  bool compare_finalists();
  [[nodiscard]] std::vector<int> behind_by_stalls(int best) const;
  bool rerun_stalled(int best);
  void judge_side_by_side();
  void thin_out();
  [[nodiscard]] Difference behind(int candidate, int other) const;
  [[nodiscard]] double surplus(int candidate, int other) const;
  [[nodiscard]] Difference stalls_more(int candidate, int other) const;
  [[nodiscard]] bool first_is_due(int best) const;
  [[nodiscard]] bool hardly_seen(int best) const;
  bool retry_first(int best);
  void wait(int best, double to_come);
  [[nodiscard]] double agreement_s() const;
  [[nodiscard]] double starts_to_next_trial(int best) const;
  [[nodiscard]] int counted_of(const Trial& trial) const;
  void begin_trials(const std::vector<Trial>& trials);
  [[nodiscard]] Trials& of(int candidate) { return trials_[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] const Trials& of(int candidate) const { return trials_[static_cast<std::size_t>(candidate)]; }

  std::vector<Trials> trials_;
  FewStarts few_starts_;
  std::vector<Offer> offers_;  ///< by the current beliefs, grouped by candidate
  Belief belief_;
  std::vector<Told> told_;      ///< one entry per candidate; may be empty
  std::vector<double> firsts_;  ///< expected_first() of each candidate
  bool anything_expected_ = false;
  double block_noise_ = 0.0;          ///< variance of the logarithm of a block's time
  double starts_ = 0.0;               ///< of all batches so far
  std::vector<double> agreements_s_;  ///< cost of short blocks beyond their executions
  double expected_ = 0.0;             ///< total number of starts; 0: unknown
  int rounds_ = 0;                    ///< of the finalists, so far
  std::vector<int> field_;            ///< finalists that may still win, in the order of the table
  std::vector<int> rerun_;            ///< stalled candidates that run again
  int reruns_ = 0;                    ///< turns of rerun_ so far
  int rerun_executions_ = 0;
  double next_rerun_ = 0.0;  ///< start count
  bool comparing_ = false;   ///< the current batch is a round of finalists
  bool concluding_ = false;
};

}  // namespace adcl::select
