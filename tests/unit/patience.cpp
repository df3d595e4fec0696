// Time that a process spins before it yields its core, depending on how long the core was away before.
#include "codelets/shared_memory/patience.hpp"

#include <gtest/gtest.h>

namespace {

using adcl::codelets::Patience;

constexpr double nobody_s = 0.4e-6;
constexpr double fellow_s = 5e-6;
constexpr double stranger_s = 3e-3;

Patience after(double away_s, int times) {
  Patience patience;
  for (int i = 0; i < times; ++i) {
    patience.learn(away_s);
  }
  return patience;
}

TEST(Patience, SpinsForLongAtFirst) { EXPECT_EQ(Patience().spins(), Patience::longest); }

TEST(Patience, StaysWhereNobodyTakesTheCore) { EXPECT_EQ(after(nobody_s, 100).spins(), Patience::longest); }

TEST(Patience, IsLostWhereOthersWaitForTheCoreAndGiveItBack) {
  EXPECT_EQ(after(fellow_s, 1).spins(), Patience::longest / 2);
  EXPECT_EQ(after(fellow_s, 11).spins(), 0U);
}

TEST(Patience, ComesBackWhenTheCoreIsFree) {
  Patience patience = after(fellow_s, 11);
  for (int i = 0; i < 11 * Patience::free_waits; ++i) {
    patience.learn(nobody_s);
  }
  EXPECT_EQ(patience.spins(), Patience::longest);
}

TEST(Patience, StaysLostWhereTheCoreIsFreeNowAndThen) {
  Patience patience = after(fellow_s, 11);
  for (int i = 0; i < 100; ++i) {
    patience.learn(i % 8 == 0 ? fellow_s : nobody_s);
  }
  EXPECT_EQ(patience.spins(), 0U);
}

TEST(Patience, ComesBackAtOnceWhereTheCoreIsLostForLong) {
  // A computing process has taken the core for a time slice of the scheduler: every yield costs as much.
  Patience patience = after(fellow_s, 11);
  patience.learn(stranger_s);
  EXPECT_EQ(patience.spins(), Patience::longest);
  EXPECT_EQ(after(stranger_s, 100).spins(), Patience::longest);
}

}  // namespace
