#include <gtest/gtest.h>

#include "interpose/economy.hpp"

using namespace adcl::interpose;

TEST(InterposeEconomy, TheBudgetIsAPartOfTheTimeOfTheCalls) {
  // 2 ms are 2 % of 100 ms, the time of 1000 calls of 100 us.
  EXPECT_EQ(calls_that_pay(2e-3, 0.02, 100e-6), 1000);
  EXPECT_EQ(calls_that_pay(0.0, 0.02, 100e-6), 0);
}

TEST(InterposeEconomy, CallsWithoutATimeNeverPay) {
  EXPECT_EQ(calls_that_pay(2e-3, 0.02, 0.0), most_calls);
  EXPECT_EQ(calls_that_pay(2e-3, 0.0, 1e-6), most_calls);
  EXPECT_EQ(calls_that_pay(1e30, 1e-9, 1e-9), most_calls);
}

TEST(InterposeEconomy, ComparisonsInProductionCostHalfAPercent) {
  const double native_s = 60e-6;
  const double codelet_s = 30e-6;
  const double pair_s = runs_per_side * (native_s - codelet_s) + agreement_s / pairs_per_batch;
  const auto calls = calls_between_pairs(native_s, codelet_s);
  EXPECT_LE(pair_s, 0.005 * static_cast<double>(calls) * codelet_s);
  EXPECT_GT(pair_s, 0.005 * static_cast<double>(calls - 1) * codelet_s);
}

TEST(InterposeEconomy, PairsAreApartWhereTheyCostNothing) {
  EXPECT_EQ(calls_between_pairs(1.0, 1.0), 64);
  EXPECT_EQ(calls_between_pairs(1.0, 2.0), 64);
}

TEST(InterposeEconomy, ChecksInProductionCostATenthOfAPercent) {
  const double codelet_s = 30e-6;
  const auto calls = calls_between_checks(codelet_s);
  EXPECT_LE(agreement_s, 0.001 * static_cast<double>(calls) * codelet_s);
  EXPECT_GT(agreement_s, 0.001 * static_cast<double>(calls - 1) * codelet_s);
  EXPECT_EQ(calls_between_checks(1.0), least_production_calls);
  EXPECT_EQ(calls_between_checks(0.0), most_calls);
}
