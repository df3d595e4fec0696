// Tests the factorial design.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

using Names = std::vector<std::string>;

/// Attributes of four values each, two per level.
AttributeSet two_levels(int attributes) {
  AttributeSet result;
  for (int j = 0; j < attributes; ++j) {
    result.push_back({"f" + std::to_string(j), {{0, "a", "", 0}, {1, "b", "", 1}, {2, "c", "", 0}, {3, "d", "", 1}}});
  }
  return result;
}

/// All 4^3 combinations, named after their values.
std::vector<Candidate> all_combinations() {
  std::vector<Candidate> result;
  for (int i = 0; i < 64; ++i) {
    const std::vector<int> values = {i / 16, i / 4 % 4, i % 4};
    result.push_back({std::to_string(values[0]) + std::to_string(values[1]) + std::to_string(values[2]), values});
  }
  return result;
}

TEST(Factorial, MeasuresDesignPointsThenTheFasterLevels) {
  const auto candidates = all_combinations();
  const auto times = product_times(candidates, {{1, 2, 0.9, 1.9}, {3, 1, 3.1, 1.1}, {1, 1.5, 1, 1.4}});
  World world("factorial", candidates, two_levels(3), parameters(5));
  EXPECT_EQ(world.names(world.batch(constant(times))), (Names{"000", "001", "010", "011", "100", "101", "110", "111"}));
  world.agree();
  EXPECT_EQ(world.considered(), (Names{"010", "012", "030", "032", "210", "212", "230", "232"}));
  EXPECT_NE(world.first().knowledge()[63].removed.find("f0 = a/c (2 times as fast as b/d in 4 pairs)"),
            std::string::npos)
      << world.first().knowledge()[63].removed;
  EXPECT_EQ(world.run(constant(times)), "210");
  EXPECT_EQ(world.measurements(), (8 + 7) * 5);
  EXPECT_NE(world.reason().find("f1 = b/d (3 times as fast as a/c in 4 pairs)"), std::string::npos) << world.reason();
}

TEST(Factorial, ThesisCodeletsHaveSixDesignPoints) {
  const auto codelets = thesis_codelets();
  const auto times = product_times(codelets, {{1, 1.3}, {1, 1.2}, {1, 0.9, 1.5, 1.4, 3, 3, 3, 3}, {1}});
  World world("factorial", codelets, halo_attributes(), parameters(10));
  EXPECT_EQ(world.names(world.batch(constant(times))),
            (Names{"IsIr_aao", "IsIr_pair", "IsIr_aao_pack", "IsIr_pair_pack", "WinfencePut_aao", "WinfencePut_pair"}));
  world.agree();
  EXPECT_EQ(world.considered(), (Names{"IsIr_aao", "SIr_aao"}));
  EXPECT_EQ(world.run(constant(times)), "SIr_aao");
  EXPECT_EQ(world.measurements(), 7 * 10);
}

TEST(Factorial, KeepsCombinationsWithoutCounterpart) {
  // Packing is faster for two-sided codelets; no one-sided codelet packs. One-sided codelets are as fast as two-sided
  // ones.
  const auto codelets = thesis_codelets();
  const auto times = product_times(codelets, {{1, 1.3}, {1, 0.8}, {1, 1.1, 1.5, 1.4, 1, 1, 0.7, 1}, {1}});
  World world("factorial", codelets, halo_attributes(), parameters(3));
  EXPECT_EQ(world.run(constant(times)), "PostStartPut_aao");
}

TEST(Factorial, InteractionIsNotAnEffect) {
  // f0 doubles the time when f1 is low and halves it when f1 is high.
  const auto candidates = all_combinations();
  World world("factorial", candidates, two_levels(3), parameters(2));
  const auto clock = [&candidates](int, int candidate, int) {
    const auto& values = candidates[static_cast<std::size_t>(candidate)].attributes;
    return (values[0] % 2 == values[1] % 2 ? 1.0 : 2.0) + (candidate == 63 ? -0.5 : 0.0);
  };
  EXPECT_EQ(world.run(clock), "333");
  EXPECT_EQ(world.measurements(), 64 * 2);
  EXPECT_NE(world.reason().find("no attribute has a significant effect"), std::string::npos) << world.reason();
}

TEST(Factorial, EffectThatDependsOnAnotherFactorIsNotSignificant) {
  // f0 is a factor of four when f1 is low, and has no effect when f1 is high.
  const std::vector<Candidate> candidates = {
      {"ll", {0, 0}}, {"hl", {1, 0}}, {"lh", {0, 1}}, {"hh", {1, 1}}, {"rest", {3, 3}}};
  World world("factorial", candidates, two_levels(2), parameters(1));
  EXPECT_EQ(world.run(constant({1.0, 4.0, 2.0, 2.0, 0.5})), "rest");
}

TEST(Factorial, SignificantEffectExceedsTwiceItsStandardError) {
  // The effect of f0 is ln 4 in one pair and ln 1.3 in the other: 1.5 times its standard error. With ln 2.6 instead of
  // ln 1.3, it is 3.9 times its standard error.
  const std::vector<Candidate> candidates = {
      {"ll", {0, 0}}, {"hl", {1, 0}}, {"lh", {0, 1}}, {"hh", {1, 1}}, {"rest", {3, 3}}};
  World insignificant("factorial", candidates, two_levels(2), parameters(1));
  EXPECT_EQ(insignificant.run(constant({1.0, 4.0, 2.0, 2.6, 0.5})), "rest");
  World clear("factorial", candidates, two_levels(2), parameters(1));
  EXPECT_EQ(clear.run(constant({1.0, 4.0, 2.0, 5.2, 0.5})), "ll");
  EXPECT_EQ(clear.measurements(4), 0);
}

TEST(Factorial, SmallEffectIsNotSignificant) {
  const auto candidates = all_combinations();
  const auto times = product_times(candidates, {{1, 1.04, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}});
  World world("factorial", candidates, two_levels(3), parameters(1));
  world.run(constant(times));
  EXPECT_EQ(world.measurements(), 64);
}

TEST(Factorial, IgnoresAttributesWithOneLevel) {
  AttributeSet attributes = two_levels(3);
  std::vector<Candidate> candidates = all_combinations();
  for (Candidate& candidate : candidates) {
    candidate.attributes[2] = candidate.attributes[2] < 2 ? 0 : not_applicable;
  }
  World world("factorial", candidates, attributes, parameters(1));
  EXPECT_EQ(world.batch(constant(std::vector<double>(64, 1.0))).size(), 4U);
}

TEST(Factorial, WithoutFactorsIsBruteForce) {
  World world("factorial", plain(4), {}, parameters(2));
  EXPECT_EQ(world.run(constant({4, 3, 2, 5})), "c2");
  EXPECT_EQ(world.agreements(), 1);
  EXPECT_NE(world.reason().find("no attribute has candidates on both levels"), std::string::npos) << world.reason();
}

TEST(Factorial, RepresentativesHaveCanonicalValues) {
  // The first candidate of the high level has a noncanonical value of the second attribute.
  const std::vector<Candidate> candidates = {{"low", {0, 0}}, {"odd", {1, 2}}, {"high", {1, 0}}, {"rest", {1, 1}}};
  World world("factorial", candidates, two_levels(2), parameters(1));
  EXPECT_EQ(world.names(world.batch(constant({1, 1, 1, 1}))), (Names{"low", "high", "rest"}));
}

TEST(Factorial, ReplacesADroppedRepresentative) {
  const auto candidates = all_combinations();
  World world("factorial", candidates, two_levels(3), parameters(1));
  const Clock clock = constant(std::vector<double>(64, 1.0));
  world.step(clock);
  world.drop(0, "no memory");
  world.batch(clock);
  world.agree();
  EXPECT_EQ(world.names(world.batch(clock)), (Names{"002"}));
}

TEST(Factorial, PrimedCandidateRepresentsItsCombination) {
  const auto candidates = all_combinations();
  std::vector<measure::Numbers> known(64);
  known[63] = {1.0, 1.0, 0.0, 10.0};
  World world("factorial", candidates, two_levels(3), parameters(1));
  world.prime(known);
  EXPECT_EQ(world.batch(constant(std::vector<double>(64, 1.0))).size(), 7U);
}

TEST(Factorial, AcceptsZeroTimes) {
  const auto candidates = all_combinations();
  World zeros("factorial", candidates, two_levels(3), parameters(1));
  EXPECT_EQ(zeros.run(constant(std::vector<double>(64, 0.0))), "000");
  auto times = std::vector<double>(64, 1e-6);
  times[63] = 0.0;
  World one("factorial", candidates, two_levels(3), parameters(1));
  EXPECT_EQ(one.run(constant(times)), "333") << "no design point, and no effect is significant";
  World pair("factorial", {{"a", {0}}, {"b", {1}}}, two_levels(1), parameters(1));
  pair.run(constant({0.0, 1e-6}));
  EXPECT_NE(pair.reason().find("(1e+03 times as fast as b in 1 pair)"), std::string::npos) << pair.reason();
}

TEST(Factorial, NonzeroLevelsAreTheHighLevel) {
  AttributeSet attributes = {{"f", {{0, "a", "", 0}, {1, "b", "", 7}}}};
  World world("factorial", {{"low", {0}}, {"high", {1}}, {"unknown", {9}}}, attributes, parameters(1));
  EXPECT_EQ(world.names(world.batch(constant({1, 2, 3}))), (Names{"low", "high"}));
}

}  // namespace
}  // namespace adcl::select
