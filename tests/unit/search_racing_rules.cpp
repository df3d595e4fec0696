// The margins of the race, on clocks on which exactly one rule decides.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "unit/search_support.hpp"

namespace adcl::search {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

using Names = std::vector<std::string>;
/// A race of which every counted execution is scripted: the times of a block repeat where it is longer than they are.
class Script {
 public:
  using Times = std::vector<double>;

  Script(int candidates, int measurements) : world_("racing", plain(candidates), {}, parameters(measurements)) {}

  /// One batch in which candidate i takes times[i]; an execution that does not count takes for ever.
  Script& batch(const std::vector<Times>& times) {
    std::map<int, std::size_t> counted;
    Search& search = world_.first();
    while (!search.verdict() && !search.ready()) {
      const Ticket ticket = search.next();
      const Times& own = times.at(static_cast<std::size_t>(ticket.candidate));
      search.record(ticket, ticket.slot < 0 ? 1e9 : own[counted[ticket.candidate]++ % own.size()]);
    }
    if (!search.verdict()) {
      world_.agree();
    }
    return *this;
  }

  World& world() { return world_; }
  [[nodiscard]] std::string removed(int candidate) {
    return world_.first().knowledge()[static_cast<std::size_t>(candidate)].removed;
  }

 private:
  World world_;
};

/// Three times with that mean; two are below and one far above, so that blocks of several candidates overlap.
Script::Times wide(double mean) { return {0.85 * mean, 0.85 * mean, 1.3 * mean}; }

TEST(RacingRules, TheMarginShrinksWithTheNumberOfMeasurements) {
  // The leader is seldom slow, so that no other rule has evidence: its longest time is above all others' shortest.
  const std::vector<Script::Times> heats = {{0.6, 1.4}, {3.1}, {2.9}, {2.1}, {1.9}, {1.6}, {1.4}};
  std::vector<Script::Times> rounds = heats;
  rounds[0] = {0.05, 0.05, 2.95};  // 3.05 / 3
  Script race(7, 100);
  race.batch(heats).batch(heats);
  EXPECT_EQ(race.world().considered(), (Names{"c0", "c2", "c3", "c4", "c5", "c6"})) << "3 times after two";
  EXPECT_EQ(race.removed(1), "slower: at best 3.1 s of 2 measurements, against a mean of 1 s of c0");
  race.batch(rounds);
  EXPECT_EQ(race.world().considered(), (Names{"c0", "c4", "c5", "c6"})) << "2 times after five";
  EXPECT_NE(race.removed(3).find("of 5 measurements, against a mean"), std::string::npos) << race.removed(3);
  race.batch(rounds);
  EXPECT_EQ(race.world().considered(), (Names{"c0", "c6"})) << "1.5 times after eight: what is 1.4 times slower stays";
  EXPECT_NE(race.removed(5).find("of 8 measurements, against a mean"), std::string::npos) << race.removed(5);
}

TEST(RacingRules, TheFirstOfTheTableIsJudgedByEightMeasurements) {
  const std::vector<Script::Times> heats = {{3.2}, {0.6, 1.4}};
  const std::vector<Script::Times> rounds = {{3.2}, {0.05, 0.05, 3.3}};
  Script race(2, 100);
  race.batch(heats).batch(heats);
  EXPECT_EQ(race.removed(0), "") << "3.2 times slower after two";
  race.batch(rounds);
  EXPECT_EQ(race.removed(0), "") << "2.8 times slower after five";
  race.batch(rounds);
  EXPECT_EQ(race.removed(0), "slower: at best 3.2 s of 8 measurements, against a mean of 1.13 s of c1");
  EXPECT_EQ(race.world().winner(), "c1");
}

TEST(RacingRules, TwoMeasurementsThatDoNotOverlapAreNoEvidenceAndFiveAre) {
  const std::vector<Script::Times> apart = {{1.0, 1.05}, {1.1, 1.15}, {1.02, 1.12}};
  Script race(3, 100);
  race.batch(apart).batch(apart);
  EXPECT_EQ(race.world().considered(), (Names{"c0", "c1", "c2"}));
  race.batch(apart);
  EXPECT_EQ(race.world().considered(), (Names{"c0", "c2"}));
  EXPECT_EQ(race.removed(1), "slower: at best 1.1 s of 5 measurements, against at worst 1.05 s of c0");
}

TEST(RacingRules, WhatTheLeaderOnceTookInTheHeatsCounts) {
  // Its longest time is that of all its blocks.
  Script race(2, 100);
  race.batch({{1.0}, {1.1}}).batch({{1.0, 1.2}, {1.1}}).batch({{1.0}, {1.1}});
  EXPECT_EQ(race.removed(1), "");
}

/// c0 is slower than c1 by these parts of its time, a round each.
Script behind(const std::vector<double>& parts, int measurements = 100) {
  Script race(2, measurements);
  race.batch({{1.0}, {1.0}}).batch({{0.8, 1.2}, {0.8, 1.2}});
  for (const double part : parts) {
    race.batch({wide(1.0 + part), wide(1.0)});
  }
  return race;
}

TEST(RacingRules, ALikelyDifferenceAboveATieReplacesTheFirstOfTheTable) {
  // 5 %, from 2.8 to 7.2 % with 90 %: likely, but not beyond doubt.
  Script race = behind({0.03, 0.05, 0.07});
  ASSERT_TRUE(race.world().first().verdict());
  EXPECT_EQ(race.world().winner(), "c1") << race.world().reason();
  EXPECT_NE(race.world().reason().find("would cost more than it can gain"), std::string::npos) << race.world().reason();
  EXPECT_EQ(race.removed(0), "slower: 1.05 s against 1 s of c1") << "it was in the race to the end";
}

TEST(RacingRules, ADifferenceBeyondDoubtEndsTheRaceOfTheSlower) {
  Script race = behind({0.049, 0.05, 0.051});
  EXPECT_EQ(race.world().winner(), "c1");
  EXPECT_EQ(race.removed(0), "slower: 1.05 s against 1 s of c1 in 3 rounds side by side");
}

TEST(RacingRules, ATieKeepsTheFirstOfTheTableAfterThreeRounds) {
  // 1 %, from 0.5 to 1.5 % with 90 %.
  Script race = behind({0.005, 0.010});
  ASSERT_FALSE(race.world().first().verdict()) << "two rounds tell nothing";
  race = behind({0.005, 0.010, 0.015});
  EXPECT_EQ(race.world().winner(), "c0");
  EXPECT_NE(race.world().reason().find("the last 2 are a tie within 2 % after 3 rounds"), std::string::npos)
      << race.world().reason();
}

TEST(RacingRules, WhatMayBeSevenPercentIsNoTie) {
  // 1 % on average, but from -5.5 to 7.5 % with 90 %: more rounds can gain more than they cost.
  Script race = behind({-0.05, 0.01, 0.07});
  EXPECT_FALSE(race.world().first().verdict()) << race.world().reason();
}

TEST(RacingRules, WhatIsUncertainKeepsTheFirstOfTheTable) {
  // 5 % on average, from -0.3 to 10 %: nobody may hope for more from it, and the budget ends the race.
  Script race = behind({0.01, 0.02, 0.12}, 1);
  ASSERT_TRUE(race.world().first().verdict());
  EXPECT_EQ(race.world().winner(), "c0") << race.world().reason();
  EXPECT_NE(race.world().reason().find("c0, the first in the table, is kept: 3 rounds side by side do not separate it"),
            std::string::npos)
      << race.world().reason();
}

TEST(RacingRules, FinalistsRunThreeRoundsHoweverSmallTheBudget) {
  World world("racing", plain(10), {}, parameters(1));
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> noise(0.5, 1.5);
  world.run([&](int, int, int) { return noise(engine); });
  int most = 0;
  for (int i = 0; i < 10; ++i) {
    most = std::max(most, world.measurements(i));
  }
  EXPECT_EQ(most, 1 + 1 + 3) << "the look, the heat and the rounds";
}

TEST(RacingRules, TheBudgetOfAFewCandidatesIsThatOfTen) {
  // Nothing separates the two, and more rounds could gain more than they cost.
  World world("racing", plain(2), {}, parameters(10));
  double sign = 1.0;
  int batches = 0;
  while (!world.first().verdict() && batches < 100) {
    world.batch([&](int, int candidate, int run) {
      return 1.0 + (candidate == 1 ? 0.3 * sign : 0.02) * (run % 2 == 0 ? 1.0 : 0.9);
    });
    sign = -sign;
    world.agree();
    ++batches;
  }
  EXPECT_NE(world.reason().find("the search ended after 102 starts"), std::string::npos) << world.reason();
  EXPECT_EQ(batches, 1 + 1 + 12);
}

TEST(RacingRules, TwoRoundsAreNoEvidenceAgainstTheFirstOfTheTable) {
  // After two rounds no time of the first one arrives any more: their difference stays unknown.
  Script race(2, 1);
  race.batch({{1.0}, {1.0}}).batch({{1.0}, {1.0}}).batch({{1.1}, {1.0}}).batch({{1.1}, {1.0}});
  for (int round = 0; round < 20 && !race.world().first().verdict(); ++round) {
    race.batch({{never}, {1.0}});
  }
  EXPECT_EQ(race.world().winner(), "c0") << race.world().reason();
}

}  // namespace
}  // namespace adcl::search
