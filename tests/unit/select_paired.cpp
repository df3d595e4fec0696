// Trimmed means of paired differences.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "select/model/paired.hpp"

namespace adcl::select {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

TEST(PairedDifference, IsTheTextbookValue) {
  // Differences 1, 2, 3, 4: mean 2.5, standard deviation sqrt(5/3), error sqrt(5/12).
  const Difference difference =
      paired_difference(std::vector<double>{11.0, 22.0, 33.0, 44.0}, std::vector<double>{10.0, 20.0, 30.0, 40.0});
  EXPECT_DOUBLE_EQ(difference.mean, 2.5);
  EXPECT_NEAR(difference.error, std::sqrt(5.0 / 12.0), 1e-12);
  EXPECT_NEAR(difference.lower(), 2.5 - 3.0 * std::sqrt(5.0 / 12.0), 1e-4);
  EXPECT_NEAR(difference.upper(), 2.5 + 3.0 * std::sqrt(5.0 / 12.0), 1e-4);
}

TEST(PairedDifference, HasNoErrorForThreePairs) {
  const Difference difference =
      paired_difference(std::vector<double>{2.0, 3.0, 4.0, missing}, std::vector<double>{1.0, 1.0, 1.0, 1.0});
  EXPECT_EQ(difference.pairs, 3);
  EXPECT_DOUBLE_EQ(difference.mean, 2.0);
  EXPECT_EQ(difference.lower(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(difference.upper(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(paired_difference({}, {}).pairs, 0);
}

TEST(PairedDifference, IgnoresOneDisturbedRoundInSix) {
  const std::vector<double> zero(6, 0.0);
  const Difference calm = paired_difference(std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, zero);
  const Difference disturbed = paired_difference(std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0, 5000.0}, zero);
  EXPECT_DOUBLE_EQ(calm.mean, 3.5);
  EXPECT_DOUBLE_EQ(disturbed.mean, 3.5);
  EXPECT_DOUBLE_EQ(disturbed.error, calm.error);
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{9000.0, 2.0, 3.0, missing, 1.0, 4.0}), 3.0);
  EXPECT_EQ(trimmed_mean({}), std::numeric_limits<double>::infinity());
}

/// For four pairs, a difference exceeds three standard errors by chance in 2.9 % of the cases; for more pairs, less
/// often.
TEST(PairedDifference, IsSignificantByChanceInFewCases) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  std::lognormal_distribution<double> tail(0.0, 1.0);
  for (const int rounds : {4, 5, 8, 20}) {
    int wrong = 0;
    constexpr int repetitions = 4000;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      std::vector<double> first;
      std::vector<double> second;
      for (int round = 0; round < rounds; ++round) {
        const double together = tail(engine);
        first.push_back(together + tail(engine));
        second.push_back(together + tail(engine));
      }
      wrong += paired_difference(first, second).lower() > 0.0 ? 1 : 0;
    }
    // The expected number is at most 2.9 % of 4000, or 115, with a standard deviation of 10.6.
    EXPECT_LT(wrong, 170) << rounds << " rounds";
  }
}

}  // namespace
}  // namespace adcl::select
