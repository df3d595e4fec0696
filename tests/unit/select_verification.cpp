// Verification of earlier results: a search begins only if their winner does not keep its time.
#include "select/verification.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

measure::Numbers known(double seconds, double spread_s = 0.0, double measurements = 10.0) {
  return {seconds, seconds, 0.0, measurements, spread_s};
}

/// Verifies \p prior on two ranks, and searches with \p logic if the verification fails.
class VerificationOnTwoRanks {
 public:
  VerificationOnTwoRanks(const std::string& logic, const std::vector<measure::Numbers>& prior, int measurements = 8,
                         int former_winner = -1, Recheck cause = Recheck::slower)
      : candidates_(plain(static_cast<int>(prior.size()))) {
    const Parameters own = with_own_options(parameters(measurements), find(logic));
    for (int rank = 0; rank < 2; ++rank) {
      ranks_.push_back(std::make_unique<Verification>(
          candidates_, AttributeSet{}, own, prior,
          [own, logic](std::vector<Candidate> candidates) {
            return find(logic).make(std::move(candidates), AttributeSet{}, own);
          },
          cause, former_winner));
    }
  }

  Verification& rank(int r) { return *ranks_.at(static_cast<std::size_t>(r)); }

  Ticket step(const Clock& clock) {
    const Ticket ticket = rank(0).next();
    const Ticket other = rank(1).next();
    EXPECT_EQ(ticket.candidate, other.candidate);
    EXPECT_EQ(ticket.slot, other.slot);
    if (ticket.slot >= 0) {
      ++measured_;
      EXPECT_GT(ticket.slot, last_slot_) << "a slot is used twice";
      last_slot_ = ticket.slot;
    }
    for (int r = 0; r < 2; ++r) {
      const double seconds = clock(r, ticket.candidate, starts_);
      if (seconds == seconds) {
        rank(r).record(ticket, seconds);
      }
    }
    ++starts_;
    return ticket;
  }

  void agree() {
    std::vector<double> reduced = rank(0).pending();
    const std::vector<double> other = rank(1).pending();
    ASSERT_EQ(reduced.size(), other.size());
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      reduced[i] = std::max(reduced[i], other[i]);
    }
    rank(0).absorb(reduced);
    rank(1).absorb(reduced);
  }

  void batch(const Clock& clock) {
    while (!rank(0).verdict() && !rank(0).ready()) {
      step(clock);
    }
  }

  int winner(const Clock& clock) {
    for (int batches = 0; !rank(0).verdict() && batches < 1000; ++batches) {
      batch(clock);
      if (!rank(0).verdict()) {
        agree();
      }
    }
    return rank(0).verdict() ? rank(0).verdict()->winner : -1;
  }

  void drop(int candidate, const std::string& reason) {
    rank(0).drop(candidate, reason);
    rank(1).drop(candidate, reason);
  }

  [[nodiscard]] int measured() const { return measured_; }
  [[nodiscard]] int starts() const { return starts_; }

 private:
  std::vector<Candidate> candidates_;
  std::vector<std::unique_ptr<Verification>> ranks_;
  int measured_ = 0;
  int starts_ = 0;
  int last_slot_ = -1;
};

TEST(Verification, RejectsFasterTimesAfterADisturbance) {
  const Clock quiet = constant({0.5, 0.6, 2.0});
  VerificationOnTwoRanks trusting("brute_force", {known(3.0), known(1.0), known(2.0)}, 8, 1);
  EXPECT_EQ(trusting.winner(quiet), 1) << "not slower than before";
  VerificationOnTwoRanks suspicious("brute_force", {known(3.0), known(1.0), known(2.0)}, 8, 1, Recheck::faster);
  EXPECT_EQ(suspicious.winner(quiet), 0) << "other candidates may have become faster, too";
  VerificationOnTwoRanks as_it_was("brute_force", {known(3.0), known(1.0), known(2.0)}, 8, 1, Recheck::faster);
  EXPECT_EQ(as_it_was.winner(constant({0.5, 0.95, 2.0})), 1);
  EXPECT_EQ(as_it_was.measured(), verification_measurements);
}

TEST(Verification, AcceptsOneExecutionInTheEarlierTime) {
  const auto held = [](double shortest_s) {
    VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0), known(2.0)});
    verified.winner([shortest_s](int, int candidate, int run) {
      const double disturbed_s = run == verification_warm_ups + 2 ? shortest_s : 9.0;
      return candidate == 1 ? disturbed_s : 3.0;
    });
    return verified.rank(0).held();
  };
  EXPECT_TRUE(held(1.05)) << "a disturbance of the other executions";
  EXPECT_FALSE(held(5.0));
}

TEST(Verification, TriesEachCandidateThreeTimes) {
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0), known(2.0)}, 8, 1);
  const Clock none = [](int, int, int) { return never; };
  for (int i = 0; i < 2; ++i) {
    verified.batch(none);
    verified.agree();
  }
  verified.drop(1, "its plan failed");
  for (int i = 0; i < 2; ++i) {
    verified.batch(none);
    verified.agree();
  }
  const int before = verified.measured();
  EXPECT_EQ(verified.winner(constant({3.0, 1.0, 2.0})), 2);
  EXPECT_TRUE(verified.rank(0).held());
  EXPECT_EQ(verified.measured() - before, verification_measurements);
}

TEST(Verification, DisturbanceOfTheVerificationDoesNotChangeTheWinner) {
  const Clock disturbed_first = [](int, int candidate, int run) {
    const double usual[] = {4.0, 1.0, 6.0};
    return usual[candidate] * (run < verification_warm_ups + verification_measurements ? 10.0 : 1.0);
  };
  VerificationOnTwoRanks verified("model", {known(4.0), known(1.0), known(6.0)});
  EXPECT_EQ(verified.winner(disturbed_first), 1);
}

TEST(Verification, AcceptsASlowStartOfAnotherRunIfTheWinnerStillWins) {
  const std::vector<measure::Numbers> prior = {known(3.0), known(1.0), known(1.45), {}};
  const auto held = [&](Recheck cause, double seconds) {
    VerificationOnTwoRanks verified("brute_force", prior, 8, -1, cause);
    verified.winner(constant({3.0, seconds, 1.4, 5.0}));
    return verified.rank(0).held();
  };
  EXPECT_TRUE(held(Recheck::another_run, 1.4));
  EXPECT_FALSE(held(Recheck::another_run, 1.47)) << "the third candidate took less";
  EXPECT_FALSE(held(Recheck::slower, 1.4)) << "the state of the machine has changed during the run";
  VerificationOnTwoRanks alone("brute_force", {known(1.0), {}}, 8, -1, Recheck::another_run);
  alone.winner(constant({1.6, 0.5}));
  EXPECT_FALSE(alone.rank(0).held()) << "more than 1.5 times the earlier time";
}

TEST(Verification, AcceptsAFasterWinnerOfAnotherRunThatDidNotHaveTheLowestTime) {
  const auto held = [](Recheck cause) {
    VerificationOnTwoRanks verified("brute_force", {known(0.7), known(1.0)}, 8, 1, cause);
    verified.winner(constant({0.7, 0.75}));
    return verified.rank(0).held();
  };
  EXPECT_TRUE(held(Recheck::another_run));
  EXPECT_TRUE(held(Recheck::slower));
  EXPECT_FALSE(held(Recheck::faster)) << "other candidates may have become faster, too";
}

TEST(Verification, RejectsImplausibleTimesOfAnotherRun) {
  const auto outcome = [](double stored, Recheck cause) {
    VerificationOnTwoRanks verified("model", {known(2.0 * stored), known(stored)}, 8, -1, cause);
    const int winner = verified.winner(constant({0.5, 1.0}));
    return verified.rank(0).held() ? 10 + winner : winner;
  };
  EXPECT_EQ(outcome(9.0, Recheck::another_run), 11) << "a disturbance of the other run is plausible";
  EXPECT_EQ(outcome(11.0, Recheck::another_run), 0);
  EXPECT_EQ(outcome(1e300, Recheck::another_run), 0);
  EXPECT_EQ(outcome(11.0, Recheck::slower), 11) << "times of this run";
}

TEST(Verification, JudgesByTheEarlierTimeAfterASlowStart) {
  const Clock settling = [](int, int candidate, int run) { return candidate != 1 ? 1.75 : run < 6 ? 5.0 : 0.5; };
  VerificationOnTwoRanks verified("brute_force", {known(1.75), known(0.6)}, 8, -1, Recheck::another_run);
  EXPECT_EQ(verified.winner(settling), 1);
  EXPECT_DOUBLE_EQ(verified.rank(0).knowledge()[1].judged_s, 0.6);
  EXPECT_TRUE(verified.rank(0).verdict()->ties.empty());
  EXPECT_EQ(verified.rank(0).verdict()->reason,
            "c1, the former winner, takes at least 500 ms in 5 measurements; it took 600 ms before");
}

TEST(Verification, WinnerThatKeepsItsTimeWinsAfterFiveMeasurements) {
  for (const Logic& logic : table()) {
    VerificationOnTwoRanks verified(logic.name, {known(3.0), known(1.0), known(2.0)});
    EXPECT_EQ(verified.winner(constant({0.1, 1.05, 0.1})), 1) << logic.name << ": others do not run";
    EXPECT_EQ(verified.measured(), verification_measurements) << logic.name;
    EXPECT_EQ(verified.starts(), verification_measurements + verification_warm_ups) << logic.name;
    const auto& all = verified.rank(0).knowledge();
    EXPECT_DOUBLE_EQ(all[1].judged_s, 1.05) << "the new time";
    EXPECT_DOUBLE_EQ(all[0].judged_s, 3.0) << "the earlier time";
    EXPECT_EQ(verified.rank(0).verdict()->reason,
              "c1, the former winner, takes 1.05 s in 5 measurements; it took 1 s before");
  }
}

TEST(Verification, VerifiesTheFormerWinnerEvenIfAnotherWasFaster) {
  VerificationOnTwoRanks verified("brute_force", {known(1.01), known(1.0), known(2.0)}, 8, 0);
  EXPECT_EQ(verified.winner(constant({1.02, 0.5, 0.5})), 0);
  EXPECT_EQ(verified.measured(), verification_measurements);
  EXPECT_TRUE(verified.rank(0).held());

  VerificationOnTwoRanks slower("brute_force", {known(1.01), known(1.0), known(2.0)}, 8, 0);
  EXPECT_EQ(slower.winner(constant({3.0, 1.0, 0.5})), 2);
  EXPECT_FALSE(slower.rank(0).held());
}

TEST(Verification, PriorIsTheJudgedTime) {
  const measure::Numbers disturbed = as_prior({{9.0, 8.0, 3.0, 40.0, 30.0}, 1.0, ""});
  EXPECT_EQ(VerificationOnTwoRanks("brute_force", {known(3.0), disturbed}).winner(constant({3.0, 1.05})), 1);
  EXPECT_EQ(VerificationOnTwoRanks("brute_force", {known(3.0), disturbed}).winner(constant({3.0, 6.0})), 0);
  EXPECT_EQ(as_prior({{}, std::numeric_limits<double>::infinity(), ""}).measurements, 0.0);
}

TEST(Verification, BeginsASearchWithoutResultsIfTheWinnerIsSlower) {
  for (const Logic& logic : table()) {
    VerificationOnTwoRanks verified(logic.name, {known(3.0), known(1.0), known(2.0)});
    EXPECT_EQ(verified.winner(constant({0.1, 1.2, 2.0})), 0) << logic.name;
    EXPECT_GT(verified.measured(), verification_measurements) << logic.name;
    EXPECT_DOUBLE_EQ(verified.rank(0).knowledge()[0].judged_s, 0.1) << logic.name;
  }
}

TEST(Verification, UsesTheTimeOfTheSlowestRank) {
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0)});
  const Clock clock = [](int rank, int candidate, int) { return candidate == 0 ? 0.5 : rank == 1 ? 1.5 : 1.0; };
  EXPECT_EQ(verified.winner(clock), 0);
}

TEST(Verification, AllowsForScatter) {
  const Clock clock = constant({3.0, 1.3});
  EXPECT_EQ(VerificationOnTwoRanks("brute_force", {known(3.0), known(1.0, 0.5)}).winner(clock), 1)
      << "1.1 s + 2 * 0.5 s / sqrt(10)";
  VerificationOnTwoRanks sure("brute_force", {known(3.0), known(1.0, 0.05)});
  sure.winner(clock);
  EXPECT_GT(sure.measured(), verification_measurements);
  const Clock scattered = [](int, int candidate, int run) { return candidate == 0 ? 3.0 : run % 2 == 0 ? 0.9 : 1.7; };
  VerificationOnTwoRanks loose("brute_force", {known(3.0), known(1.0)});
  EXPECT_EQ(loose.winner(scattered), 1);
  EXPECT_EQ(loose.measured(), verification_measurements) << "new measurements scatter";
}

TEST(Verification, MeasuresAtMostAsOftenAsASearch) {
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0)}, 2);
  EXPECT_EQ(verified.winner(constant({3.0, 1.0})), 1);
  EXPECT_EQ(verified.measured(), 2);
}

TEST(Verification, IgnoresResultsWithoutMeasurements) {
  VerificationOnTwoRanks verified("brute_force", std::vector<measure::Numbers>(3), 2);
  EXPECT_EQ(verified.winner(constant({3.0, 1.0, 2.0})), 1);
  EXPECT_EQ(verified.measured(), 6);
  EXPECT_THROW(Verification(
                   plain(2), {}, parameters(1), std::vector<measure::Numbers>(3),
                   [](std::vector<Candidate> /*candidates*/) { return std::unique_ptr<Search>(); }, Recheck::slower),
               Error);
}

/// The search tries the second candidate, which was nearly as fast, and not the third.
TEST(Verification, SearchUsesEarlierTimesAsPriors) {
  VerificationOnTwoRanks verified("model", {known(1.0), known(1.2), known(9.0)});
  int slow = 0;
  const Clock now = constant({2.0, 1.2, 9.0});
  EXPECT_EQ(verified.winner([&](int rank, int candidate, int i) {
    slow += candidate == 2 ? 1 : 0;
    return now(rank, candidate, i);
  }),
            1);
  EXPECT_EQ(slow, 0);
}

TEST(Verification, VerifiesTheNextFastestAfterADrop) {
  const Clock clock = constant({3.0, 1.0, 2.0});
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0), known(2.0)});
  for (int i = 0; i <= verification_warm_ups; ++i) {
    verified.step(clock);
  }
  verified.drop(1, "no window");
  EXPECT_EQ(verified.winner(clock), 2);
  EXPECT_EQ(verified.measured(), 1 + verification_measurements);
  verified.drop(2, "no window either");
  EXPECT_EQ(verified.rank(0).verdict()->winner, 0) << "also after the verdict";
}

TEST(Verification, DroppedCandidateStaysDroppedInTheSearch) {
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0), known(2.0)});
  verified.drop(0, "no window");
  EXPECT_EQ(verified.winner(constant({0.1, 9.0, 5.0})), 2);
  EXPECT_EQ(verified.rank(0).knowledge()[0].removed, "no window");
  EXPECT_EQ(verified.rank(0).knowledge()[0].numbers.measurements, 0.0);
}

TEST(Verification, LastRemainingCandidateWinsWithoutMeasurement) {
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0)});
  verified.drop(1, "no window");
  EXPECT_EQ(verified.winner(constant({3.0, 1.0})), 0);
  EXPECT_EQ(verified.measured(), 0);
}

TEST(Verification, IgnoresTimesOfTheVerificationInTheSearch) {
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0)}, 1);
  for (int i = 0; i < verification_warm_ups; ++i) {
    ASSERT_EQ(verified.step(constant({3.0, 9.0})).slot, -1);
  }
  const Ticket early = verified.step(constant({3.0, 9.0}));
  ASSERT_EQ(early.slot, 0);
  verified.agree();
  const Ticket first = verified.step(constant({3.0, never}));
  EXPECT_FALSE(verified.rank(0).record(early, 0.001));
  EXPECT_FALSE(verified.rank(0).amend({first.candidate, early.slot, 0}, 0.001));
  EXPECT_TRUE(verified.rank(0).amend(first, 2.0));
  EXPECT_THROW(verified.rank(0).prime(std::vector<measure::Numbers>(2)), Error);
}

TEST(Verification, RejectsAWinnerWithoutTimesOnSomeRank) {
  const Clock clock = [](int rank, int candidate, int) { return candidate == 1 && rank == 1 ? never : 1.0; };
  VerificationOnTwoRanks verified("brute_force", {known(3.0), known(1.0)}, 4);
  EXPECT_EQ(verified.winner(clock), 0);
}

}  // namespace
}  // namespace adcl::select
