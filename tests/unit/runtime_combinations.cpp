// Combinations of codelets: all at once, or one coordinate at a time.
#include "timer/combinations.hpp"

#include <gtest/gtest.h>

#include <set>

namespace adcl::runtime {
namespace {

TEST(Combinations, ListsAllUpToTheLimit) {
  Combinations all({2, 3, 4}, {0, 0, 0}, 24);
  EXPECT_FALSE(all.by_coordinate());
  ASSERT_EQ(all.choices().size(), 24U);
  EXPECT_EQ(all.choices()[0], (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(all.choices()[1], (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(all.choices()[23], (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(std::set<std::vector<int>>(all.choices().begin(), all.choices().end()).size(), 24U);
  EXPECT_FALSE(all.advance(7));
  EXPECT_EQ(all.best(), (std::vector<int>{0, 1, 3}));
}

TEST(Combinations, IgnoresTheLimitForOneCoordinate) {
  const Combinations one({39}, {0}, 8);
  EXPECT_FALSE(one.by_coordinate());
  EXPECT_EQ(one.choices().size(), 39U);
}

TEST(Combinations, DoesNotOverflow) {
  Combinations many(std::vector<int>(64, 1000), std::vector<int>(64, 0), 1000000);
  EXPECT_TRUE(many.by_coordinate());
  EXPECT_EQ(many.choices().size(), 1000U);
}

TEST(Combinations, VariesOneCoordinateBeyondTheLimit) {
  Combinations some({3, 1, 2}, {1, 0, 0}, 5);
  ASSERT_TRUE(some.by_coordinate());
  EXPECT_EQ(some.choices(), (std::vector<std::vector<int>>{{1, 0, 0}, {0, 0, 0}, {2, 0, 0}}));
  ASSERT_TRUE(some.advance(2));
  EXPECT_TRUE(some.varies(2)) << "a coordinate with one candidate is skipped";
  EXPECT_EQ(some.choices(), (std::vector<std::vector<int>>{{2, 0, 0}, {2, 0, 1}}));
  ASSERT_TRUE(some.advance(0)) << "the round has changed something";
  EXPECT_TRUE(some.varies(0));
  EXPECT_FALSE(some.varies(2));
  ASSERT_TRUE(some.advance(0));
  EXPECT_FALSE(some.advance(0)) << "nothing has changed";
  EXPECT_EQ(some.best(), (std::vector<int>{2, 0, 0}));
}

TEST(Combinations, EndsAfterMaxRounds) {
  Combinations restless({2, 2}, {0, 0}, 3);
  int stages = 1;
  while (restless.advance(1)) {
    ++stages;
  }
  EXPECT_EQ(stages, 2 * Combinations::max_rounds);
}

TEST(Combinations, SkipsCoordinatesWithOneCandidate) {
  const Combinations some({1, 3, 3}, {0, 2, 1}, 5);
  EXPECT_TRUE(some.varies(1));
  EXPECT_EQ(some.choices()[0], (std::vector<int>{0, 2, 1}));
}

}  // namespace
}  // namespace adcl::runtime
