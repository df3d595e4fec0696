#include "core/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/attribute.hpp"

namespace adcl {
namespace {

const std::vector<std::string> known = {"brute_force", "hypothesis", "factorial", "model"};

TEST(Nearest, FindsTheNameWithTheFewestEdits) {
  EXPECT_EQ(nearest("hypotesis", known), "hypothesis");
  EXPECT_EQ(nearest("bruteforce", known), "brute_force");
  EXPECT_EQ(nearest("facotrial", known), "factorial");
  EXPECT_EQ(nearest("modal", known), "model");
}

TEST(Nearest, IgnoresCase) { EXPECT_EQ(nearest("MODEL", known), "model"); }

TEST(Nearest, TakesTheFirstOfSeveral) {
  const std::vector<std::string> names = {"bb", "aa"};
  EXPECT_EQ(nearest("ab", names), "bb");
}

TEST(Nearest, ReturnsANameForAnyWord) {
  EXPECT_EQ(nearest("", known), "model");
  EXPECT_EQ(nearest(std::string(5000, 'x'), known), "brute_force");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, DetectsAMisspelling) {
  EXPECT_TRUE(is_misspelled("neighbourhood", "neighborhood"));
  EXPECT_TRUE(is_misspelled("Neighborhood", "neighborhood"));
  EXPECT_TRUE(is_misspelled("neigborhod", "neighborhood"));
  EXPECT_FALSE(is_misspelled("neighborhood", "neighborhood"));
  EXPECT_FALSE(is_misspelled("my_halo", "neighborhood"));
  EXPECT_FALSE(is_misspelled("", "neighborhood"));
}

TEST(Attribute, FindsAnEntryByItsValue) {
  const Attribute attribute{"partners", {{3, "aao", "", 0}, {7, "pair", "", 1}}};
  ASSERT_NE(attribute.find(7), nullptr);
  EXPECT_EQ(attribute.find(7)->name, "pair");
  EXPECT_EQ(attribute.find(0), nullptr);
  EXPECT_EQ(attribute.find(not_applicable), nullptr);
}

}  // namespace
}  // namespace adcl
