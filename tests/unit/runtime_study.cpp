// Results that searches of similar problems share.
#include "tuner/study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace adcl::runtime {
namespace {

TEST(Study, WhatAPeerForgetsIsNoLongerTold) {
  const std::vector<select::Candidate> candidates{{"a", {}}, {"b", {}}};
  Studies studies;
  const auto teller = studies.begin("start", {}, {});
  const auto listener = studies.begin("start", {}, std::vector<Studies::Near>{{teller, 0.1}});
  teller->findings->beyond = {{"a", 0.0}, {"b", 0.7}};
  teller->leader = "a";
  ASSERT_TRUE(listener->has_news());
  EXPECT_NEAR(listener->ask(candidates)[1].beyond, 0.7, 1e-12);
  EXPECT_FALSE(listener->has_news());
  teller->forget();
  EXPECT_TRUE(teller->leader.empty());
  ASSERT_TRUE(listener->has_news());
  EXPECT_TRUE(std::isnan(listener->ask(candidates)[1].beyond));
  EXPECT_FALSE(listener->has_news());
  teller->findings->beyond = {{"b", 0.1}};
  EXPECT_TRUE(listener->has_news());
}

}  // namespace
}  // namespace adcl::runtime
