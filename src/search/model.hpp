/// \file model.hpp
/// A search that weighs what a trial may gain against what it costs. Pure.
///
/// A Gaussian model of the logarithms of times over the attributes learns from every measurement what the other
/// candidates may take: candidates that share values of attributes, or classes of values, are alike. A trial is worth
/// its cost when what it is expected to gain over the starts that are still to come exceeds it:
///
///  - The gain of a start is the expected excess of the leader's time over what the candidate's time will be believed
///    to be after the trial (the knowledge gradient).
///  - The cost is what the executions take longer than the leader's, and for a candidate that never ran what its first
///    execution is expected to take besides (Expectation::first): its plan, and what the MPI library does once. It
///    counts as many times as the first executions of others took of what was expected of them.
///  - The starts still to come are those that the application expects (ADCL_EXPECTED_STARTS), else as many as there
///    were: then a trial is expected to have paid for itself by the time that the program is twice as old.
///
/// Where no trial is worth it, the leader runs until one will be, by what is believed now, or until the ranks'
/// agreement takes no more than a twentieth of that; for a quarter of the starts so far at least, and at most for
/// three times as many, or until there are 20. Then the question is asked again. The search ends when no trial would be
/// worth it even if the program made thirty times as many starts as until then, and 20000 at least. Before, or as soon
/// as 4000 starts are to come and no trial is worth it for now, those that may be the fastest, within 15 %, run side by
/// side, in eight rounds at least, until each is shown to be slower than the best one, or within 1 % of it, or 48
/// rounds are over. What is judged then are the differences within rounds: earlier times were taken at other moments,
/// and some of them in longer runs, which are faster. From when no trial would be worth it in a program of 1000 starts
/// more, the leader is its provisional verdict.
///
/// Statistical methods leave out what is rare. Where operations are long (50 us), what the leader takes while it runs
/// is timed and what it takes beyond its usual time counts (stalls.hpp): where a network drops packets, one codelet may
/// wait for a retransmission in every third operation and another never. In the rounds of the finalists, stalls are
/// compared side by side, the worst round left out; as long as those of the best one may outweigh by how much another
/// one is slower, that one stays. The search does not end before the winner was seen in 200 such executions, and those
/// that stalls alone have put behind run in turns with the leader once more whenever the program is twice as old: they
/// may have met a disturbance.
///
/// Where a block is one measurement (batch_times.hpp), short operations run in longer blocks, but for the first trial
/// of a candidate. What few starts seem to take, in which ranks run ahead of each other, is forgotten once a block of
/// many times more has told better; until then it is corrected by what that has shown of others (few_starts.hpp), and
/// the next trial is long.
///
/// What is expected of the candidates (Candidate::expected) is what is believed at first: the one that is expected to
/// be the fastest begins, where nothing is expected the first of the table. That one is tried with the first others,
/// or when trying it costs a twentieth of all starts so far, and kept when the evidence does not show that the leader
/// is faster by 2 % or more (design rule 9). Of other finalists that the rounds do not separate the first of the table
/// is kept, too.
///
/// Its first executions may have met cold caches or another program. So a leader that has overtaken it runs three
/// rounds side by side with it, one where that leaves no doubt, as soon as these cost a fiftieth of all starts so far,
/// and before the search ends. They replace what was measured of it before. Where it seems to take three times as long
/// as the leader, that is not done.
///
/// What similar problems have measured meanwhile (advise()) counts as an observation of what was not tried here, less
/// exact than one's own. Where that makes the first of the table three times as slow as the leader, it is not tried.
///
/// Why all ranks take the same branch: all that it computes with was reduced over the ranks, costs too, or is a number
/// of starts, and all ranks compute the same, to the last bit: by the functions of core/elementary.hpp, since those of
/// the C library may differ between processors of two kinds.
///
/// Source: Frazier, Powell and Dayanik, "The knowledge-gradient policy for correlated normal beliefs", INFORMS Journal
/// on Computing 21 (2009).
#pragma once

#include <string>
#include <vector>

#include "search/batch_search.hpp"
#include "search/belief.hpp"
#include "search/few_starts.hpp"
#include "search/paired.hpp"
#include "search/stalls.hpp"

namespace adcl::search {

/// Executions that count, of a candidate that never ran.
inline constexpr int first_executions = 2;
/// In each round of the finalists.
inline constexpr int final_executions = 6;
/// Standard deviation of the logarithms of times: of executions, and of what blocks say.
inline constexpr double usual_noise = 0.1;
/// Starts after which the search ends.
inline constexpr double longest_search = 20000.0;

class Model final : public BatchSearch {
 public:
  Model(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);
  [[nodiscard]] double believed(int candidate) const override;
  bool advise(std::span<const Told> told) override;

 private:
  /// What was measured of a candidate.
  struct Trials {
    std::vector<double> logs;             ///< of its blocks, the smallest first
    double squares = 0.0;                 ///< of how far they are off their median
    double first_s = 0.0;                 ///< what its first block cost beyond its executions
    bool ran = false;                     ///< in this search
    double longest = 0.0;                 ///< executions of a block, the last time that they were many times more
    std::vector<double> side_by_side;     ///< logarithm of its time in each round of finalists; NaN: none
    std::vector<double> means_in_rounds;  ///< in its usual times, stalls included; NaN: none
    double usual_s = 0.0;                 ///< without stalls
    Stalls stalls;
    estimate::Numbers collected;  ///< of all its blocks

    void stalls_of_rounds();
  };
  /// What to try.
  struct Trial {
    int candidate = 0;
    int executions = 0;
    double worth = 0.0;  ///< expected gain less cost, in executions of the leader
  };

  /// What a trial may gain and what it costs, in executions of the leader.
  struct Offer {
    int candidate = 0;
    int executions = 0;
    double gain = 0.0;  ///< of a start that is to come
    double cost = 0.0;
  };

  /// Rounds in which the leader and the first of the table run side by side.
  struct Challenge {
    int leader = -1;
    double spent = 0.0;            ///< by all challenges, in executions of the leader
    std::vector<double> behind{};  ///< of each round: how much longer the first takes, as a logarithm
    double leader_log = 0.0;       ///< of the round that runs; NaN: not yet measured
    double first_log = 0.0;
    bool running = false;  ///< the batch is a round
    bool over = false;
  };

  void advance() override;
  void forget() override;
  void learn(int candidate, const estimate::Numbers& numbers, const Range& range) override;
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
  [[nodiscard]] std::vector<int> contested(int best) const;
  bool hear_again(int best);
  void judge_side_by_side();
  void thin_out();
  [[nodiscard]] Difference behind(int candidate, int other) const;
  [[nodiscard]] double surplus(int candidate, int other) const;
  [[nodiscard]] Difference stalls_more(int candidate, int other) const;
  [[nodiscard]] bool owes_the_first(int best) const;
  [[nodiscard]] bool unchallenged(int best) const;
  bool challenge(int best);
  void note_challenge(int candidate, double log_s);
  void end_round_of_challenge();
  void wait(int best, double to_come);
  [[nodiscard]] double agreement_s() const;
  [[nodiscard]] double starts_to_next_trial(int best) const;
  [[nodiscard]] int counted_of(const Trial& trial) const;
  void begin_trials(const std::vector<Trial>& trials);
  [[nodiscard]] Trials& of(int candidate) { return trials_[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] const Trials& of(int candidate) const { return trials_[static_cast<std::size_t>(candidate)]; }

  std::vector<Trials> trials_;
  FewStarts few_starts_;
  std::vector<Offer> offers_;  ///< by what is believed now, those of a candidate one after the other
  Belief belief_;
  std::vector<Told> told_;      ///< one entry per candidate; may be empty
  std::vector<double> firsts_;  ///< expected_first() of each candidate
  bool anything_expected_ = false;
  double block_noise_ = 0.0;          ///< variance of the logarithm of what a block says
  double starts_ = 0.0;               ///< of all batches so far
  std::vector<double> agreements_s_;  ///< what short blocks cost besides their executions
  double expected_ = 0.0;             ///< starts in all; 0: unknown
  int rounds_ = 0;                    ///< of the finalists
  std::vector<int> field_;            ///< finalists that may still win, in the order of the table
  std::vector<int> hearing_;          ///< those that are heard again
  int hearings_ = 0;                  ///< their turns so far
  int hearing_executions_ = 0;
  double next_hearing_ = 0.0;  ///< starts
  Challenge challenge_;
  bool comparing_ = false;  ///< the batch is a round of theirs
  bool concluding_ = false;
};

}  // namespace adcl::search
