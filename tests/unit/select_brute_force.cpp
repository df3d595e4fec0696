// Brute force, and the table of selection logics.
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

TEST(BruteForce, SelectsTheLowestTimeOfOneBatch) {
  World world = brute_force(3, 2);
  const Clock clock = constant({3e-3, 1e-3, 2e-3});
  std::vector<int> order;
  while (!world.first().ready()) {
    order.push_back(world.step(clock).candidate);
  }
  world.agree();
  EXPECT_EQ(order, (std::vector<int>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(world.winner(), "c1");
  EXPECT_EQ(world.agreements(), 1);
  EXPECT_EQ(world.reason(), "c1 has the lowest time of 3 measured candidates: 1 ms; the next is c2 with 2 ms");
  EXPECT_EQ(world.first().knowledge()[0].removed, "slower: 3 ms against 1 ms of c1");
  EXPECT_EQ(world.first().knowledge()[1].removed, "");
}

TEST(BruteForce, UsesTheTimeOfTheSlowestRank) {
  World world = brute_force(2, 1, 3);
  const double times[3][2] = {{1.0, 2.0}, {1.0, 2.0}, {5.0, 2.0}};
  EXPECT_EQ(world.run([&](int rank, int candidate, int) { return times[rank][candidate]; }), "c1");
  EXPECT_DOUBLE_EQ(world.first().knowledge()[0].judged_s, 5.0);
}

TEST(BruteForce, PrefersTheFirstAmongEquals) {
  World world = brute_force(4, 3);
  EXPECT_EQ(world.run(constant({2e-6, 1e-6, 1e-6, 1e-6})), "c1");
  EXPECT_EQ(world.reason(),
            "c1 is the first in the table of 3 candidates with the lowest time of 4 measured candidates: 1 us");
  EXPECT_EQ(world.first().knowledge()[2].removed, "as fast, but later in the table: 1 us against 1 us of c1");
}

TEST(BruteForce, UsesTheStatisticalMethod) {
  Parameters heuristic = parameters(5);
  heuristic.estimator = &measure::find("heuristic");
  const Clock clock = [](int, int candidate, int run) { return candidate == 1 ? 2.0 : (run == 2 ? 50.0 : 1.0); };
  World filtered("brute_force", plain(2), {}, heuristic);
  World unfiltered("brute_force", plain(2), {}, parameters(5));
  EXPECT_EQ(filtered.run(clock), "c0");
  EXPECT_EQ(unfiltered.run(clock), "c1");
}

TEST(BruteForce, FailureOf1x_AcceptsZeroTimes) {
  World world = brute_force(3, 4);
  EXPECT_EQ(world.run(constant({2e-6, 0.0, 1e-6})), "c1");
  EXPECT_EQ(world.first().knowledge()[1].judged_s, 0.0);
  EXPECT_EQ(world.first().knowledge()[1].numbers.measurements, 4.0);
}

TEST(BruteForce, FailureOf1x_AcceptsLongTimes) {
  World world = brute_force(2, 4);
  EXPECT_EQ(world.run(constant({1.2, 0.4})), "c1");
  EXPECT_DOUBLE_EQ(world.first().knowledge()[0].judged_s, 1.2);
  World long_times = brute_force(2, 1);
  EXPECT_EQ(long_times.run(constant({86400.0, 3600.5})), "c1");
  EXPECT_DOUBLE_EQ(long_times.first().knowledge()[0].judged_s, 86400.0);
}

TEST(BruteForce, SelectsTheFirstIfAllTimesAreZero) {
  World world = brute_force(5, 2);
  EXPECT_EQ(world.run(constant(std::vector<double>(5, 0.0))), "c0");
}

TEST(BruteForce, RejectsMoreMeasurementsThanAnIntCounts) {
  try {
    brute_force(716, 1000000);
    FAIL() << "too many measurements were accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "ADCL_MEASUREMENTS=1000000 is too large for 716 candidates; the largest value is 999759");
  }
}

TEST(SearchTable, EverySearchEnds) {
  for (const Logic& logic : table()) {
    World world(logic.name, two_sided_codelets(), halo_attributes(), parameters(2));
    EXPECT_FALSE(world.run([](int, int candidate, int) { return 1.0 + candidate; }).empty()) << logic.name;
    EXPECT_EQ(world.winner(), "IsIr_aao") << logic.name;
    EXPECT_FALSE(logic.summary.empty());
    EXPECT_FALSE(logic.source.empty());
  }
}

TEST(SearchTable, SuggestsTheNearestName) {
  try {
    find("hypotesis");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::option);
    EXPECT_NE(std::string(error.what()).find("'hypothesis'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace adcl::select
