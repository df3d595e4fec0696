// The search "model": the candidates that it tries, their order, and the end of the search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "select/model/belief.hpp"
#include "select/search.hpp"

namespace adcl::select {
namespace {

constexpr double microsecond = 1e-6;

/// A program on one rank that starts a request.
struct ScriptedProgram {
  std::vector<Candidate> candidates;
  std::vector<double> times_s;
  double first_s = 30 * microsecond;  ///< additional cost of the first start of each candidate
  std::vector<int> ran{};             ///< number of starts of each candidate
  std::vector<int> order{};           ///< candidates in the order of their first starts
  double spent_s = 0.0;
  int last = -1;  ///< the candidate of the last start, or the winner
  std::optional<Verdict> verdict{};
  std::function<double(int candidate, int start)> factor{};  ///< multiplies a time; null: a small variation

  void run(int starts, const std::string& expected_starts = "0") {
    const Logic& logic = find("model");
    Parameters parameters;
    parameters.options = OptionValues(logic.options);
    parameters.options.add(measure::table().front().options);
    for (const Option& option : logic.options) {
      if (option.name == "ADCL_EXPECTED_STARTS") {
        parameters.options.set(option, expected_starts);
      }
    }
    const auto search = logic.make(candidates, {}, parameters);
    ran.assign(candidates.size(), 0);
    for (int start = 0; start < starts && !search->verdict(); ++start) {
      const Ticket ticket = search->next();
      const auto place = static_cast<std::size_t>(ticket.candidate);
      last = ticket.candidate;
      if (ran[place]++ == 0) {
        order.push_back(ticket.candidate);
        search->spend(ticket.candidate, first_s);
        spent_s += first_s;
      }
      const double seconds =
          times_s[place] * (factor != nullptr ? factor(ticket.candidate, start) : 1.0 + 0.01 * (start % 3));
      search->spend(ticket.candidate, seconds);
      search->record(ticket, seconds);
      spent_s += seconds;
      if (search->ready()) {
        search->absorb(search->pending());
      }
    }
    verdict = search->verdict();
    last = verdict.has_value() ? verdict->winner : last;
  }
};

std::vector<Candidate> without_attributes(int count) {
  std::vector<Candidate> result;
  for (int i = 0; i < count; ++i) {
    result.push_back({"c" + std::to_string(i), {}});
  }
  return result;
}

TEST(Model, RunsNoTrialInAShortProgram) {
  ScriptedProgram program{without_attributes(5), {2e-6, 1e-6, 1e-6, 1e-6, 1e-6}, 1e-3};
  program.run(100);
  EXPECT_EQ(program.ran, (std::vector<int>{100, 0, 0, 0, 0}));
}

/// Number of agreements in a program of two candidates. The plan of the second candidate takes the time of \p plan
/// operations.
int agreements(double agreement_s, double operation_s, double plan, int starts) {
  const Logic& logic = find("model");
  Parameters parameters;
  parameters.options = OptionValues(logic.options);
  parameters.options.add(measure::table().front().options);
  std::vector<Candidate> candidates = without_attributes(2);
  candidates[0].expected = {0.0, 1.0};
  candidates[1].expected = {0.0, plan};
  const auto search = logic.make(candidates, {}, parameters);
  int made = 0;
  double owed_s = 0.0;
  for (int start = 0; start < starts && !search->verdict(); ++start) {
    const Ticket ticket = search->next();
    const double seconds = (ticket.candidate == 0 ? 1.0 : 3.0) * operation_s;
    search->spend(ticket.candidate, seconds + std::exchange(owed_s, 0.0));
    search->record(ticket, seconds);
    if (search->ready()) {
      search->absorb(search->pending());
      owed_s = agreement_s;
      ++made;
    }
  }
  return made;
}

constexpr double unaffordable = 700.0;  ///< cost of a plan that is not worthwhile in a program of 1000 starts

TEST(Model, AgreesLessOftenIfAgreementsAreSlow) {
  EXPECT_GE(agreements(0.0, 100 * microsecond, unaffordable, 1000), 15);
  EXPECT_LE(agreements(1000 * microsecond, 100 * microsecond, unaffordable, 1000), 12);
}

TEST(Model, AgreesMoreOftenIfATrialMayBeWorthItsCost) {
  const int fewest = agreements(0.0, microsecond, unaffordable, 1000);
  EXPECT_GE(fewest, 4) << "the time of the leader may be wrong";
  EXPECT_LE(fewest, 5) << "one agreement each time the number of starts has quadrupled";
  EXPECT_GT(agreements(0.0, microsecond, 30.0, 1000), fewest);
}

TEST(Model, FindsTheFastestInALongProgram) {
  ScriptedProgram program{without_attributes(6), {9e-6, 7e-6, 5e-6, 3e-6, 8e-6, 6e-6}};
  program.run(200000);
  ASSERT_TRUE(program.verdict.has_value());
  EXPECT_EQ(program.verdict->winner, 3);
}

TEST(Model, LimitsTheCostOfTrials) {
  for (const int starts : {20, 50, 100, 300, 1000, 3000}) {
    ScriptedProgram program{without_attributes(20), std::vector<double>(20, 10e-6), 200e-6};
    program.run(starts);
    EXPECT_LE(program.spent_s, 2.5 * starts * 10e-6 + 200e-6) << starts;
  }
}

TEST(Model, BeginsWithTheLowestPrior) {
  ScriptedProgram program{without_attributes(4), {4e-6, 2e-6, 1e-6, 3e-6}};
  for (std::size_t i = 0; i < 4; ++i) {
    program.candidates[i].expected.log_time = std::log(program.times_s[i]);
  }
  program.run(100000);
  ASSERT_TRUE(program.verdict.has_value());
  EXPECT_EQ(program.verdict->winner, 2);
  EXPECT_EQ(program.order.front(), 2);
  EXPECT_GT(program.ran.front(), 0) << "others are compared with the first of the table";
}

TEST(Model, TriesCandidatesWithExpensivePlansLater) {
  ScriptedProgram cheap{without_attributes(2), {2e-6, 1e-6}};
  cheap.candidates[0].expected = {0.0, 10.0};
  cheap.candidates[1].expected = {0.0, 10.0};
  ScriptedProgram expensive = cheap;
  expensive.candidates[1].expected.first = 300.0;
  cheap.run(600);
  expensive.run(600);
  EXPECT_GT(cheap.ran[1], 0);
  EXPECT_EQ(expensive.ran[1], 0);
  expensive.run(100000);
  ASSERT_TRUE(expensive.verdict.has_value()) << "in a long program";
  EXPECT_EQ(expensive.verdict->winner, 1) << expensive.verdict->reason;
}

TEST(Model, CorrectsWrongPriors) {
  ScriptedProgram program{without_attributes(3), {4e-6, 1e-6, 40e-6}};
  program.candidates[0].expected.log_time = 1.0;
  program.candidates[1].expected.log_time = 0.5;
  program.candidates[2].expected.log_time = 0.0;
  program.run(100000);
  ASSERT_TRUE(program.verdict.has_value());
  EXPECT_EQ(program.verdict->winner, 1);
  EXPECT_LT(program.ran[2], 100) << "until the first of the table is affordable";
}

TEST(Model, KeepsTheFirstIfNoneIsFaster) {
  ScriptedProgram program{without_attributes(3), {1.00e-6, 0.995e-6, 1.2e-6}};
  program.run(100000);
  ASSERT_TRUE(program.verdict.has_value());
  EXPECT_EQ(program.verdict->winner, 0);
}

/// Runs a program whose fastest candidate is the first of the table, but takes \p times as long in the first 40 starts,
/// because of cold caches or a disturbance. Returns the candidate that runs after \p starts starts, and the time of all
/// starts relative to the first candidate alone.
std::pair<int, double> run_with_slow_beginning(double times, int starts) {
  ScriptedProgram program{without_attributes(4), {10e-6, 23e-6, 28e-6, 40e-6}, 0.0};
  program.factor = [=](int candidate, int start) {
    return (candidate == 0 && start < 40 ? times : 1.0) * (1.0 + 0.02 * (start % 3));
  };
  program.run(starts);
  return {program.last, program.spent_s / (starts * 10e-6)};
}

TEST(Model, RepeatsASlowTrialOfTheFirst) {
  for (const int starts : {3000, 200000}) {
    for (const double times : {2.5, 4.0}) {
      EXPECT_EQ(run_with_slow_beginning(times, starts).first, 0) << times << " times, " << starts << " starts";
    }
  }
  EXPECT_LT(run_with_slow_beginning(4.0, 20000).second, 1.2);
}

TEST(Model, LimitsTheCostOfASlowFirst) {
  for (const double times : {1.5, 5.0, 300.0}) {
    ScriptedProgram program{without_attributes(3), {times * 10e-6, 10e-6, 11e-6}};
    program.run(3000);
    EXPECT_NE(program.last, 0);
    EXPECT_LT(program.ran[0] * (times - 1.0), 0.1 * 3000 + 10 * times) << times;
  }
}

/// Each of eight candidates is the fastest for 50 starts, one after the other. The first candidate of the table takes
/// 1.5 times as long.
TEST(Model, LimitsComparisonsOfChangingLeadersWithTheFirst) {
  for (int starts = 100; starts <= 2000; starts += 50) {
    std::vector<double> times_s(9, 10e-6);
    times_s[0] = 15e-6;
    ScriptedProgram program{without_attributes(9), times_s};
    program.factor = [](int candidate, int start) {
      const bool fastest = candidate == 0 || candidate - 1 == start / 50 % 8;
      return (fastest ? 1.0 : 1.1) * (1.0 + 0.01 * (start % 3));
    };
    program.run(starts);
    constexpr int first_trial = 3;
    EXPECT_LE(0.5 * (program.ran[0] - first_trial), 0.02 * starts) << starts;
  }
}

TEST(Model, UsesTheExpectedNumberOfStarts) {
  ScriptedProgram informed{without_attributes(9), {20e-6, 10e-6, 10e-6, 10e-6, 10e-6, 10e-6, 10e-6, 10e-6, 10e-6}};
  informed.run(30, "100000");
  ScriptedProgram uninformed = informed;
  uninformed.order.clear();
  uninformed.run(30);
  EXPECT_GT(informed.order.size(), uninformed.order.size());
}

TEST(Model, SkipsIdenticalConsecutiveTickets) {
  const Logic& logic = find("model");
  Parameters parameters;
  parameters.options = OptionValues(logic.options);
  parameters.options.add(measure::table().front().options);
  const auto search = logic.make(without_attributes(3), {}, parameters);
  int skipped = 0;
  for (int start = 0; start < 200; ++start) {
    const Ticket ticket = search->next();
    if (ticket.slot < 0) {
      skipped += search->skip();
    }
    search->spend(ticket.candidate, start == 0 ? 1e-3 : 1e-6);
    search->record(ticket, 1e-6);
    if (search->ready()) {
      search->absorb(search->pending());
    }
  }
  EXPECT_GT(skipped, 100);
}

/// Number of wins of each candidate in 60 programs with noisy times.
std::vector<int> winners(const std::vector<double>& times_s, double noise) {
  std::vector<int> won(times_s.size(), 0);
  for (unsigned seed = 1; seed <= 60; ++seed) {
    ScriptedProgram program{without_attributes(static_cast<int>(times_s.size())), times_s};
    program.factor = [engine = std::mt19937(seed), noise](int /*candidate*/, int /*start*/) mutable {
      return std::exp(noise * std::normal_distribution<double>()(engine));
    };
    program.run(200000);
    EXPECT_TRUE(program.verdict.has_value()) << seed;
    if (program.verdict.has_value()) {
      ++won[static_cast<std::size_t>(program.verdict->winner)];
    }
  }
  return won;
}

TEST(Model, SeparatesCandidatesThatDifferByThreePercent) {
  EXPECT_GE(winners({20e-6, 10.3e-6, 10e-6, 15e-6}, 0.08)[2], 57);
}

/// Times vary by a factor of 1.35, as on a network.
TEST(Model, NoisyTimesAreNoReasonToKeepASlowerFirst) { EXPECT_GE(winners({10.5e-6, 10e-6, 15e-6}, 0.3)[1], 45); }

TEST(Model, PrefersTheFirstOfTiedCandidates) { EXPECT_GE(winners({20e-6, 10.03e-6, 10e-6, 15e-6}, 0.03)[1], 57); }

TEST(Model, ComparesFinalistsInBlocksOfEqualLength) {
  // A codelet is 5 % faster in long blocks.
  ScriptedProgram program{without_attributes(3), {20e-6, 10.2e-6, 10e-6}};
  int last = -1;
  int in_a_row = 0;
  program.factor = [&](int candidate, int start) {
    in_a_row = candidate == last ? in_a_row + 1 : 0;
    last = candidate;
    return (in_a_row > 12 ? 0.95 : 1.0) * (1.0 + 0.002 * (start % 3));
  };
  program.run(200000);
  ASSERT_TRUE(program.verdict.has_value());
  EXPECT_EQ(program.verdict->winner, 2) << program.verdict->reason;
}

/// The first starts after an agreement take longer. All finalists are affected in the same way.
TEST(Model, FinalistsTakeTurnsInRunningFirst) {
  const Logic& logic = find("model");
  Parameters parameters;
  parameters.options = OptionValues(logic.options);
  parameters.options.add(measure::table().front().options);
  const auto search = logic.make(without_attributes(3), {}, parameters);
  const std::vector<double> times_s{20e-6, 10e-6, 10.3e-6};
  int since = 0;
  for (int start = 0; start < 200000 && !search->verdict(); ++start) {
    const Ticket ticket = search->next();
    const double usual_s = times_s[static_cast<std::size_t>(ticket.candidate)];
    const double seconds = usual_s * (since++ < 8 ? 1.1 : 1.0) * (1.0 + 0.002 * (start % 3));
    search->spend(ticket.candidate, seconds);
    search->record(ticket, seconds);
    if (search->ready()) {
      search->absorb(search->pending());
      since = 0;
    }
  }
  ASSERT_TRUE(search->verdict().has_value());
  EXPECT_EQ(search->verdict()->winner, 1) << search->verdict()->reason;
}

TEST(Belief, ObservationsChangeCorrelatedCandidates) {
  Belief belief({0.0, 0.0, 0.0}, {1.0, 0.9, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0, 1.0});
  belief.observe({{0, -10.0, 0.01}, {1, -12.0, 0.01}});
  EXPECT_NEAR(belief.mean(0), -10.0, 0.2);
  EXPECT_NEAR(belief.mean(1), -12.0, 0.3);
  EXPECT_NEAR(belief.mean(2), -10.0, 1e-9) << "only the constant is known";
  EXPECT_LT(belief.variance(1), 0.02);
  EXPECT_NEAR(belief.variance(2), 1.0, 1e-9);
}

TEST(Belief, ExpectedExcessOfANormalVariable) {
  EXPECT_NEAR(expected_excess(0.0, 1.0), 0.398942, 1e-6);
  EXPECT_NEAR(expected_excess(1.0, 1.0), 1.083315, 1e-6);
  EXPECT_EQ(expected_excess(0.5, 0.0), 0.5);
  EXPECT_EQ(expected_excess(-0.5, 0.0), 0.0);
}

}  // namespace
}  // namespace adcl::select
