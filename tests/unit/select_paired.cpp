// Differences of paired times.
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

TEST(Student, HasTheQuantilesOfTheTables) {
  EXPECT_NEAR(student_quantile(0.9, 1), 3.078, 1e-3);
  EXPECT_NEAR(student_quantile(0.99, 2), 6.965, 1e-3);
  EXPECT_NEAR(student_quantile(0.9, 11), 1.363, 1e-3);
  EXPECT_NEAR(student_quantile(0.99, 17), 2.567, 3e-3);
  EXPECT_NEAR(student_quantile(0.99, 40), 2.423, 3e-3);
  EXPECT_NEAR(student_quantile(0.9, 120), 1.289, 2e-3);
  EXPECT_NEAR(student_quantile(0.99, 1000000), 2.3263, 1e-3);
  EXPECT_THROW(student_quantile(0.5, 3), Error);
  EXPECT_THROW(student_quantile(0.9, 0), Error);
}

/// The probability that Student's t is between zero and \p bound, by Simpson's rule over the density.
double probability_below(double bound, int freedom) {
  const double n = freedom;
  const double scale = std::exp(std::lgamma((n + 1.0) / 2.0) - std::lgamma(n / 2.0)) / std::sqrt(n * std::acos(-1.0));
  const auto density = [&](double t) { return scale * std::pow(1.0 + t * t / n, -(n + 1.0) / 2.0); };
  constexpr int steps = 20000;
  const double width = bound / steps;
  double sum = density(0.0) + density(bound);
  for (int i = 1; i < steps; ++i) {
    sum += (i % 2 == 0 ? 2.0 : 4.0) * density(i * width);
  }
  return sum * width / 3.0;
}

TEST(Student, LeavesOutWhatItsConfidenceSaysForAllDegreesOfFreedom) {
  for (int freedom = 1; freedom <= 130; freedom += freedom < 35 ? 1 : 19) {
    for (const double confidence : {0.9, 0.99}) {
      const double below = 0.5 + probability_below(student_quantile(confidence, freedom), freedom);
      EXPECT_NEAR(below, confidence, 0.002 * (1.0 - confidence)) << freedom;
    }
  }
}

TEST(PairedDifference, IsThatOfTheTextbook) {
  // Differences 1, 2, 3: mean 2, standard deviation 1, error 1/sqrt(3).
  const Difference difference =
      paired_difference(std::vector<double>{11.0, 22.0, 33.0}, std::vector<double>{10.0, 20.0, 30.0});
  EXPECT_DOUBLE_EQ(difference.mean, 2.0);
  EXPECT_NEAR(difference.error, 1.0 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(difference.freedom, 2);
  EXPECT_NEAR(difference.lower(0.9), 2.0 - 1.8856 / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(difference.upper(0.9), 2.0 + 1.8856 / std::sqrt(3.0), 1e-4);
}

TEST(PairedDifference, CannotTellAnythingFromTwoPairs) {
  const Difference difference =
      paired_difference(std::vector<double>{2.0, 3.0, missing}, std::vector<double>{1.0, 1.0, 1.0});
  EXPECT_EQ(difference.pairs, 2);
  EXPECT_DOUBLE_EQ(difference.mean, 1.5);
  EXPECT_EQ(difference.lower(0.99), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(difference.upper(0.99), std::numeric_limits<double>::infinity());
  EXPECT_EQ(paired_difference({}, {}).pairs, 0);
}

TEST(PairedDifference, OneDisturbedRoundInFiveChangesNothing) {
  const std::vector<double> zero(5, 0.0);
  const Difference calm = paired_difference(std::vector<double>{1.0, 2.0, 3.0, 4.0, 5.0}, zero);
  const Difference disturbed = paired_difference(std::vector<double>{1.0, 2.0, 3.0, 4.0, 5000.0}, zero);
  EXPECT_DOUBLE_EQ(calm.mean, 3.0);
  EXPECT_DOUBLE_EQ(disturbed.mean, 3.0);
  EXPECT_DOUBLE_EQ(disturbed.error, calm.error);
  EXPECT_EQ(calm.freedom, 2);
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{9000.0, 2.0, 3.0, missing, 1.0, 4.0}), 3.0);
  EXPECT_EQ(trimmed_mean({}), std::numeric_limits<double>::infinity());
}

/// A one-sided interval of 99 % misses in at most 1 % of the cases, for any shape of the noise.
TEST(PairedDifference, IsSeldomWrong) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 engine(seed);
  std::lognormal_distribution<double> tail(0.0, 1.0);
  for (const int rounds : {3, 5, 8, 20}) {
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
      wrong += paired_difference(first, second).lower(0.99) > 0.0 ? 1 : 0;
    }
    // The expected number is 1 % of 4000, or 40, with a standard deviation of 6.3.
    EXPECT_LT(wrong, 80) << rounds << " rounds";
  }
}

}  // namespace
}  // namespace adcl::select
