// Checks the description of every row of every codelet table.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "codelets/neighborhood/rows.hpp"
#include "codelets/sets.hpp"
#include "core/codelet.hpp"

namespace adcl {
namespace {

class Tables : public testing::TestWithParam<const FunctionSet*> {};

TEST_P(Tables, HaveSelectableNames) {
  std::set<std::string> names;
  for (const Codelet& row : GetParam()->codelets) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_FALSE(row.name.empty());
    EXPECT_EQ(row.name.find_first_of(",:^ \t"), std::string::npos)
        << row.name << " contains a separator of ADCL_CODELETS";
  }
}

TEST_P(Tables, HaveValidAttributeValues) {
  const AttributeSet& attributes = GetParam()->attributes;
  for (const Codelet& row : GetParam()->codelets) {
    ASSERT_EQ(row.attributes.size(), attributes.size()) << row.name;
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      EXPECT_TRUE(row.attributes[a] == not_applicable || attributes[a].find(row.attributes[a]) != nullptr)
          << row.name << " has the value " << row.attributes[a] << " of " << attributes[a].name;
    }
  }
}

TEST_P(Tables, HaveDistinctAttributesInEachRow) {
  std::set<std::vector<int>> seen;
  for (const Codelet& row : GetParam()->codelets) {
    EXPECT_TRUE(seen.insert(row.attributes).second) << row.name << " has the attributes of another codelet";
  }
}

TEST_P(Tables, HaveAnAlgorithmAndASourceInEachRow) {
  for (const Codelet& row : GetParam()->codelets) {
    EXPECT_NE(row.algorithm.applicable, nullptr) << row.name;
    EXPECT_NE(row.algorithm.bytes, nullptr) << row.name;
    EXPECT_NE(row.algorithm.plan, nullptr) << row.name;
    EXPECT_FALSE(row.source.empty()) << row.name;
  }
}

TEST(Neighborhood, HasEachRowOnceInTableOrder) {
  std::vector<std::string> names;
  for (const Codelet& row : codelets::neighborhood().codelets) {
    names.push_back(row.name);
  }
  const auto order = codelets::order_of_rows();
  EXPECT_EQ(names, std::vector<std::string>(order.begin(), order.end()));
}

TEST(Neighborhood, ExpectsTheScalingOfTheAttributes) {
  const FunctionSet& set = codelets::neighborhood();
  const auto value_of = [&](const Codelet& row, const std::string& attribute) {
    for (std::size_t a = 0; a < set.attributes.size(); ++a) {
      if (set.attributes[a].name == attribute) {
        const AttributeValue* value = set.attributes[a].find(row.attributes[a]);
        return value != nullptr ? value->name : std::string();
      }
    }
    return std::string();
  };
  for (const Codelet& row : set.codelets) {
    const bool fenced = value_of(row, "primitive").starts_with("fence");
    const bool in_steps = value_of(row, "partners") == "pair";
    EXPECT_EQ(row.expectation, fenced ? "log p" : in_steps ? "p^(1/3)" : "1") << row.name;
  }
}

TEST_P(Tables, BeginWithACodeletWithoutRequirements) {
  const Codelet& first = GetParam()->codelets.front();
  EXPECT_TRUE(first.requirements.empty());
  EXPECT_FALSE(first.capabilities.fixed_buffers);
  EXPECT_FALSE(first.capabilities.touches_data);
}

TEST_P(Tables, HaveANonblockingCodeletWithoutRequirements) {
  const std::vector<Codelet>& rows = GetParam()->codelets;
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const Codelet& row) {
    return row.requirements.empty() && row.capabilities.nonblocking && !row.capabilities.fixed_buffers;
  }));
}

std::vector<const FunctionSet*> all_sets() {
  std::vector<const FunctionSet*> sets;
  for (const codelets::PredefinedSet& predefined : codelets::sets()) {
    sets.push_back(&predefined.set());
  }
  return sets;
}

INSTANTIATE_TEST_SUITE_P(All, Tables, testing::ValuesIn(all_sets()),
                         [](const auto& parameter) { return parameter.param->name; });

TEST(Collectives, BeginWithTheMpiCallAndHaveFourOrMoreAlgorithms) {
  int collectives = 0;
  for (const FunctionSet* set : all_sets()) {
    if (set->attributes.front().name == "family") {
      ++collectives;
      EXPECT_EQ(set->codelets.front().name, set->overlaps ? "Native_nonblocking" : "Native") << set->name;
      EXPECT_GE(set->codelets.size(), 2U + 4U) << set->name;
      EXPECT_EQ(set->pattern, set->overlaps ? set->name.substr(1) : set->name);
    }
  }
  EXPECT_GE(collectives, 17 + 5);
}

TEST(Collectives, ForOverlapHaveAllBlockingCodeletsAndProgressDepths) {
  for (const FunctionSet* set : all_sets()) {
    if (!set->overlaps) {
      continue;
    }
    std::set<std::string> names;
    for (const Codelet& row : set->codelets) {
      names.insert(row.name);
      EXPECT_TRUE(row.capabilities.nonblocking || row.capabilities.progress_depth == 0) << row.name;
    }
    for (const FunctionSet* blocking : all_sets()) {
      for (const Codelet& row : blocking->codelets) {
        if (blocking->name != set->pattern) {
          continue;
        }
        EXPECT_TRUE(names.contains(row.name)) << set->name << " lacks " << row.name;
        EXPECT_EQ(names.contains(row.name + "_inner"), row.capabilities.nonblocking) << row.name;
        EXPECT_EQ(names.contains(row.name + "_no_progress"), row.capabilities.nonblocking) << row.name;
      }
    }
  }
}

TEST(Neighborhood, HasTheCodeletsOfTheThesis) {
  const std::vector<std::string> wanted{
      "IsIr_aao",         "IsIr_pair",        "IsIr_aao_pack",    "IsIr_pair_pack",    "SIr_aao",
      "SIr_pair",         "SIr_aao_pack",     "SIr_pair_pack",    "S_R_pair",          "S_R_pair_pack",
      "Sr_pair",          "Sr_pair_pack",     "WinfencePut_aao",  "WinfenceGet_aao",   "WinfencePut_pair",
      "WinfenceGet_pair", "PostStartPut_aao", "PostStartGet_aao", "PostStartPut_pair", "PostStartGet_pair"};
  const auto& rows = codelets::neighborhood().codelets;
  for (const std::string& name : wanted) {
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Codelet& row) { return row.name == name; })) << name;
  }
}

}  // namespace
}  // namespace adcl
