// Similar problems, and their advice for an unknown problem.
#include "history/similar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace adcl::history {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Entry halo(double side, double ranks = 4.0) {
  Entry entry;
  entry.identity = {
      "neighborhood", static_cast<std::uint64_t>(side), "A processor", false, {"plain", "packed", "shared"}};
  entry.features = {
      {"pattern", "neighborhood"},
      {"extents", std::to_string(static_cast<int>(side)) + " x " + std::to_string(static_cast<int>(side))},
      {"dimensions", 2.0},
      {"neighbors", 4.0},
      {"bytes_out", 32.0 * side},
      {"ranks", ranks},
      {"nodes", 1.0},
      {"mpi_library", "Open MPI"}};
  return entry;
}

/// A decision with the times of halo()'s candidates; 0: not measured. The fastest candidate is the winner.
Decision decided(const std::vector<double>& times) {
  Decision made;
  const std::vector<std::string> names = {"plain", "packed", "shared"};
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] > 0.0) {
      made.estimates.push_back({names[i], {times[i], times[i], 0.0, 10.0, 0.0}, times[i]});
      if (made.winner.empty() || times[i] < made.winner_s) {
        made.winner = names[i];
        made.winner_s = times[i];
      }
    }
  }
  return made;
}

std::shared_ptr<const Entry> known(double side, const std::vector<double>& times,
                                   const std::map<std::string, double>& expected = {}) {
  Entry entry = halo(side);
  entry.decisions["start"] = decided(times);
  entry.decisions["start"].expected = expected;
  return std::make_shared<const Entry>(std::move(entry));
}

Advice advice(double side, const std::vector<std::shared_ptr<const Entry>>& entries,
              const Similarity& similarity = nullptr) {
  return advice_for(halo(side), "start", {"plain", "packed", "shared"}, entries, similarity);
}

Entry with(Entry entry, const std::string& name, const std::variant<double, std::string>& value) {
  for (Feature& feature : entry.features) {
    if (feature.name == name) {
      feature.value = value;
    }
  }
  return entry;
}

TEST(Distance, OfSizesIsLogarithmicWithALimitOfSixteen) {
  EXPECT_EQ(distance(halo(64), halo(64)), 0.0);
  EXPECT_DOUBLE_EQ(distance(halo(64), halo(128)), 0.25);
  EXPECT_DOUBLE_EQ(distance(halo(128), halo(64)), 0.25);
  EXPECT_DOUBLE_EQ(distance(halo(64), halo(1024)), similarity_limit);
  EXPECT_GT(distance(halo(64), halo(2048)), similarity_limit);
}

TEST(Distance, OfRanksHasALimitOfTwo) { EXPECT_DOUBLE_EQ(distance(halo(64, 4), halo(64, 8)), similarity_limit); }

TEST(Distance, IsTheLargestDistanceOfAnyFeature) {
  EXPECT_DOUBLE_EQ(distance(halo(64, 4), with(halo(128, 4), "bytes_out", 32.0 * 64 * 8)), 0.75);
}

TEST(Distance, IsInfiniteBetweenDifferentKinds) {
  Entry other = halo(64);
  other.identity.processor = "Another processor";
  EXPECT_EQ(distance(halo(64), other), infinity);
  other = halo(64);
  other.identity.barrier = true;
  EXPECT_EQ(distance(halo(64), other), infinity);
  EXPECT_EQ(distance(halo(64), with(halo(64), "mpi_library", "MPICH")), infinity);
  EXPECT_EQ(distance(halo(64), with(halo(64), "nodes", 2.0)), infinity);
  EXPECT_EQ(distance(halo(64), with(halo(64), "dimensions", 3.0)), infinity);
  EXPECT_EQ(distance(halo(64), with(halo(64), "extents", "64 x 64 x 64")), infinity);
  EXPECT_EQ(distance(halo(64), with(halo(64), "bytes_out", 0.0)), infinity);
}

TEST(Distance, IsInfiniteForInvalidRecords) {
  const Entry here = halo(64);
  EXPECT_EQ(distance(here, with(here, "bytes_out", std::nan(""))), infinity);
  EXPECT_EQ(distance(here, with(here, "bytes_out", -1.0)), infinity);
  EXPECT_EQ(distance(here, with(here, "bytes_out", infinity)), infinity);
  EXPECT_EQ(distance(here, with(here, "bytes_out", "many")), infinity);
  Entry fewer = here;
  fewer.features.pop_back();
  EXPECT_EQ(distance(here, fewer), infinity);
  fewer.features.clear();
  EXPECT_EQ(distance(here, fewer), infinity);
  EXPECT_EQ(distance(with(here, "bytes_out", std::nan("")), with(here, "bytes_out", std::nan(""))), infinity);
}

TEST(Distance, DefinedByTheApplicationGetsAllNumbersByName) {
  std::vector<std::string> seen;
  const Similarity similarity = [&seen](const auto& names, const auto& here, const auto& there) {
    seen = names;
    return std::abs(here[2] - there[2]);
  };
  EXPECT_EQ(distance(halo(64), halo(65), similarity), 32.0);
  EXPECT_EQ(seen, (std::vector<std::string>{"dimensions", "neighbors", "bytes_out", "ranks", "nodes"}));
  EXPECT_EQ(distance(halo(64), with(halo(64), "mpi_library", "MPICH"), similarity), infinity);
  EXPECT_EQ(distance(halo(64), halo(64), [](auto&, auto&, auto&) { return -1.0; }), infinity);
  EXPECT_EQ(distance(halo(64), halo(64), [](auto&, auto&, auto&) { return std::nan(""); }), infinity);
}

TEST(Advice, IsTheTimeRelativeToTheWinner) {
  const Advice found = advice(64, {known(128, {3.0, 2.0, 5.0})});
  ASSERT_EQ(found.relative.size(), 3U);
  EXPECT_DOUBLE_EQ(found.relative[0], 1.5);
  EXPECT_DOUBLE_EQ(found.relative[1], 1.0);
  EXPECT_DOUBLE_EQ(found.relative[2], 2.5);
  EXPECT_DOUBLE_EQ(found.distance, 0.25);
}

TEST(Advice, FasterCandidatesThanTheWinnerCountAsEqual) {
  Entry entry = halo(128);
  entry.decisions["start"] = decided({2.0, 1.9, 3.0});
  entry.decisions["start"].winner = "plain";
  entry.decisions["start"].winner_s = 2.0;
  const Advice found = advice(64, {std::make_shared<const Entry>(entry)});
  EXPECT_DOUBLE_EQ(found.relative[0], 1.0);
  EXPECT_DOUBLE_EQ(found.relative[1], 1.0);
  EXPECT_DOUBLE_EQ(found.relative[2], 1.5);
}

TEST(Advice, IsDominatedByTheNearestProblem) {
  const Advice found = advice(64, {known(1024, {1.0, 2.0, 3.0}), known(65, {3.0, 1.0, 2.0})});
  EXPECT_NEAR(found.relative[1], 1.0, 0.01);
  EXPECT_NEAR(found.relative[0], 3.0, 0.05);
}

TEST(Advice, UnmeasuredCandidatesAreRuledOut) {
  EXPECT_EQ(advice(64, {known(128, {3.0, 2.0, 0.0})}).relative[2], infinity);
  EXPECT_DOUBLE_EQ(advice(64, {known(128, {3.0, 2.0, 0.0}), known(32, {3.0, 2.0, 8.0})}).relative[2], 4.0);
}

TEST(Advice, UntriedCandidatesAreUnknownAndHaveACorrection) {
  Entry entry = halo(128);
  entry.decisions["start"] = decided({3.0, 2.0, 0.0});
  entry.decisions["start"].untried["shared"] = 0.7;
  const auto early = std::make_shared<const Entry>(entry);
  const Advice found = advice(64, {early});
  EXPECT_TRUE(std::isnan(found.relative[2]));
  EXPECT_EQ(found.corrections, (std::vector{0.0, 0.0, 0.7}));
  EXPECT_DOUBLE_EQ(found.relative[0], 1.5);
  // A measurement takes precedence over entries that ruled the codelet out or did not try it.
  EXPECT_DOUBLE_EQ(advice(64, {early, known(32, {3.0, 2.0, 8.0})}).relative[2], 4.0);
  EXPECT_EQ(advice(64, {early, known(32, {3.0, 2.0, 0.0})}).relative[2], infinity);
  // If two entries lack a measurement, the more similar entry has the larger weight.
  entry = halo(64 * 8);
  entry.decisions["start"] = decided({3.0, 2.0, 0.0});
  entry.decisions["start"].untried["shared"] = -0.3;
  const double both = advice(64, {early, std::make_shared<const Entry>(entry)}).corrections[2];
  EXPECT_NEAR(both, (0.7 / 0.0625 - 0.3 / 0.5625) / (1 / 0.0625 + 1 / 0.5625), 1e-12);
}

TEST(Advice, OfExcludedCandidatesIsTheRootOfTheRatio) {
  EXPECT_DOUBLE_EQ(advice(64, {known(128, {3.0, 2.0, 0.0}, {{"shared", 9.0}})}).relative[2], 3.0);
}

TEST(Advice, IsUnknownForCodeletsMissingInSimilarProblems) {
  const Advice found = advice_for(halo(64), "start", {"packed", "newer"}, std::vector{known(64, {3.0, 2.0, 4.0})});
  EXPECT_DOUBLE_EQ(found.relative[0], 1.0);
  EXPECT_TRUE(std::isnan(found.relative[1]));
}

TEST(Advice, IsEmptyForDistantProblemsOtherModesAndInvalidEntries) {
  EXPECT_TRUE(advice(64, {}).relative.empty());
  EXPECT_TRUE(advice(64, {known(64 * 17, {1.0, 2.0, 3.0})}).relative.empty());
  EXPECT_TRUE(
      advice_for(halo(64), "init and wait", {"plain"}, std::vector{known(64, {1.0, 2.0, 3.0})}).relative.empty());
  Entry nothing = halo(64);
  nothing.decisions["start"] = {};
  EXPECT_TRUE(advice(64, {std::make_shared<const Entry>(nothing)}).relative.empty());
  EXPECT_TRUE(advice_for(halo(64), "start", {"others"}, std::vector{known(64, {1.0, 2.0, 3.0})}).relative.empty());
}

}  // namespace
}  // namespace adcl::history
