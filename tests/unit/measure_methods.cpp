// The statistical methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "measure/estimator.hpp"

namespace adcl::measure {
namespace {

OptionValues bound_and_fraction(double bound, double fraction) {
  OptionValues values;
  values.set("ADCL_OUTLIER_BOUND", bound);
  values.set("ADCL_OUTLIER_FRACTION", fraction);
  return values;
}

/// Defaults of only the options in the method's row, so that a method that reads any other option fails.
OptionValues defaults(const Estimator& method) { return OptionValues(method.options); }

/// Combines numbers as the reduction over ranks does.
Numbers combine(const Numbers& a, const Numbers& b) {
  return {std::max(a.mean_s, b.mean_s), std::max(a.filtered_mean_s, b.filtered_mean_s),
          std::max(a.outliers, b.outliers), std::min(a.measurements, b.measurements), std::max(a.spread_s, b.spread_s)};
}

TEST(EstimateSpread, IsTheStandardDeviationWithoutOutliers) {
  const Numbers all = find("none").summarize(std::vector{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}, {});
  EXPECT_NEAR(all.spread_s, std::sqrt(32.0 / 7.0), 1e-12);
  const std::vector<double> disturbed = {1.0, 1.2, 1.4, 30.0};
  const Numbers filtered = find("heuristic").summarize(disturbed, bound_and_fraction(2.0, 0.2));
  EXPECT_NEAR(filtered.spread_s, 0.2, 1e-12);
  for (const Estimator& method : table()) {
    EXPECT_EQ(method.summarize({}, defaults(method)).spread_s, 0.0) << method.name;
    EXPECT_EQ(method.summarize(std::vector{3.0}, defaults(method)).spread_s, 0.0) << method.name;
    EXPECT_EQ(method.summarize(std::vector{3.0, 3.0}, defaults(method)).spread_s, 0.0) << method.name;
  }
}

TEST(EstimatePooled, EqualsTheSummaryOfAllSamples) {
  const Estimator& method = find("none");
  const std::vector<double> samples = {1.0, 1.5, 0.7, 12.0, 3.25, 2.0, 0.1};
  const Numbers whole = method.summarize(samples, {});
  for (std::size_t cut = 0; cut <= samples.size(); ++cut) {
    const std::span<const double> all(samples);
    const Numbers both = pool(method.summarize(all.first(cut), {}), method.summarize(all.subspan(cut), {}));
    EXPECT_NEAR(both.mean_s, whole.mean_s, 1e-12) << cut;
    EXPECT_NEAR(both.filtered_mean_s, whole.filtered_mean_s, 1e-12) << cut;
    EXPECT_NEAR(both.spread_s, whole.spread_s, 1e-12) << cut;
    EXPECT_DOUBLE_EQ(both.measurements, whole.measurements) << cut;
  }
}

TEST(EstimateNone, IsThePlainMean) {
  const Estimator& method = find("none");
  const std::vector<double> samples = {1.0, 2.0, 9.0};
  const Numbers numbers = method.summarize(samples, defaults(method));
  EXPECT_DOUBLE_EQ(numbers.mean_s, 4.0);
  EXPECT_DOUBLE_EQ(numbers.filtered_mean_s, 4.0);
  EXPECT_DOUBLE_EQ(numbers.outliers, 0.0);
  EXPECT_DOUBLE_EQ(numbers.measurements, 3.0);
  EXPECT_DOUBLE_EQ(method.judge(numbers, defaults(method)), 4.0);
}

TEST(EstimateHeuristic, ExcludesAFewOutliers) {
  const Estimator& method = find("heuristic");
  const std::vector<double> samples = {1.0, 1.2, 2.0, 2.1, 1.1, 1.0, 1.3, 1.1, 1.0, 1.2};
  const Numbers numbers = method.summarize(samples, bound_and_fraction(2.0, 0.2));
  EXPECT_DOUBLE_EQ(numbers.outliers, 1.0) << "only 2.1 exceeds 2 * min";
  EXPECT_NEAR(numbers.mean_s, 1.3, 1e-12);
  EXPECT_NEAR(numbers.filtered_mean_s, 10.9 / 9.0, 1e-12);
  EXPECT_DOUBLE_EQ(method.judge(numbers, bound_and_fraction(2.0, 0.2)), numbers.filtered_mean_s);
}

TEST(EstimateHeuristic, IncludesManyOutliers) {
  const Estimator& method = find("heuristic");
  const std::vector<double> samples = {1.0, 9.0, 9.0, 1.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const Numbers numbers = method.summarize(samples, bound_and_fraction(2.0, 0.2));
  EXPECT_DOUBLE_EQ(numbers.outliers, 3.0);
  EXPECT_DOUBLE_EQ(method.judge(numbers, bound_and_fraction(2.0, 0.2)), 3.4);
  EXPECT_DOUBLE_EQ(method.judge(numbers, bound_and_fraction(2.0, 0.3)), 1.0) << "exactly the accepted fraction";
}

TEST(EstimateHeuristic, AcceptsExactlyTheFractionDespiteRounding) {
  const Estimator& method = find("heuristic");
  for (int outliers = 0; outliers <= 100; ++outliers) {
    std::vector<double> samples(100, 1.0);
    std::fill_n(samples.begin(), std::min(outliers, 99), 10.0);
    const Numbers numbers = method.summarize(samples, defaults(method));
    const double fraction = static_cast<double>(std::min(outliers, 99)) / 100.0;
    EXPECT_DOUBLE_EQ(method.judge(numbers, bound_and_fraction(2.0, fraction)), 1.0) << outliers;
  }
}

TEST(EstimateHeuristic, UsesTheLargestNumberOfOutliersOfAnyRank) {
  const Estimator& method = find("heuristic");
  const OptionValues options = bound_and_fraction(2.0, 0.2);
  const std::vector<double> calm = {1.5, 1.5, 1.5, 1.5, 1.5};
  const std::vector<double> noisy = {1.0, 9.0, 9.0, 1.0, 1.0};
  const Numbers reduced = combine(method.summarize(calm, options), method.summarize(noisy, options));
  EXPECT_DOUBLE_EQ(reduced.mean_s, 4.2);
  EXPECT_DOUBLE_EQ(reduced.filtered_mean_s, 1.5);
  EXPECT_DOUBLE_EQ(method.judge(reduced, options), 4.2);
}

TEST(EstimateHeuristic, AcceptsZeroTimes) {
  const Estimator& method = find("heuristic");
  const std::vector<double> zeros(10, 0.0);
  const Numbers numbers = method.summarize(zeros, defaults(method));
  EXPECT_DOUBLE_EQ(numbers.outliers, 0.0);
  EXPECT_DOUBLE_EQ(method.judge(numbers, defaults(method)), 0.0);
}

TEST(EstimateTable, EveryMethodAcceptsZeroAndOneSample) {
  for (const Estimator& method : table()) {
    const Numbers nothing = method.summarize({}, defaults(method));
    EXPECT_EQ(nothing.mean_s, 0.0) << method.name;
    EXPECT_EQ(nothing.filtered_mean_s, 0.0) << method.name;
    EXPECT_EQ(nothing.outliers, 0.0) << method.name;
    EXPECT_EQ(nothing.measurements, 0.0) << method.name;
    EXPECT_TRUE(std::isinf(method.judge(nothing, defaults(method)))) << method.name;
    const std::vector<double> one = {0.25};
    EXPECT_DOUBLE_EQ(method.judge(method.summarize(one, defaults(method)), defaults(method)), 0.25) << method.name;
  }
}

TEST(EstimateTable, BeginsWithNoneAndHasCompleteRows) {
  ASSERT_GE(table().size(), 2U);
  EXPECT_EQ(table().front().name, "none");
  for (const Estimator& method : table()) {
    EXPECT_EQ(&find(method.name), &method);
    EXPECT_FALSE(method.summary.empty());
    EXPECT_FALSE(method.source.empty());
  }
}

TEST(EstimateTable, SuggestsTheNearestName) {
  try {
    find("heuristics");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::option);
    EXPECT_NE(std::string(error.what()).find("'heuristic'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace adcl::measure
