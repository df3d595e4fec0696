// The speedup of the winner relative to the first codelet: its interval, the starts at which pairs run, and their cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "select/gain.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

TEST(Gain, NeedsSixPairs) {
  EXPECT_FALSE(gain_of({}).has_value());
  EXPECT_FALSE(gain_of({2.0, 2.0, 2.0, 2.0, 2.0}).has_value());
  EXPECT_TRUE(gain_of({2.0, 2.0, 2.0, 2.0, 2.0, 2.0}).has_value());
}

TEST(Gain, HasTheOrderStatisticsOfPublishedTables) {
  const Gain of_six = *gain_of({6.0, 1.0, 3.0, 2.0, 5.0, 4.0});
  EXPECT_DOUBLE_EQ(of_six.speedup, 3.5);
  EXPECT_DOUBLE_EQ(of_six.low, 1.0);
  EXPECT_DOUBLE_EQ(of_six.high, 6.0);
  std::vector<double> ratios;
  for (int i = 1; i <= 12; ++i) {
    ratios.push_back(i);
  }
  const Gain of_twelve = *gain_of(ratios);
  EXPECT_DOUBLE_EQ(of_twelve.speedup, 6.5);
  EXPECT_DOUBLE_EQ(of_twelve.low, 3.0);
  EXPECT_DOUBLE_EQ(of_twelve.high, 10.0);
  EXPECT_EQ(of_twelve.pairs, 12);
  EXPECT_FALSE(of_twelve.same());
}

TEST(Gain, OfTwelvePairsIgnoresAnOutlierAtEachEnd) {
  std::vector<double> ratios(10, 2.0);
  ratios.push_back(961.0);
  ratios.push_back(0.001);
  const Gain gain = *gain_of(ratios);
  EXPECT_DOUBLE_EQ(gain.speedup, 2.0);
  EXPECT_DOUBLE_EQ(gain.low, 2.0);
  EXPECT_DOUBLE_EQ(gain.high, 2.0);
}

TEST(Gain, IntervalContainsTheMedianInNineteenOfTwentyCases) {
  std::mt19937 engine(11);
  std::lognormal_distribution<double> ratio(std::log(1.3), 0.4);
  int enclosed = 0;
  constexpr int repetitions = 4000;
  for (int i = 0; i < repetitions; ++i) {
    std::vector<double> ratios(static_cast<std::size_t>(6 + i % 7));
    std::generate(ratios.begin(), ratios.end(), [&] { return ratio(engine); });
    const Gain gain = *gain_of(ratios);
    enclosed += gain.low <= 1.3 && 1.3 <= gain.high ? 1 : 0;
  }
  EXPECT_GE(enclosed, static_cast<int>(0.95 * repetitions));
}

/// A program of two ranks with different times, which must take the same decisions.
struct ComparedProgram {
  std::function<double(bool first)> seconds;
  double judged_first_s;
  double judged_winner_s;

  std::int64_t starts = 100;
  double comparison_s = 0.0;  ///< time of pairs beyond the winner's time
  int groups = 0;
  std::vector<GainPairs> ranks{GainPairs(false), GainPairs(false)};

  void run(std::int64_t last) {
    for (GainPairs& rank : ranks) {
      rank.compare(1, judged_first_s, judged_winner_s, starts);
    }
    while (std::max(starts, ranks[0].due()) < last) {
      EXPECT_EQ(ranks[0].due(), ranks[1].due());
      starts = std::max(starts, ranks[0].due());
      group();
    }
  }

  void group() {
    ++groups;
    while (const auto start = ranks[0].next()) {
      const auto other = ranks[1].next();
      ASSERT_TRUE(other.has_value());
      EXPECT_EQ(start->first, other->first);
      EXPECT_EQ(start->sample, other->sample);
      const double taken_s = seconds(start->first);
      comparison_s += start->first ? taken_s - judged_winner_s : 0.0;
      ++starts;
      if (start->sample >= 0) {
        ranks[0].record(start->sample, taken_s, never);
        ranks[1].record(start->sample, 0.9 * taken_s, never);
      }
    }
    EXPECT_FALSE(ranks[1].next().has_value());
    std::vector<double> reduced = ranks[0].pending();
    const std::vector<double> other = ranks[1].pending();
    ASSERT_EQ(reduced.size(), other.size());
    std::transform(reduced.begin(), reduced.end(), other.begin(), reduced.begin(),
                   [](double a, double b) { return std::max(a, b); });
    for (GainPairs& rank : ranks) {
      rank.posted(starts);
    }
    starts = ranks[0].due();
    for (GainPairs& rank : ranks) {
      rank.absorb(reduced, starts);
    }
    EXPECT_LE(comparison_s, 0.01 * static_cast<double>(starts) * judged_winner_s * 1.0001);
  }
};

TEST(GainPairs, MeasureTwelvePairsForOnePercentOfTheTime) {
  ComparedProgram program{[](bool first) { return first ? 2.1e-3 : 1e-3; }, 2.1e-3, 1e-3};
  program.run(1000000);
  EXPECT_EQ(program.groups, 4);
  EXPECT_FALSE(program.ranks[0].open());
  const Gain gain = *program.ranks[0].gain();
  EXPECT_NEAR(gain.speedup, 2.1, 1e-9);
  EXPECT_NEAR(gain.low, 2.1, 1e-9);
  EXPECT_EQ(gain.pairs, 12);
  EXPECT_LE(program.starts, 3500);
}

TEST(GainPairs, DoNotBeginInAShortProgram) {
  ComparedProgram program{[](bool first) { return first ? 2e-3 : 1e-3; }, 2e-3, 1e-3};
  program.run(500);
  EXPECT_EQ(program.groups, 0);
  EXPECT_FALSE(program.ranks[0].gain().has_value());
  EXPECT_TRUE(program.ranks[0].open());
}

TEST(GainPairs, AreDelayedIfTheFirstCodeletIsSlowerThanExpected) {
  // Two executions indicate a factor of 1.5, but the first codelet is 40 times slower.
  ComparedProgram program{[](bool first) { return first ? 40e-3 : 1e-3; }, 1.5e-3, 1e-3};
  program.groups = 0;
  program.ranks[0].compare(1, 1.5e-3, 1e-3, 100);
  program.ranks[1].compare(1, 1.5e-3, 1e-3, 100);
  program.starts = program.ranks[0].due();
  // The first group measures the cost; the next group starts when both cost at most 1 % of the program's time.
  while (const auto start = program.ranks[0].next()) {
    program.ranks[0].record(start->sample, program.seconds(start->first), never);
  }
  const std::vector<double> numbers = program.ranks[0].pending();
  program.ranks[0].posted(program.starts + 12);
  program.ranks[0].absorb(numbers, program.starts + 44);
  EXPECT_GE(program.ranks[0].due(), static_cast<std::int64_t>((6 * 39e-3) / (0.01 * 1e-3)));
}

TEST(GainPairs, DoNotBeginIfTheFirstCodeletIsHopeless) {
  GainPairs pairs(false);
  pairs.compare(1, 961e-6, 1e-6, 100);
  EXPECT_FALSE(pairs.open());
  EXPECT_GT(pairs.due(), std::int64_t{1} << 40);
  pairs.compare(1, std::numeric_limits<double>::infinity(), 1e-6, 100);
  EXPECT_FALSE(pairs.open());
}

TEST(GainPairs, OfAnotherWinnerAreDiscarded) {
  ComparedProgram program{[](bool first) { return first ? 2e-3 : 1e-3; }, 2e-3, 1e-3};
  program.run(1500);
  EXPECT_EQ(program.ranks[0].pairs(), 6);
  program.ranks[0].abandon();
  EXPECT_EQ(program.ranks[0].pairs(), 0);
  program.ranks[0].compare(2, 2e-3, 1e-3, 1500);
  EXPECT_GT(program.ranks[0].due(), 1800) << "includes the cost of the other winner's pairs";
}

TEST(GainPairs, WithoutTimesEndTheComparison) {
  GainPairs pairs(false);
  pairs.compare(1, 2e-3, 1e-3, 100);
  while (pairs.next().has_value()) {
  }
  const std::vector<double> numbers = pairs.pending();
  pairs.posted(1000);
  pairs.absorb(numbers, 1032);
  EXPECT_FALSE(pairs.open());
  EXPECT_EQ(pairs.pairs(), 0);
}

}  // namespace
}  // namespace adcl::select
