// Results that searches of similar problems exchange.
#include "tuner/concurrent_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace adcl::runtime {
namespace {

TEST(ConcurrentSearch, WithdrawnFindingsAreNotUsed) {
  const std::vector<select::Candidate> candidates{{"a", {}}, {"b", {}}};
  ConcurrentSearches searches;
  const auto peer = searches.begin("start", {}, {});
  const auto search = searches.begin("start", {}, std::vector<ConcurrentSearches::Near>{{peer, 0.1}});
  *peer->findings = {{"a", 0.0}, {"b", 0.7}};
  peer->best = "a";
  ASSERT_TRUE(search->has_news());
  EXPECT_NEAR(search->measurements_of_peers(candidates)[1].log_excess, 0.7, 1e-12);
  EXPECT_FALSE(search->has_news());
  peer->withdraw();
  EXPECT_TRUE(peer->best.empty());
  ASSERT_TRUE(search->has_news());
  EXPECT_TRUE(std::isnan(search->measurements_of_peers(candidates)[1].log_excess));
  EXPECT_FALSE(search->has_news());
  *peer->findings = {{"b", 0.1}};
  EXPECT_TRUE(search->has_news());
}

}  // namespace
}  // namespace adcl::runtime
