// Results that searches of similar problems share.
#include "tuner/concurrent_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace adcl::runtime {
namespace {

TEST(ConcurrentSearch, WhatAPeerForgetsIsNoLongerTold) {
  const std::vector<select::Candidate> candidates{{"a", {}}, {"b", {}}};
  ConcurrentSearches searches;
  const auto teller = searches.begin("start", {}, {});
  const auto listener = searches.begin("start", {}, std::vector<ConcurrentSearches::Near>{{teller, 0.1}});
  *teller->findings = {{"a", 0.0}, {"b", 0.7}};
  teller->leader = "a";
  ASSERT_TRUE(listener->has_news());
  EXPECT_NEAR(listener->measurements_of_peers(candidates)[1].log_excess, 0.7, 1e-12);
  EXPECT_FALSE(listener->has_news());
  teller->withdraw();
  EXPECT_TRUE(teller->leader.empty());
  ASSERT_TRUE(listener->has_news());
  EXPECT_TRUE(std::isnan(listener->measurements_of_peers(candidates)[1].log_excess));
  EXPECT_FALSE(listener->has_news());
  *teller->findings = {{"b", 0.1}};
  EXPECT_TRUE(listener->has_news());
}

}  // namespace
}  // namespace adcl::runtime
