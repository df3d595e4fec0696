// Times from the last rank's arrival to the last rank's departure, which exclude the time that ranks wait for ranks
// that still compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "core/error.hpp"
#include "select/batch_times.hpp"
#include "select_support.hpp"

namespace adcl::select::test {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::vector<double> maxima(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> result;
  std::transform(one.begin(), one.end(), other.begin(), std::back_inserter(result),
                 [](double a, double b) { return std::max(a, b); });
  return result;
}

Parameters heuristic() {
  Parameters result = parameters(10);
  result.estimator = &measure::find("heuristic");
  return result;
}

TEST(BatchTimes, AreFromTheLastArrivalToTheLastDeparture) {
  const Parameters with = heuristic();
  BatchTimes early(true);
  BatchTimes late(true);
  early.begin({2, 1});
  late.begin({2, 1});
  // The early rank arrives 10 s before the other rank, waits for it, and leaves half a second after it.
  early.record(0, 12.5, 112.5);
  late.record(0, 2.0, 112.0);
  early.record(1, 13.0, 213.0);
  late.record(1, 2.0, 212.5);
  early.record(2, 1.0, 301.0);
  late.record(2, 4.0, 304.0);
  early.spend(0, 25.5 + 7.0);
  late.spend(0, 4.0 + 0.25);
  const auto results = early.combined(maxima(early.pending(with), late.pending(with)), with);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_DOUBLE_EQ(results[0].numbers.mean_s, 2.5);
  EXPECT_DOUBLE_EQ(results[0].numbers.measurements, 2.0);
  EXPECT_DOUBLE_EQ(results[0].shortest_s, 2.5);
  EXPECT_DOUBLE_EQ(results[0].spent_s, 5.0 + 0.25) << "the wait of the early rank is not a cost";
  EXPECT_DOUBLE_EQ(results[1].numbers.mean_s, 4.0);
}

TEST(BatchTimes, AreOfTheSlowestRankIfArrivalsAreUnknown) {
  const Parameters with = heuristic();
  BatchTimes one(true);
  BatchTimes other(true);
  one.begin({4});
  other.begin({4});
  for (int i = 0; i < 4; ++i) {
    one.record(i, 12.0, 112.0 + i);
    other.record(i, 2.0, i == 0 ? 112.0 : unknown);
  }
  auto results = one.combined(maxima(one.pending(with), other.pending(with)), with);
  EXPECT_DOUBLE_EQ(results[0].numbers.mean_s, 12.0) << "one of four executions has an arrival";
  EXPECT_DOUBLE_EQ(results[0].numbers.measurements, 4.0);
  other.record(1, 2.0, 113.0);
  results = one.combined(maxima(one.pending(with), other.pending(with)), with);
  EXPECT_DOUBLE_EQ(results[0].numbers.mean_s, 2.0) << "two of four executions have arrivals";
  EXPECT_DOUBLE_EQ(results[0].numbers.measurements, 2.0);
  BatchTimes apart;
  apart.begin({1});
  apart.record(0, 12.0, 112.0);
  EXPECT_EQ(apart.pending(with).size(), 8U) << "no common clock";
  EXPECT_THROW(apart.combined(one.pending(with), with), Error);
}

TEST(BatchTimes, AreMissingWithoutASampleOnSomeRank) {
  const Parameters with = heuristic();
  BatchTimes one(true);
  BatchTimes other(true);
  one.begin({1});
  other.begin({1});
  one.record(0, 12.0, 112.0);
  const auto results = one.combined(maxima(one.pending(with), other.pending(with)), with);
  EXPECT_DOUBLE_EQ(results[0].numbers.measurements, 0.0);
}

/// A model of a solver on a shared machine: two ranks compute for about 400 us between operations of about 10 us. The
/// ranks differ in each step, and one rank is slower for long periods.
class Program {
 public:
  explicit Program(unsigned seed) : engine_(seed) {}

  /// Computes the times on both ranks of an operation that takes \p cost_s after the last arrival.
  void operation(double cost_s, std::vector<double>& seconds, std::vector<double>& left_s) {
    period_ = starts_++ % 97 == 0 ? std::exponential_distribution<double>(1.0 / 30e-6)(engine_) : period_;
    std::exponential_distribution<double> late(1.0 / 20e-6);
    std::lognormal_distribution<double> scatter(0.0, 0.1);
    std::vector<double> arrivals;
    for (int rank = 0; rank < 2; ++rank) {
      arrivals.push_back(left_[static_cast<std::size_t>(rank)] + 400e-6 + late(engine_) + (rank == 1 ? period_ : 0.0));
    }
    const double complete = std::max(arrivals[0], arrivals[1]) + cost_s * scatter(engine_);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      seconds[rank] = complete - arrivals[rank];
      left_[rank] = complete;
    }
    left_s = left_;
  }

 private:
  std::mt19937 engine_;
  std::vector<double> left_ = {1000.0, 1000.0};
  double period_ = 0.0;
  int starts_ = 0;
};

/// The winner after \p starts starts.
int winner(bool common_clock, unsigned seed, const std::vector<double>& costs, int starts) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    candidates.push_back({"codelet " + std::to_string(i), {}, {}});
  }
  Parameters with = parameters(10);
  with.estimator = &measure::find("heuristic");
  with.common_clock = common_clock;
  World world("model", candidates, {}, with, 2);
  Program program(seed);
  std::vector<double> seconds(2);
  std::vector<double> left(2);
  for (int start = 0; start < starts && !world.first().verdict(); ++start) {
    if (world.first().ready()) {
      world.agree();
    }
    Ticket ticket;
    for (int rank = 0; rank < 2; ++rank) {
      ticket = world.rank(rank).next();
    }
    program.operation(costs[static_cast<std::size_t>(ticket.candidate)], seconds, left);
    for (int rank = 0; rank < 2; ++rank) {
      const auto place = static_cast<std::size_t>(rank);
      world.rank(rank).record(ticket, seconds[place], left[place]);
      world.rank(rank).spend(ticket.candidate, seconds[place]);
    }
  }
  const auto& verdict = standing(world.first());
  return verdict ? verdict->winner : -1;
}

TEST(Arrivals, FindTheFastestCandidateDespiteImbalance) {
  const char* const given = std::getenv("ADCL_TEST_SEED");
  const unsigned seed =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  SCOPED_TRACE("ADCL_TEST_SEED=" + std::to_string(seed));
  const std::vector<double> costs = {14e-6, 18e-6, 13e-6, 10e-6, 16e-6, 25e-6, 15e-6, 40e-6};
  constexpr int programs = 40;
  int found = 0;
  int found_by_slowest = 0;
  for (unsigned i = 0; i < programs; ++i) {
    found += winner(true, seed + i, costs, 1000) == 3 ? 1 : 0;
    found_by_slowest += winner(false, seed + i, costs, 1000) == 3 ? 1 : 0;
  }
  EXPECT_GE(found, 36);
  EXPECT_LT(found_by_slowest, found) << "the imbalance must disturb the times of each rank";
}

}  // namespace
}  // namespace adcl::select::test
