// Stalls of codelets, and their effect on the search "model".
#include "select/model/stalls.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "select/search.hpp"

namespace adcl::select {
namespace {

constexpr double usual_s = 1e-4;

TEST(Stalls, IgnoreASingleDisturbedBlock) {
  Stalls stalls;
  EXPECT_EQ(stalls.factor(usual_s), 1.0);
  stalls.add(10, 50 * usual_s, usual_s);
  EXPECT_EQ(stalls.factor(usual_s), 1.0);
  stalls.add(100, usual_s, usual_s);
  EXPECT_EQ(stalls.factor(usual_s), 1.0);
}

TEST(Stalls, WeightGrowsWithTheNumberOfExecutions) {
  Stalls stalls;
  stalls.add(10, 3 * usual_s, usual_s);
  stalls.add(10, 3 * usual_s, usual_s);
  EXPECT_NEAR(stalls.factor(usual_s), 1.0 + 1.95 / 3.0, 1e-9);
  for (int i = 0; i < 40; ++i) {
    stalls.add(10, 3 * usual_s, usual_s);
  }
  EXPECT_NEAR(stalls.factor(usual_s), 1.0 + 1.95 * 41.0 / 43.0, 0.01);
}

TEST(Stalls, FadeOverTime) {
  Stalls stalls;
  for (int i = 0; i < 4; ++i) {
    stalls.add(100, 3 * usual_s, usual_s);
  }
  const double then = stalls.factor(usual_s);
  for (int i = 0; i < 40; ++i) {
    stalls.add(100, usual_s, usual_s);
  }
  EXPECT_GT(then, 2.5);
  EXPECT_EQ(stalls.factor(usual_s), 1.0);
}

TEST(Stalls, LengthOfTheWorstBlockFadesToo) {
  Stalls stalls;
  stalls.add(400, 3 * usual_s, usual_s);
  for (int i = 0; i < 60; ++i) {
    stalls.add(40, 2 * usual_s, usual_s);
    EXPECT_LT(stalls.factor(usual_s), 2.0) << "after " << i + 1 << " blocks with twice the usual time";
  }
  EXPECT_GT(stalls.factor(usual_s), 1.8);
}

TEST(Stalls, WorstBlockFadesWithTheOthers) {
  Stalls disturbed;
  Stalls calm;
  disturbed.add(10, 100 * usual_s, usual_s);
  for (int i = 0; i < 40; ++i) {
    disturbed.add(100, 1.2 * usual_s, usual_s);
    calm.add(100, 1.2 * usual_s, usual_s);
  }
  EXPECT_GT(calm.factor(usual_s), 1.1);
  EXPECT_NEAR(disturbed.factor(usual_s), calm.factor(usual_s), 0.01);
}

/// Returns the winner of a program of \p starts starts; \p takes returns the seconds of a start of a candidate.
int winner_of(int candidates, int starts, const std::function<double(int candidate, int start)>& takes) {
  const Logic& logic = find("model");
  Parameters parameters;
  parameters.estimator = &measure::find("heuristic");
  parameters.options = OptionValues(logic.options);
  parameters.options.add(parameters.estimator->options);
  std::vector<Candidate> all;
  for (int i = 0; i < candidates; ++i) {
    all.push_back({"c" + std::to_string(i), {}});
  }
  const auto search = logic.make(all, {}, parameters);
  for (int start = 0; start < starts && !search->verdict(); ++start) {
    const Ticket ticket = search->next();
    const double seconds = takes(ticket.candidate, start);
    search->spend(ticket.candidate, seconds);
    search->record(ticket, seconds);
    if (search->ready()) {
      search->absorb(search->pending());
    }
  }
  return search->verdict() ? search->verdict()->winner : search->next().candidate;
}

class StallingNetwork : public testing::Test {
 protected:
  void SetUp() override {
    seed_ = std::random_device{}();
    std::cout << "seed " << seed_ << "\n";
  }
  std::mt19937 engine(int run) const { return std::mt19937(seed_ + static_cast<unsigned>(run)); }

 private:
  unsigned seed_ = 0;
};

/// The first two candidates have the lowest usual times, but stall in one of twenty starts, in two consecutive starts.
TEST_F(StallingNetwork, StallingCodeletLoses) {
  int right = 0;
  constexpr int runs = 80;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random = engine(run);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    int stalled = 0;
    const int winner = winner_of(4, 20000, [&](int candidate, int /*start*/) {
      const double noise = 0.95 + 0.1 * uniform(random);
      if (candidate > 1) {
        return (candidate == 2 ? 1.05 : 1.3) * usual_s * noise;
      }
      stalled = stalled > 0 ? stalled - 1 : (uniform(random) < 0.025 ? 2 : 0);
      return usual_s * noise * (stalled > 0 ? 40.0 : 1.0);
    });
    right += winner == 2 ? 1 : 0;
  }
  EXPECT_GE(right, 0.65 * runs);
}

/// All candidates are disturbed for some time.
TEST_F(StallingNetwork, TemporaryDisturbanceDoesNotChangeTheWinner) {
  int right = 0;
  constexpr int runs = 60;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random = engine(run);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const int winner = winner_of(4, 40000, [&](int candidate, int start) {
      const bool hit = start > 100 && start < 2000 && uniform(random) < 0.03;
      return (1.0 + 0.1 * candidate) * usual_s * (0.95 + 0.1 * uniform(random)) * (hit ? 40.0 : 1.0);
    });
    right += winner == 0 ? 1 : 0;
  }
  EXPECT_GE(right, runs * 3 / 4);
}

}  // namespace
}  // namespace adcl::select
