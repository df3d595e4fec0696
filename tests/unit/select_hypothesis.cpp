// Performance hypotheses, with the examples of the paper.
#include "select/hypothesis/hypothesis.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

using Names = std::vector<std::string>;

HypothesisSearch& inside(World& world) { return dynamic_cast<HypothesisSearch&>(world.first()); }

/// Sets ADCL_CONFIDENCE. Throws Error(option) for an invalid value.
void set_confidence(Parameters& parameters, const std::string& value) {
  for (const Logic& logic : table()) {
    for (const Option& option : logic.options) {
      if (option.name == "ADCL_CONFIDENCE") {
        parameters.options.set(option, value);
      }
    }
  }
}

/// Four attributes; the second has the values 1, 2, 3 as in Table I, the third y, y+1, y+2.
AttributeSet table_i_attributes() {
  return {{"first", {{0, "x", "", 0}}},
          {"second", {{1, "1", "", 0}, {2, "2", "", 0}, {3, "3", "", 1}}},
          {"third", {{0, "y", "", 0}, {1, "y+1", "", 0}, {2, "y+2", "", 1}}},
          {"fourth", {{0, "z", "", 0}}}};
}

std::vector<Candidate> table_i_candidates() {
  std::vector<Candidate> result;
  for (const int third : {0, 1, 2}) {
    for (const int second : {1, 2, 3}) {
      result.push_back({"[x," + std::to_string(second) + ",y+" + std::to_string(third) + ",z]", {0, second, third, 0}});
    }
  }
  return result;
}

TEST(Hypothesis, ConfidenceIncreasesAndDecreases) {
  Hypothesis second;
  EXPECT_EQ(second.value(), not_applicable);
  second.vote(3, {1, 2, 3});
  EXPECT_EQ(second.value(), 3);
  EXPECT_EQ(second.confidence(), 1) << "paper section III: one set of measurements confirms it";
  second.vote(3, {1, 3});
  EXPECT_EQ(second.confidence(), 2);
  EXPECT_TRUE(second.beats(1));
  EXPECT_TRUE(second.beats(2));
  EXPECT_FALSE(second.beats(3));
  EXPECT_FALSE(second.beats(4)) << "not compared";
  second.vote(2, {1, 2, 3});
  EXPECT_EQ(second.value(), 3);
  EXPECT_EQ(second.confidence(), 1);
  second.vote(1, {1, 2, 3});
  EXPECT_EQ(second.value(), not_applicable);
  EXPECT_EQ(second.confidence(), 0);
  EXPECT_FALSE(second.beats(1));
  second.vote(2, {1, 2});
  EXPECT_EQ(second.value(), 2);
  EXPECT_EQ(second.confidence(), 1);
}

TEST(HypothesisSearch, PaperTableI_SecondSetConfirmsAndOtherValuesAreRemoved) {
  World world("hypothesis", table_i_candidates(), table_i_attributes(), parameters(2));
  const Clock clock = constant({5, 4, 3, 6, 7, 4, 9, 9, 1});
  EXPECT_EQ(world.names(world.batch(clock)),
            (Names{"[x,1,y+0,z]", "[x,2,y+0,z]", "[x,3,y+0,z]", "[x,1,y+1,z]", "[x,2,y+1,z]", "[x,3,y+1,z]"}));
  world.agree();
  EXPECT_EQ(inside(world).hypothesis(1).value(), 3);
  EXPECT_EQ(inside(world).hypothesis(1).confidence(), 2);
  EXPECT_TRUE(inside(world).confirmed(1));
  // These measurements also decide the third attribute: y was better than y+1 with the second values 1 and 2. The
  // untested y+2 stays.
  EXPECT_EQ(inside(world).hypothesis(2).value(), 0);
  EXPECT_EQ(world.considered(), (Names{"[x,3,y+0,z]", "[x,3,y+2,z]"}));
  EXPECT_EQ(world.first().knowledge()[0].removed,
            "second = 3 is better than 1, with confidence 2: [x,3,y+1,z] took 4 s and [x,1,y+1,z] took 6 s");
  EXPECT_EQ(world.names(world.batch(clock)), (Names{"[x,3,y+2,z]"}));
  world.agree();
  EXPECT_EQ(world.winner(), "[x,3,y+2,z]");
}

TEST(HypothesisSearch, PaperTableI_OneSetRemovesNothing) {
  // Three confirmations are needed. The first set favors 3, the second contradicts, the third favors 2.
  World world("hypothesis", table_i_candidates(), table_i_attributes(), parameters(2, 3));
  const Clock clock = constant({5, 4, 3, 6, 2, 4, 9, 1, 9});
  EXPECT_EQ(world.run(clock), "[x,2,y+2,z]");
  EXPECT_EQ(inside(world).hypothesis(1).value(), 2);
  EXPECT_EQ(inside(world).hypothesis(1).confidence(), 1);
  EXPECT_FALSE(inside(world).confirmed(1));
  EXPECT_EQ(world.first().knowledge()[0].removed, "slower: 5 s against 1 s of [x,2,y+2,z]");
}

TEST(HypothesisSearch, PaperTableI_OneSetIsEnoughForOneConfirmation) {
  World world("hypothesis", table_i_candidates(), table_i_attributes(), parameters(2, 1));
  EXPECT_EQ(world.batch(constant({5, 4, 3, 6, 7, 4, 9, 9, 1})), (std::vector<int>{0, 1, 2}));
  world.agree();
  EXPECT_EQ(inside(world).hypothesis(1).value(), 3);
  EXPECT_EQ(inside(world).hypothesis(1).confidence(), 1);
  EXPECT_EQ(world.considered(), (Names{"[x,3,y+0,z]", "[x,3,y+1,z]", "[x,3,y+2,z]"}));
}

TEST(HypothesisSearch, PaperSectionIII_EachAttributeHasARequiredConfidence) {
  Parameters own = parameters(2);
  set_confidence(own, "2,second=1");
  World world("hypothesis", table_i_candidates(), table_i_attributes(), own);
  EXPECT_EQ(world.batch(constant({5, 4, 3, 6, 7, 4, 9, 9, 1})), (std::vector<int>{0, 1, 2})) << "one set is enough";
  world.agree();
  EXPECT_TRUE(inside(world).confirmed(1));
  EXPECT_FALSE(inside(world).confirmed(2));
  // Unknown attributes are ignored.
  set_confidence(own, "1,second=2,algorithm=9");
  World other("hypothesis", table_i_candidates(), table_i_attributes(), own);
  EXPECT_EQ(other.batch(constant({5, 4, 3, 6, 7, 4, 9, 9, 1})), (std::vector<int>{0, 3, 6}))
      << "one set of the third attribute";
}

TEST(HypothesisSearch, RejectsInvalidConfidences) {
  Parameters own = parameters(2);
  for (const char* value : {"", "0", "1.5", "2,", "2,second", "2,second=", "2,second=0", "second=1", "2,=1",
                            "2,second=1,second=2", "2 ,second=1", "2,3", "1000001"}) {
    EXPECT_THROW(set_confidence(own, value), Error) << value;
  }
  for (const char* value : {"1", "1000000", "2,second=1,third=3"}) {
    EXPECT_NO_THROW(set_confidence(own, value)) << value;
  }
}

TEST(HypothesisSearch, PaperSectionIV_FourMeasurementsLeaveTwoOfTwelve) {
  const auto codelets = two_sided_codelets();
  const auto times = product_times(codelets, {{1.0, 1.3}, {1.0, 1.2}, {1.0, 0.9, 1.5, 1.4}, {1.0}});
  World world("hypothesis", codelets, halo_attributes(), parameters(30));
  EXPECT_EQ(world.names(world.batch(constant(times))),
            (Names{"IsIr_aao", "IsIr_pair", "IsIr_aao_pack", "IsIr_pair_pack"}));
  world.agree();
  EXPECT_EQ(inside(world).hypothesis(0).value(), aao);
  EXPECT_EQ(inside(world).hypothesis(0).confidence(), 2);
  EXPECT_EQ(inside(world).hypothesis(1).value(), ddt);
  EXPECT_EQ(inside(world).hypothesis(1).confidence(), 2);
  EXPECT_EQ(world.considered(), (Names{"IsIr_aao", "SIr_aao"}));
  EXPECT_EQ(world.names(world.batch(constant(times))), (Names{"SIr_aao"}));
  world.agree();
  EXPECT_EQ(world.winner(), "SIr_aao");
  EXPECT_EQ(world.agreements(), 2);
  EXPECT_EQ(world.measurements(), 5 * 30);
  EXPECT_EQ(world.reason(),
            "SIr_aao has the lowest time of 5 measured candidates: 900 us; the next is IsIr_aao with 1 ms; 7 of 12 "
            "candidates were not measured because partners = aao with confidence 2 (IsIr_aao_pack took 1.2 ms and "
            "IsIr_pair_pack took 1.56 ms), noncontiguous = ddt with confidence 2 (IsIr_pair took 1.3 ms and "
            "IsIr_pair_pack took 1.56 ms)");
  EXPECT_NE(world.first().knowledge()[8].removed.find("partners = aao is better than pair"), std::string::npos);
}

TEST(HypothesisSearch, PaperSectionIV_FindsPairAndPackOnACongestedNetwork) {
  const auto codelets = two_sided_codelets();
  const auto times = product_times(codelets, {{1.4, 1.0}, {1.2, 1.0}, {1.0, 1.1, 1.2, 0.8}, {1.0}});
  World world("hypothesis", codelets, halo_attributes(), parameters(3));
  EXPECT_EQ(world.run(constant(times)), "Sr_pair_pack");
  EXPECT_EQ(world.measurements(), 7 * 3) << "four, then SIr, S_R and Sr with pair and pack";
}

TEST(HypothesisSearch, IsBruteForceIfNothingConverges) {
  // The better value depends on all other attributes, so all votes cancel.
  const auto codelets = two_sided_codelets();
  World world("hypothesis", codelets, halo_attributes(), parameters(4));
  const auto clock = [&codelets](int, int candidate, int) {
    const auto& values = codelets[static_cast<std::size_t>(candidate)].attributes;
    const double seconds = (values[0] + values[1] + values[2]) % 2 == 0 ? 1.0 : 2.0;
    return values[2] == sendrecv ? 0.99 * seconds : seconds;
  };
  EXPECT_EQ(world.run(clock), "Sr_pair");
  EXPECT_EQ(world.measurements(), 12 * 4) << "each candidate once";
  EXPECT_NE(world.reason().find("no hypothesis converged"), std::string::npos) << world.reason();
}

TEST(HypothesisSearch, ContradictionDelaysTheDecision) {
  // The sets with isend_irecv disagree about the partners; the sets with the other primitives agree on pair.
  std::vector<Candidate> codelets;
  for (const int primitive : {0, 1, 2, 3, 4, 5, 6, 7}) {
    for (const int partners : {aao, pair}) {
      codelets.push_back({std::to_string(primitive) + (partners == aao ? "a" : "p"), {partners, 0, primitive, 0}});
    }
  }
  World world("hypothesis", codelets, halo_attributes(), parameters(1));
  const auto clock = [](int, int candidate, int) { return candidate == 0 ? 0.95 : (candidate % 2 == 0 ? 1.05 : 1.0); };
  world.batch(clock);
  world.agree();
  EXPECT_EQ(inside(world).hypothesis(0).value(), not_applicable) << "aao, then pair: no hypothesis";
  EXPECT_EQ(world.considered().size(), 16U);
  world.batch(clock);
  world.agree();
  EXPECT_EQ(inside(world).hypothesis(0).value(), pair);
  EXPECT_EQ(world.considered().size(), 9U) << "all with pair, and the fastest measured candidate";
  EXPECT_EQ(world.run(clock), "0a");
  EXPECT_LT(world.measurements(), 16);
}

TEST(HypothesisSearch, KeepsTheFastestMeasuredCandidate) {
  auto codelets = two_sided_codelets();
  auto times = product_times(codelets, {{1.0, 1.3}, {1.0, 1.2}, {1.0, 1.1, 1.5, 1.4}, {1.0}});
  std::vector<measure::Numbers> known(codelets.size());
  known[9] = {1e-4, 1e-4, 0.0, 10.0};
  World world("hypothesis", codelets, halo_attributes(), parameters(3));
  world.prime(known);
  EXPECT_EQ(world.run(constant(times)), "Sr_pair") << "the earlier result of an exception to aao and ddt";
}

TEST(HypothesisSearch, KeepsValuesThatWereNotCompared) {
  AttributeSet attributes = halo_attributes();
  attributes[0].values.push_back({2, "dimension", "", 1});
  auto codelets = two_sided_codelets();
  codelets.push_back({"Ordered", {2, ddt, isend_irecv, waitall}});
  codelets.push_back({"Ordered_pack", {2, pack, isend_irecv, waitall}});
  auto times = product_times(two_sided_codelets(), {{1.0, 1.3}, {1.0, 1.2}, {1.0, 1.1, 1.5, 1.4}, {1.0}});
  times.push_back(0.5e-3);
  times.push_back(0.9e-3);
  World world("hypothesis", codelets, attributes, parameters(3));
  EXPECT_EQ(world.run(constant(times)), "Ordered");
  EXPECT_EQ(world.measurements(13), 0) << "pack was compared";
}

TEST(HypothesisSearch, CandidateWithoutPartnerIsMeasuredLast) {
  auto codelets = two_sided_codelets();
  codelets.push_back({"user", {pair, pack, not_applicable, not_applicable}});
  auto times = product_times(codelets, {{1.0, 1.3}, {1.0, 1.2}, {1.0, 1.1, 1.5, 1.4}, {1.0}});
  times[12] = 0.5e-3;
  World world("hypothesis", codelets, halo_attributes(), parameters(3));
  EXPECT_EQ(world.run(constant(times)), "user");
  EXPECT_EQ(world.measurements(), 6 * 3);
}

TEST(HypothesisSearch, MeasuresOneBatchIfNothingCanBeSaved) {
  const std::vector<Candidate> candidates = {
      {"a", {0, 0}}, {"b", {0, 1}}, {"c", {1, 0}}, {"d", {1, 1}}, {"alone", {not_applicable, not_applicable}}};
  World world("hypothesis", candidates, {halo_attributes()[0], halo_attributes()[1]}, parameters(2));
  world.run(constant({1, 2, 3, 4, 5}));
  EXPECT_EQ(world.agreements(), 1) << "a to d are the only sets, and the last candidate is in no set";
}

TEST(HypothesisSearch, PrefersSetsThatCompleteOthers) {
  const std::vector<Candidate> candidates = {{"a", {0, 0, 0}}, {"b", {1, 0, 0}}, {"c", {0, 1, 0}},
                                             {"d", {2, 1, 0}}, {"e", {3, 1, 0}}, {"f", {0, 5, 5}},
                                             {"g", {1, 5, 5}}, {"h", {0, 6, 6}}, {"i", {1, 6, 6}}};
  World world("hypothesis", candidates, {{"f0", {}}, {"f1", {}}, {"f2", {}}}, parameters(1));
  EXPECT_EQ(world.names(world.batch(constant(std::vector<double>(9, 1.0)))), (Names{"a", "b", "c", "d", "e"}))
      << "f and g need one measurement less, but a and c compare f1";
}

TEST(HypothesisSearch, PrefersAttributesWhoseSetsCompleteOthers) {
  // Three pairs that differ in the first attribute only, and the eight corners of a cube in the other attributes.
  std::vector<Candidate> candidates;
  candidates.reserve(14);
  for (int i = 0; i < 6; ++i) {
    candidates.push_back({"p" + std::to_string(i), {i % 2, 5 + i / 2, 5 + i / 2, 5 + i / 2}});
  }
  for (int i = 0; i < 8; ++i) {
    candidates.push_back({"q" + std::to_string(i), {7, i / 4, i / 2 % 2, i % 2}});
  }
  World world("hypothesis", candidates, {{"f0", {}}, {"f1", {}}, {"f2", {}}, {"f3", {}}}, parameters(1));
  EXPECT_EQ(world.names(world.batch(constant(std::vector<double>(14, 1.0)))), (Names{"q0", "q1", "q4", "q5"}));
}

TEST(HypothesisSearch, ReducesMeasurementsOfSeveralRanks) {
  const auto codelets = two_sided_codelets();
  const auto times = product_times(codelets, {{1.0, 1.3}, {1.0, 1.2}, {1.0, 0.9, 1.5, 1.4}, {1.0}});
  World world("hypothesis", codelets, halo_attributes(), parameters(5), 3);
  const auto clock = [&](int rank, int candidate, int run) {
    return times[static_cast<std::size_t>(candidate)] * (1.0 + 0.01 * rank + 0.001 * (run % 3));
  };
  EXPECT_EQ(world.run(clock), "SIr_aao");
  for (int r = 1; r < 3; ++r) {
    EXPECT_EQ(world.rank(r).verdict()->winner, world.first().verdict()->winner);
    EXPECT_EQ(world.rank(r).verdict()->reason, world.reason());
  }
}

/// Pairs that differ in the first attribute only; times[2 s] and times[2 s + 1] belong to pair s.
struct Pairs {
  std::vector<Candidate> candidates;
  std::vector<measure::Numbers> known;

  explicit Pairs(const std::vector<double>& times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      const int set = static_cast<int>(i / 2);
      candidates.push_back({std::to_string(set) + (i % 2 == 0 ? "a" : "p"), {i % 2 == 0 ? aao : pair, 0, set, 0}});
      known.push_back({times[i], times[i], 0.0, 10.0});
    }
  }
};

TEST(HypothesisSearch, CountsContradictionsInOneEvaluation) {
  // Two sets confirm a value and one contradicts: one confirmation remains, and two are required.
  const Pairs pairs({1.0, 1.1, 1.0, 1.1, 1.1, 1.0, 1.0, 1.1});
  std::vector<measure::Numbers> known = pairs.known;
  known[6] = known[7] = {};
  World world("hypothesis", pairs.candidates, halo_attributes(), parameters(1));
  world.prime(known);
  EXPECT_EQ(inside(world).hypothesis(0).value(), aao);
  EXPECT_EQ(inside(world).hypothesis(0).confidence(), 1);
  EXPECT_FALSE(inside(world).confirmed(0));
  EXPECT_EQ(world.considered().size(), 8U);
}

TEST(HypothesisSearch, PrefersTheHypothesisAmongEquals) {
  const Pairs pairs({1.1, 1.0, 1.2, 1.2, 1.3, 1.4, 1.5, 1.6});
  std::vector<measure::Numbers> known = pairs.known;
  for (std::size_t i = 4; i < known.size(); ++i) {
    known[i] = {};
  }
  World world("hypothesis", pairs.candidates, halo_attributes(), parameters(1));
  world.prime(known);
  EXPECT_EQ(inside(world).hypothesis(0).value(), pair);
  EXPECT_EQ(inside(world).hypothesis(0).confidence(), 2);
  EXPECT_TRUE(inside(world).confirmed(0));
  EXPECT_EQ(world.considered(), (Names{"0p", "1p", "2p", "3p"}));
}

TEST(HypothesisSearch, EvidenceIsAConfirmingComparison) {
  // Three sets confirm a value; the last set contradicts it.
  const Pairs pairs({1.0, 1.1, 1.0, 1.2, 1.0, 1.3, 1.4, 1.0, 9.0, 9.0});
  std::vector<measure::Numbers> known = pairs.known;
  known[8] = known[9] = {};
  World world("hypothesis", pairs.candidates, halo_attributes(), parameters(1));
  world.prime(known);
  ASSERT_TRUE(inside(world).confirmed(0));
  EXPECT_EQ(world.first().knowledge()[9].removed,
            "partners = aao is better than pair, with confidence 2: 2a took 1 s and 2p took 1.3 s");
}

TEST(HypothesisSearch, IsBruteForceWithoutAttributes) {
  World world("hypothesis", plain(5), {}, parameters(2));
  EXPECT_EQ(world.run(constant({5, 4, 3, 2, 6})), "c3");
  EXPECT_EQ(world.agreements(), 1);
}

TEST(HypothesisSearch, SelectsTheFirstAmongEqualTimes) {
  World world("hypothesis", thesis_codelets(), halo_attributes(), parameters(2));
  EXPECT_EQ(world.run(constant(std::vector<double>(20, 0.0))), "IsIr_aao");
}

}  // namespace
}  // namespace adcl::select
