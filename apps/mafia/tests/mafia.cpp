// Tests the kernels on hand-written units, compares both representations, and searches for planted clusters.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "counting.hpp"
#include "kernels.hpp"
#include "options.hpp"
#include "search.hpp"

namespace mafia {
namespace {

template <typename Unit>
Unit unit(std::initializer_list<int> bins) {
  Unit result;
  for (const int bin : bins) {
    result = result.with(static_cast<std::uint16_t>(bin));
  }
  return result;
}

/// Bins 0 and 1 belong to the same dimension, the others to one dimension each.
std::vector<Bin> five_bins() {
  std::vector<Bin> bins(5);
  const int dimensions[] = {0, 0, 1, 2, 3};
  for (std::size_t b = 0; b < bins.size(); ++b) {
    bins[b].dimension = dimensions[b];
  }
  return bins;
}

template <typename Unit>
class Units : public testing::Test {};
using Kinds = testing::Types<SetUnit, BitmapUnit>;
TYPED_TEST_SUITE(Units, Kinds);

TYPED_TEST(Units, AreJoinedWhenTheyDifferInOneBinOfOtherDimensions) {
  using U = TypeParam;
  const std::vector<Bin> bins = five_bins();
  std::vector<U> candidates = generate(std::vector<U>{unit<U>({0, 2}), unit<U>({0, 3}), unit<U>({1, 2})}, bins);
  remove_duplicates(candidates);
  // 0 and 1 lie in one dimension: {0, 2} and {1, 2} are not joined.
  EXPECT_EQ(candidates, (std::vector<U>{unit<U>({0, 2, 3})}));
}

TYPED_TEST(Units, OfACubeAreGeneratedOncePerPairOfFaces) {
  using U = TypeParam;
  const std::vector<Bin> bins = five_bins();
  const std::vector<U> faces{unit<U>({0, 2}), unit<U>({0, 3}), unit<U>({2, 3})};
  std::vector<U> candidates = generate(faces, bins);
  EXPECT_EQ(candidates.size(), 3U);
  remove_duplicates(candidates);
  EXPECT_EQ(candidates, (std::vector<U>{unit<U>({0, 2, 3})}));
}

TYPED_TEST(Units, ThatArePartOfALargerOneAreAbsorbed) {
  using U = TypeParam;
  std::vector<U> dense{unit<U>({0, 2}), unit<U>({0, 4}), unit<U>({2, 3}), unit<U>({0, 3})};
  std::sort(dense.begin(), dense.end());
  EXPECT_EQ(not_absorbed(dense, {unit<U>({0, 2, 3})}), (std::vector<U>{unit<U>({0, 4})}));
}

TEST(Counters, CountPointsInAllBins) {
  std::vector<Bin> bins = five_bins();
  constexpr std::size_t points = 20000;
  const unsigned seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  for (Bin& bin : bins) {
    for (std::uint32_t i = 0; i < points; ++i) {
      if (random() % 2 == 0) {
        bin.points.push_back(i);
      }
    }
  }
  std::vector<std::uint32_t> shared;
  std::set_intersection(bins[1].points.begin(), bins[1].points.end(), bins[4].points.begin(), bins[4].points.end(),
                        std::back_inserter(shared));
  EXPECT_EQ(BitmapCounter(bins, points).points_in(unit<BitmapUnit>({1, 4})), shared.size());
  EXPECT_EQ(SetCounter(bins, points).points_in(unit<SetUnit>({1, 4})), shared.size());
  EXPECT_EQ(BitmapCounter(bins, points).points_in(unit<BitmapUnit>({0, 1, 2, 3, 4})),
            SetCounter(bins, points).points_in(unit<SetUnit>({0, 1, 2, 3, 4})));
}

class Planting : public testing::TestWithParam<int> {};

TEST_P(Planting, IsFoundByBothKinds) {
  PointSettings plan;
  plan.points = 20000;
  plan.dimensions = 12;
  plan.cluster_dimensions = GetParam();
  plan.seed = std::random_device{}();
  std::cout << "seed " << plan.seed << '\n';
  const PlantedPoints planted = plant(plan);
  for (const Kernels kernels : {Kernels::bitmap, Kernels::set}) {
    const Result result = search(planted.points, {}, kernels);
    EXPECT_EQ(difference(planted.boxes, result.clusters, 0.025), "");
    // Every part of a cluster is dense; no other unit of two or more dimensions is.
    ASSERT_EQ(static_cast<int>(result.dense_units.size()), plan.cluster_dimensions);
    double subsets = plan.cluster_dimensions;
    for (int j = 2; j <= plan.cluster_dimensions; ++j) {
      subsets *= static_cast<double>(plan.cluster_dimensions - j + 1) / j;
      EXPECT_EQ(static_cast<double>(result.dense_units[static_cast<std::size_t>(j - 1)]), std::round(3 * subsets));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Planting, testing::Values(2, 3, 5, 8));

TEST(Difference, ReportsMissingAndSurplusClusters) {
  const Box box{{1, 4}, {0.1, 0.2}, {0.3, 0.4}};
  Box moved = box;
  moved.upper[1] = 0.45;
  const Box edge{{2}, {0.1}, {0.2}};
  EXPECT_EQ(difference({box}, {edge, box}, 0.02), "");
  EXPECT_NE(difference({box}, {edge}, 0.02).find("was not found"), std::string::npos);
  EXPECT_NE(difference({box}, {moved}, 0.02).find("was not found"), std::string::npos);
  EXPECT_NE(difference({box}, {box, moved}, 0.02).find("there is no cluster"), std::string::npos);
}

TEST(Arguments, AreRefusedIfInvalid) {
  const auto parse = [](std::vector<std::string> arguments) { return parse_options(arguments); };
  EXPECT_EQ(parse({"--k", "4-6"}).cluster_dimensions, (std::vector<int>{4, 5, 6}));
  EXPECT_THROW(parse({"--k", "6-4"}), UsageError);
  EXPECT_THROW(parse({"--k", "5", "--dimensions", "4"}), UsageError);
  EXPECT_THROW(parse({"--kernels", "sets"}), UsageError);
  EXPECT_THROW(parse({"--points"}), UsageError);
  EXPECT_THROW(parse({"--bogus", "1"}), UsageError);
}

}  // namespace
}  // namespace mafia
