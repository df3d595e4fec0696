/// \file racing.hpp
/// A race: all candidates run in short blocks side by side, and those that fall behind drop out. Pure.
///
/// Order. Every block begins with an execution that does not count: the first one after a switch pays for the switch.
/// The blocks of a round run in an order that is random, and the same on all ranks, since it is computed from the
/// number of the round.
///
///  1. A first look: one execution of one candidate of each class, and of all that belong to no class. A class whose
///     representative takes more than 20 times as long as that of another one is out, and so is a candidate of no class
///     that takes more than 20 times as long as the fastest of all: a second execution would cost more than it can
///     tell. An execution before that does not count; it may pay for connections.
///  2. Heats: a block of two, first for those that were looked at, then for the others. When the representative of a
///     class is hopeless, three times slower, the others of its class do not run at all (paper section V).
///  3. Rounds: a block of every candidate that is left. Before each one a candidate is out when
///     - even its shortest time is longer than the leader's mean, by a margin that shrinks with the number of its
///       measurements: 3 times after the heats, 2 times after one round, 1.5 times after two; or
///     - even its shortest time is longer than the longest of the leader, with five measurements of each; or
///     - the paired difference from the leader is above zero beyond doubt (99 %, one-sided, at least 3 rounds).
///     When a share of the budget is spent, half of the candidates are out as well, down to three finalists. They are
///     compared by the faster half of their blocks, since a disturbance makes blocks longer and never shorter. Of a
///     given number of measurements the best use is to give every new half as many as the whole before it.
///  4. The end: one is left; or the budget is spent, which is n_m starts per candidate (at least ten candidates), what
///     brute force takes, and the finalists ran in three rounds; or all others are within 2 % of the leader (90 %,
///     one-sided either way); or another round costs more than all starts so far could have gained, had the best that
///     any other may be (90 %, one-sided) been known from the beginning: whoever searches longer than that must hope
///     that the program runs longer still.
///
/// Whether the leader wins is decided against the first usable candidate of the table, which only evidence takes out
/// of the race: where their paired difference may be zero (90 %, one-sided) or is surely below 2 %, the first one is
/// kept (design rule 9). A longest shortest time alone takes it out after eight measurements only.
/// Candidates that were known before (prime()) do not run; the fastest of them wins when it is faster than the winner.
///
/// Why all ranks take the same branch: every number used here was reduced over the ranks, and the order depends on the
/// number of rounds.
///
/// Source: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits" (ICML 2013) for halving;
/// Maron and Moore, "Hoeffding races" (NIPS 1993) for the race; paper section V for classes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "search/batch_search.hpp"
#include "search/paired.hpp"

namespace adcl::search {

/// Confidence that a candidate is slower before it is out, and that another one is faster before the first of the table
/// is replaced: \ref student_quantile knows these two.
inline constexpr double doubtless = 0.99;
inline constexpr double likely = 0.9;
/// A difference that is not worth having, as a part of the leader's time.
inline constexpr double tie = 0.02;
/// So few candidates are not halved any more.
inline constexpr int finalists = 3;
/// Executions of a block of the rounds whose times count.
inline constexpr int round_counted = 3;
inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

class Racing final : public BatchSearch {
 public:
  Racing(std::vector<Candidate> candidates, AttributeSet attributes, const Parameters& parameters);

 private:
  /// What the race knows of a candidate, beyond its Knowledge.
  struct Runner {
    std::vector<double> rounds;   ///< its time in each round; NaN: none
    double look_s = missing;      ///< its execution in the first look
    double heat_s = 0.0;          ///< its shortest time in the heats
    Range range;                  ///< of all its blocks
    bool runs = false;            ///< it was measured in this search
    estimate::Numbers collected;  ///< of all its blocks
  };
  enum class Stage { start, first_look, representatives, heats, rounds };
  /// Times by which candidates are compared before much is known of them.
  struct Evidence {
    std::vector<double> seconds;  ///< per candidate; NaN: it did not run
    double margin = 0.0;          ///< a candidate that took this many times as long as the fastest is hopeless
    const char* what = "";        ///< the times are
  };

  void advance() override;
  void forget() override;
  void learn(int candidate, const estimate::Numbers& numbers, const Range& range) override;
  [[nodiscard]] int leader() const override;
  [[nodiscard]] std::string sentence(int winner) const override;
  [[nodiscard]] std::string explanation(int loser, int winner) const override;
  [[nodiscard]] bool tied(int candidate, int winner) const override;

  [[nodiscard]] std::vector<int> representatives() const;
  void look_at(std::vector<int> members);
  [[nodiscard]] bool in_a_class(int candidate) const;
  [[nodiscard]] std::vector<int> seen_and_left() const;
  void judge_the_first_look();
  void judge_the_representatives();
  void rule_classes_out(const Evidence& evidence);
  void rule_class_out(const Evidence& evidence, std::size_t attribute, int best, const std::string& name);
  void begin_rounds();
  void next_round();
  void drop_the_hopeless();
  void drop_the_separated();
  void drop_the_slower();
  void halve();
  [[nodiscard]] double promise(int candidate) const;
  [[nodiscard]] bool ended();
  void run_blocks(std::vector<int> members, int counted);
  [[nodiscard]] std::vector<int> runners() const;
  [[nodiscard]] int pacemaker() const;
  [[nodiscard]] Difference behind(int candidate, int other) const;
  [[nodiscard]] bool kept_without_evidence() const;
  [[nodiscard]] Runner& runner(int candidate) { return runners_[static_cast<std::size_t>(candidate)]; }
  [[nodiscard]] const Runner& runner(int candidate) const { return runners_[static_cast<std::size_t>(candidate)]; }

  std::vector<Runner> runners_;
  Stage stage_ = Stage::start;
  int round_ = 0;        ///< rounds that began, the heats not among them
  int batch_ = 0;        ///< seeds the order
  double starts_ = 0.0;  ///< of all batches so far
  double budget_ = 0.0;  ///< starts of the whole search
  double share_ = 0.0;   ///< starts until the next halving
  double share_spent_ = 0.0;
  bool concluding_ = false;  ///< no more evidence will come
  std::string end_;          ///< why it ended
};

}  // namespace adcl::search
