// Sets of codelets that differ in only one attribute.
#include "select/comparison.hpp"

#include <gtest/gtest.h>

#include "unit/select_support.hpp"

namespace adcl::select {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

using Sets = std::vector<std::vector<int>>;
constexpr int na = not_applicable;

ComparisonTable table_of(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<int>> values;
  values.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    values.push_back(candidate.attributes);
  }
  return ComparisonTable(values);
}

TEST(Comparison, SetsDifferInExactlyOneAttribute) {
  const ComparisonTable table({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 5}});
  EXPECT_EQ(table.sets(0), (Sets{{0, 2}, {1, 3}}));
  EXPECT_EQ(table.sets(1), (Sets{{0, 1}, {2, 3}}));
  EXPECT_TRUE(table.has_partner(3));
  EXPECT_FALSE(table.has_partner(4));
}

TEST(Comparison, PaperTableIIsOneSet) {
  const ComparisonTable table({{9, 1, 8, 7}, {9, 2, 8, 7}, {9, 3, 8, 7}});
  EXPECT_EQ(table.sets(1), (Sets{{0, 1, 2}}));
  EXPECT_TRUE(table.sets(0).empty());
  EXPECT_TRUE(table.sets(2).empty());
}

TEST(Comparison, EqualCandidatesShareASet) {
  const ComparisonTable twins({{0, 0}, {0, 0}});
  EXPECT_TRUE(twins.sets(0).empty());
  EXPECT_FALSE(twins.has_partner(0));
  const ComparisonTable three({{0, 0}, {0, 0}, {1, 0}});
  EXPECT_EQ(three.sets(0), (Sets{{0, 1, 2}}));
}

TEST(Comparison, NotApplicableIsNotEqualToItself) {
  // Two candidates lack the second attribute, although other candidates with their values of the first attribute, 0 and
  // 1, have it.
  const ComparisonTable table({{0, na}, {1, na}, {0, 3}, {1, 4}});
  EXPECT_TRUE(table.sets(0).empty());
  EXPECT_TRUE(table.sets(1).empty());
  EXPECT_FALSE(table.has_partner(0));
}

TEST(Comparison, CandidatesWithoutTheAttributeAreInNoSet) {
  const ComparisonTable table({{na, 0}, {0, 0}, {1, 0}});
  EXPECT_EQ(table.sets(0), (Sets{{1, 2}}));
  EXPECT_FALSE(table.has_partner(0));
}

TEST(Comparison, NestedAttributesAreNotADifference) {
  const auto codelets = thesis_codelets();
  const ComparisonTable table = table_of(codelets);
  const auto i = [&codelets](const std::string& name) { return index_of(codelets, name); };
  // Partners: two-sided pairs with and without packing, and a pair for each one-sided primitive.
  EXPECT_EQ(table.sets(0), (Sets{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {12, 16}, {13, 17}, {14, 18}, {15, 19}}));
  // Handling of noncontiguous data: no one-sided codelet packs.
  EXPECT_EQ(table.sets(1), (Sets{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}}));
  // Primitive: one-sided and blocking primitives never have a completion mode, so it is not a further difference.
  EXPECT_EQ(table.sets(2), (Sets{{i("IsIr_aao"), i("SIr_aao"), 12, 13, 14, 15},
                                 {i("IsIr_pair"), i("SIr_pair"), i("S_R_pair"), i("Sr_pair"), 16, 17, 18, 19},
                                 {2, 6},
                                 {3, 7, 10, 11}}));
  EXPECT_TRUE(table.sets(3).empty());
}

TEST(Comparison, CandidateWithoutANestedAttributeIsInOneSet) {
  // Attribute 0: primitive, 1: completion. The third primitive has no completion.
  const ComparisonTable table({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, na}});
  EXPECT_EQ(table.sets(0), (Sets{{0, 2, 4}, {1, 3}})) << "the set of the first in the table";
  EXPECT_EQ(table.sets(1), (Sets{{0, 1}, {2, 3}}));
}

TEST(Comparison, CandidateWithoutAttributesHasNoPartner) {
  const ComparisonTable table({{na, na}, {na, na}, {0, 0}, {1, 0}});
  EXPECT_FALSE(table.has_partner(0));
  EXPECT_FALSE(table.has_partner(1));
  EXPECT_TRUE(table.has_partner(2));
}

TEST(Comparison, ThesisSetsDifferInOneAttributeOnly) {
  const auto codelets = thesis_codelets();
  const ComparisonTable table = table_of(codelets);
  for (std::size_t j = 0; j < table.attributes(); ++j) {
    for (const auto& set : table.sets(j)) {
      for (const int a : set) {
        EXPECT_GE(table.value(a, j), 0);
        for (const int b : set) {
          for (std::size_t i = 0; i < table.attributes(); ++i) {
            const bool both = table.value(a, i) >= 0 && table.value(b, i) >= 0;
            EXPECT_TRUE(i == j || !both || table.value(a, i) == table.value(b, i)) << a << ' ' << b << ' ' << i;
          }
        }
      }
    }
  }
}

TEST(Comparison, EmptyTableHasNoSets) {
  EXPECT_EQ(ComparisonTable({}).attributes(), 0U);
  const ComparisonTable without_attributes({{}, {}});
  EXPECT_EQ(without_attributes.attributes(), 0U);
  EXPECT_FALSE(without_attributes.has_partner(1));
}

}  // namespace
}  // namespace adcl::select
