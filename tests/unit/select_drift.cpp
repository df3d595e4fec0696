// Detection of starts in production that become slower or faster.
#include "measure/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace adcl::measure {
namespace {

void check(Drift& drift, double seconds) {
  for (int i = 0; i < Drift::samples_per_check; ++i) {
    drift.record(seconds);
  }
  drift.close();
}

void checks(Drift& drift, int count, double seconds) {
  for (int i = 0; i < count; ++i) {
    check(drift, seconds);
  }
}

TEST(Drift, IsZeroBeforeEnoughChecks) {
  Drift drift;
  for (int i = 0; i < Drift::usual_checks + Drift::last_checks - 1; ++i) {
    check(drift, i < Drift::usual_checks ? 1.0 : 100.0);
    EXPECT_EQ(drift.score(), 0.0) << i;
    EXPECT_EQ(drift.ratio(), 1.0) << i;
  }
}

TEST(Drift, DetectsChangesByMoreThanAQuarter) {
  for (const double ratio : {1.3, 2.0, 50.0, 0.75, 0.02}) {
    Drift drift;
    checks(drift, 40, 1e-5);
    EXPECT_LT(drift.score(), 1e-6);
    checks(drift, Drift::last_checks - 1, ratio * 1e-5);
    const double before = drift.ratio();
    checks(drift, 1, ratio * 1e-5);
    EXPECT_GE(drift.score(), 1.0) << ratio;
    EXPECT_NEAR(drift.ratio(), ratio, 1e-9 * ratio);
    EXPECT_LT(std::abs(std::log(before)), std::abs(std::log(ratio))) << "not all last checks differ";
  }
  Drift drift;
  checks(drift, 40, 1e-5);
  checks(drift, 40, 1.2e-5);
  EXPECT_LT(drift.score(), 1.0) << "a fifth is not a drift";
}

TEST(Drift, UsesMeansOfWholeChecks) {
  Drift drift;
  for (const double seconds : {1.0, 2.0, 3.0, 4.0, 90.0}) {
    drift.record(seconds);
  }
  EXPECT_DOUBLE_EQ(drift.finish_check(true), 20.0);
  EXPECT_TRUE(std::isnan(drift.finish_check(true))) << "the check has ended";
  for (int i = 0; i < Drift::usual_checks + Drift::last_checks; ++i) {
    drift.judge(i < Drift::usual_checks ? 1.0 : 3.0);
    drift.judge(std::numeric_limits<double>::quiet_NaN());
  }
  EXPECT_NEAR(drift.ratio(), 3.0, 1e-9);
}

TEST(Drift, IgnoresTemporaryDisturbances) {
  Drift drift;
  checks(drift, 10, 1e-5);
  for (int i = 0; i < 50; ++i) {
    check(drift, i % 7 < 2 ? 1e-3 : 1e-5);
    EXPECT_LT(drift.score(), 1.0) << i;
  }
  Drift samples;
  checks(samples, 10, 1e-5);
  for (int i = 0; i < 50; ++i) {
    for (const double seconds : {1e-5, 9.0, 1e-5, 8.0, 1e-5}) {
      samples.record(seconds);
    }
    samples.close();
    EXPECT_LT(samples.score(), 1e-6) << "two of five samples";
  }
}

TEST(Drift, AcceptsInitialScatter) {
  std::mt19937_64 engine(7);
  std::lognormal_distribution<double> noise(0.0, 0.3);
  int alarms = 0;
  for (int run = 0; run < 1000; ++run) {
    Drift drift;
    bool alarm = false;
    for (int i = 0; i < 100; ++i) {
      for (int s = 0; s < Drift::samples_per_check; ++s) {
        drift.record(1e-5 * noise(engine));
      }
      drift.close();
      alarm = alarm || drift.score() >= 1.0;
    }
    alarms += alarm ? 1 : 0;
  }
  EXPECT_LT(alarms, 20) << "of 1000 runs of 100 checks";
}

TEST(Drift, IgnoresInvalidTimes) {
  Drift drift;
  checks(drift, 20, 1.0);
  drift.record(std::numeric_limits<double>::quiet_NaN());
  drift.record(-1.0);
  drift.record(std::numeric_limits<double>::infinity());
  drift.close();
  drift.close();
  EXPECT_LT(drift.score(), 1e-9);
  drift.amend(7.0);
  drift.close();
  EXPECT_LT(drift.score(), 1e-9) << "no time to amend";
  checks(drift, 3, 0.0);
  EXPECT_GE(drift.score(), 1.0);
  EXPECT_TRUE(std::isfinite(drift.score()));
}

TEST(Drift, UsesAmendedTimes) {
  Drift drift;
  for (int i = 0; i < 20; ++i) {
    for (int s = 0; s < Drift::samples_per_check + 3; ++s) {
      drift.record(1.0);
      drift.amend(i < 15 ? 2.0 : 4.0);
    }
    drift.close();
  }
  EXPECT_NEAR(drift.ratio(), 2.0, 1e-9);
}

}  // namespace
}  // namespace adcl::measure
