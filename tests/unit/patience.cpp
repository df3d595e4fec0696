// Tests how long a process spins before it yields its core, depending on how long the core was away before.
#include "codelets/shared_memory/patience.hpp"

#include <gtest/gtest.h>

namespace {

using adcl::codelets::Patience;

constexpr double free_core_s = 0.4e-6;
constexpr double waiting_rank_s = 5e-6;
constexpr double computing_process_s = 3e-3;

Patience after(double away_s, int times) {
  Patience patience;
  for (int i = 0; i < times; ++i) {
    patience.record(away_s);
  }
  return patience;
}

TEST(Patience, StartsWithTheLongestSpin) { EXPECT_EQ(Patience().spins(), Patience::longest); }

TEST(Patience, StaysOnAFreeCore) { EXPECT_EQ(after(free_core_s, 100).spins(), Patience::longest); }

TEST(Patience, EndsIfOthersTakeTheCoreBriefly) {
  EXPECT_EQ(after(waiting_rank_s, 1).spins(), Patience::longest / 2);
  EXPECT_EQ(after(waiting_rank_s, 11).spins(), 0U);
}

TEST(Patience, ReturnsWhenTheCoreIsFree) {
  Patience patience = after(waiting_rank_s, 11);
  for (int i = 0; i < 11 * Patience::free_waits; ++i) {
    patience.record(free_core_s);
  }
  EXPECT_EQ(patience.spins(), Patience::longest);
}

TEST(Patience, DoesNotReturnOnASometimesFreeCore) {
  Patience patience = after(waiting_rank_s, 11);
  for (int i = 0; i < 100; ++i) {
    patience.record(i % 8 == 0 ? waiting_rank_s : free_core_s);
  }
  EXPECT_EQ(patience.spins(), 0U);
}

TEST(Patience, ReturnsAtOnceIfTheCoreIsAwayForLong) {
  // A computing process has taken the core for a time slice of the scheduler: every yield costs a time slice.
  Patience patience = after(waiting_rank_s, 11);
  patience.record(computing_process_s);
  EXPECT_EQ(patience.spins(), Patience::longest);
  EXPECT_EQ(after(computing_process_s, 100).spins(), Patience::longest);
}

}  // namespace
