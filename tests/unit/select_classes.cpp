// Classes of attribute values (paper section V), and the measurements that they save.
#include <gtest/gtest.h>

#include <random>

#include "select/hypothesis/hypothesis.hpp"
#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

using Names = std::vector<std::string>;

/// Times of the codelets of the thesis, from factors for pair, pack, and one-sided primitives.
std::vector<double> times_with(double pair_factor, double pack_factor, double one_sided_factor) {
  const double o = one_sided_factor;
  return product_times(
      thesis_codelets(),
      {{1.0, pair_factor}, {1.0, pack_factor}, {1.0, 1.05, 1.5, 1.4, o, 1.1 * o, 0.95 * o, 1.2 * o}, {1.0}});
}

TEST(HypothesisClasses, RepresentativeRulesItsClassOut) {
  World world("hypothesis", thesis_codelets(), halo_attributes(), parameters(10));
  const Clock clock = constant(times_with(1.3, 1.2, 3.0));
  EXPECT_EQ(world.names(world.batch(clock)),
            (Names{"IsIr_aao", "IsIr_pair", "IsIr_aao_pack", "IsIr_pair_pack", "WinfencePut_aao"}));
  world.agree();
  EXPECT_EQ(world.considered(), (Names{"IsIr_aao", "SIr_aao"}));
  EXPECT_EQ(world.run(clock), "IsIr_aao");
  EXPECT_EQ(world.measurements(), 6 * 10);
  EXPECT_EQ(world.first().knowledge()[15].removed,
            "the class one_sided of primitive is excluded: WinfencePut_aao took 3 ms and IsIr_aao took 1 ms");
  EXPECT_NE(world.reason().find("primitive is not one_sided"), std::string::npos) << world.reason();
}

TEST(HypothesisClasses, RepresentativeRulesOtherClassesOut) {
  World world("hypothesis", thesis_codelets(), halo_attributes(), parameters(10));
  EXPECT_EQ(world.run(constant(times_with(1.3, 1.2, 0.5))), "PostStartPut_aao");
  EXPECT_EQ(world.measurements(), 8 * 10) << "the first five, and the other one-sided codelets with aao";
  EXPECT_EQ(world.measurements(4), 0) << "SIr_aao is two-sided";
}

TEST(HypothesisClasses, ClassStaysWithinTheMargin) {
  World world("hypothesis", thesis_codelets(), halo_attributes(), parameters(10));
  EXPECT_EQ(world.run(constant(times_with(1.3, 1.2, 1.04))), "PostStartPut_aao")
      << "its representative is only 4 % slower than IsIr_aao";
  EXPECT_EQ(world.measurements(), 9 * 10);
}

TEST(HypothesisClasses, ReplacesADroppedRepresentative) {
  World world("hypothesis", thesis_codelets(), halo_attributes(), parameters(10));
  const Clock clock = constant(times_with(1.3, 1.2, 3.0));
  world.step(clock);
  world.drop(12, "no window");
  world.batch(clock);
  world.agree();
  EXPECT_EQ(world.names(world.batch(clock)), (Names{"WinfenceGet_aao"}));
  EXPECT_EQ(world.run(clock), "IsIr_aao");
  EXPECT_EQ(world.measurements(14), 0);
}

TEST(HypothesisClasses, HypothesisDoesNotApplyToClassesWithoutItsValue) {
  // Packing is faster for two-sided codelets. No one-sided codelet packs, so this does not restrict their class.
  World world("hypothesis", thesis_codelets(), halo_attributes(), parameters(10));
  const Clock clock = constant(times_with(1.3, 0.8, 0.8));
  world.batch(clock);
  world.agree();
  EXPECT_EQ(world.considered(), (Names{"IsIr_aao_pack", "SIr_aao_pack", "WinfencePut_aao", "WinfenceGet_aao",
                                       "PostStartPut_aao", "PostStartGet_aao"}));
  EXPECT_EQ(world.run(clock), "PostStartPut_aao");
}

TEST(HypothesisClasses, ClassWithOneUnmeasuredMemberNeedsNoRepresentative) {
  std::vector<Candidate> codelets = thesis_codelets();
  codelets.erase(codelets.begin() + 4, codelets.begin() + 12);
  codelets.resize(5);
  World world("hypothesis", codelets, halo_attributes(), parameters(10));
  EXPECT_EQ(world.batch(constant(std::vector<double>(5, 1.0))), (std::vector<int>{0, 1, 2, 3}))
      << "WinfencePut_aao is measured later";
}

/// Two classes with three members each; candidates differ in this attribute only.
AttributeSet two_classes() {
  return {{"primitive",
           {{0, "a", "two_sided", 0},
            {1, "b", "two_sided", 0},
            {2, "c", "two_sided", 0},
            {3, "x", "one_sided", 1},
            {4, "y", "one_sided", 1},
            {5, "z", "one_sided", 1}}}};
}

std::vector<Candidate> members_of_two_classes() {
  return {{"a", {0}}, {"b", {1}}, {"c", {2}}, {"x", {3}}, {"y", {4}}, {"z", {5}}};
}

TEST(HypothesisClasses, MeasuresRepresentativesIfNoHypothesisCanBeDecided) {
  // One set cannot confirm a hypothesis, but its classes can be compared.
  World world("hypothesis", members_of_two_classes(), two_classes(), parameters(2));
  const Clock clock = constant({1.0, 0.9, 1.1, 3.0, 0.5, 0.5});
  EXPECT_EQ(world.names(world.batch(clock)), (Names{"a", "x"}));
  world.agree();
  EXPECT_EQ(world.considered(), (Names{"a", "b", "c"}));
  EXPECT_EQ(world.run(clock), "b");
  EXPECT_EQ(world.measurements(4) + world.measurements(5), 0);
}

TEST(HypothesisClasses, PrimedMemberRepresentsItsClass) {
  World world("hypothesis", members_of_two_classes(), two_classes(), parameters(2));
  const measure::Numbers one = {1.0, 1.0, 0.0, 10.0};
  const measure::Numbers other = {1.1, 1.1, 0.0, 10.0};
  world.prime(std::vector<measure::Numbers>{{}, one, {}, {}, other, {}});
  EXPECT_EQ(world.names(world.batch(constant({1.2, 1.0, 1.2, 1.2, 1.1, 0.5}))), (Names{"a", "c", "x", "z"}))
      << "no further representative is necessary";
}

TEST(HypothesisClasses, FastestMeasuredMemberRepresentsItsClass) {
  World world("hypothesis", members_of_two_classes(), two_classes(), parameters(2));
  const auto numbers = [](double seconds) { return measure::Numbers{seconds, seconds, 0.0, 10.0}; };
  world.prime(std::vector<measure::Numbers>{numbers(1.0), {}, {}, numbers(1.2), numbers(3.0), {}});
  EXPECT_EQ(world.run(constant({1.0, 1.1, 1.1, 1.2, 3.0, 0.5})), "z") << "a factor of 1.2 is within the margin";
}

TEST(HypothesisClasses, MarginIsAQuarter) {
  for (const double slower : {1.24, 1.26}) {
    World world("hypothesis", members_of_two_classes(), two_classes(), parameters(2));
    EXPECT_EQ(world.run(constant({1.0, 1.1, 1.1, slower, 0.5, 0.5})), slower < 1.25 ? "y" : "a") << slower;
  }
}

TEST(HypothesisClasses, DroppedCandidatesAreNotEvidence) {
  // A one-sided codelet packs, but its plan cannot be created.
  std::vector<Candidate> codelets = thesis_codelets();
  codelets.push_back({"WinfencePut_aao_pack", {aao, pack, fence_put, not_applicable}});
  std::vector<double> times = times_with(1.3, 0.8, 0.8);
  times.push_back(0.7e-3);
  World world("hypothesis", codelets, halo_attributes(), parameters(10));
  const Clock clock = constant(times);
  world.step(clock);
  world.drop(20, "no window");
  world.batch(clock);
  world.agree();
  const std::vector<std::string> left = world.considered();
  for (const char* const name : {"WinfencePut_aao", "WinfenceGet_aao", "PostStartPut_aao", "PostStartGet_aao"}) {
    EXPECT_NE(std::find(left.begin(), left.end(), name), left.end()) << name;
  }
  EXPECT_EQ(world.run(clock), "PostStartPut_aao");
}

TEST(HypothesisClasses, SaveMeasurementsOfTheThesisCodelets) {
  const auto seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> factor(0.5, 2.0);
  int hypothesis_total = 0;
  int factorial_total = 0;
  constexpr int machines = 200;
  for (int machine = 0; machine < machines; ++machine) {
    const Clock clock = constant(times_with(factor(random), factor(random), factor(random)));
    World all("brute_force", thesis_codelets(), halo_attributes(), parameters(10));
    World some("hypothesis", thesis_codelets(), halo_attributes(), parameters(10));
    World design("factorial", thesis_codelets(), halo_attributes(), parameters(10));
    all.run(clock);
    some.run(clock);
    design.run(clock);
    ASSERT_EQ(all.measurements(), 200);
    EXPECT_LT(some.measurements(), all.measurements());
    hypothesis_total += some.measurements();
    factorial_total += design.measurements();
  }
  RecordProperty("brute_force_measurements", 200);
  RecordProperty("hypothesis_measurements_mean", hypothesis_total / machines);
  RecordProperty("factorial_measurements_mean", factorial_total / machines);
  EXPECT_LT(hypothesis_total / machines, 120) << "brute force has 200";
  EXPECT_LT(factorial_total / machines, 150);
}

}  // namespace
}  // namespace adcl::select
