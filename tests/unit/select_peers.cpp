// Measurements that concurrent searches of similar problems share, and their effect on the search "model".
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "tuner/concurrent_search.hpp"
#include "unit/select_support.hpp"

namespace adcl::runtime {
namespace {

using namespace select::test;  // NOLINT(google-build-using-namespace)
using select::Candidate;
using select::PeerMeasurement;

std::vector<Candidate> expecting(const std::vector<double>& relative) {
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < relative.size(); ++i) {
    result.push_back({"c" + std::to_string(i), {}, {std::log(relative[i]), 10.0}});
  }
  return result;
}

std::unique_ptr<select::Search> model(std::vector<Candidate> candidates) {
  const select::Logic& logic = select::find("model");
  return logic.make(std::move(candidates), {}, with_own_options(parameters(2), logic));
}

/// Runs \p starts starts of the search on one rank, and returns the candidates that ran. Times are in microseconds.
std::set<int> run(select::Search& search, const std::vector<double>& times_us, int starts) {
  std::set<int> tried;
  for (int start = 0; start < starts; ++start) {
    const select::Ticket ticket = search.next();
    const double seconds = 1e-6 * times_us.at(static_cast<std::size_t>(ticket.candidate)) * (1.0 + 0.01 * (start % 3));
    search.spend(ticket.candidate, tried.insert(ticket.candidate).second ? 20e-6 + seconds : seconds);
    search.record(ticket, seconds);
    if (search.ready()) {
      search.absorb(search.pending());
    }
  }
  return tried;
}

TEST(PeerMeasurements, ExcludeCandidatesThatAreSlowInSimilarProblems) {
  const std::vector<double> expected = {1.5, 1.4, 1.0, 1.05};
  const std::vector<double> times = {5.0, 3.0, 1.0, 2.5};
  const auto alone = model(expecting(expected));
  EXPECT_EQ(run(*alone, times, 2000), (std::set<int>{0, 2, 3}));
  const auto search = model(expecting(expected));
  search->set_peer_measurements(std::vector<PeerMeasurement>{
      {std::log(5.0 / 1.5), 0.15}, {std::log(3.0 / 1.4), 0.15}, {0.0, 0.15}, {std::log(2.4), 0.15}});
  EXPECT_EQ(run(*search, times, 2000), (std::set<int>{2})) << "the first of the table is hopeless";
}

TEST(PeerMeasurements, DoNotExcludeTheFirstUnlessItIsHopeless) {
  const auto search = model(expecting({1.0, 1.0}));
  search->set_peer_measurements(std::vector<PeerMeasurement>{{std::log(2.0), 0.1}, {0.0, 0.1}});
  EXPECT_EQ(run(*search, {2.0, 1.0}, 2000), (std::set<int>{0, 1}));
}

TEST(PeerMeasurements, FavorCandidatesThatAreFastInSimilarProblems) {
  const auto search = model(expecting({1.2, 1.0, 2.0}));
  search->set_peer_measurements(std::vector<PeerMeasurement>{{}, {0.0, 0.15}, {std::log(0.2), 0.15}});
  EXPECT_TRUE(run(*search, {1.2, 1.0, 0.4}, 60).contains(2));
  const auto alone = model(expecting({1.2, 1.0, 2.0}));
  EXPECT_FALSE(run(*alone, {1.2, 1.0, 0.4}, 60).contains(2));
}

/// The fastest candidate of the similar problem is not the leader of this search.
TEST(PeerMeasurements, AreRelativeToTheLeader) {
  const auto search = model(expecting({1.0, 1.0, 1.0}));
  EXPECT_EQ(run(*search, {1.0, 9.0, 9.0}, 4), (std::set<int>{0}));
  search->set_peer_measurements(std::vector<PeerMeasurement>{{std::log(2.0), 0.1}, {0.0, 0.1}, {std::log(4.0), 0.1}});
  EXPECT_EQ(run(*search, {1.0, 0.5, 2.0}, 400), (std::set<int>{0, 1}));
}

TEST(PeerMeasurements, DoNotChangeMeasuredCandidates) {
  const auto search = model(expecting({1.0, 1.0}));
  EXPECT_EQ(run(*search, {1.0, 2.0}, 1000), (std::set<int>{0, 1}));
  search->set_peer_measurements(std::vector<PeerMeasurement>{{0.0, 0.01}, {std::log(0.1), 0.01}});
  EXPECT_EQ(run(*search, {1.0, 2.0}, 1000), (std::set<int>{0}));
}

TEST(PeerMeasurements, AreIgnoredByOtherLogics) {
  const std::vector<PeerMeasurement> measurements(2);
  EXPECT_TRUE(model(expecting({1.0, 1.0}))->set_peer_measurements(measurements));
  const select::Logic& brute_force = select::find("brute_force");
  EXPECT_FALSE(brute_force.make(expecting({1.0, 1.0}), {}, with_own_options(parameters(2), brute_force))
                   ->set_peer_measurements(measurements));
}

TEST(PeerMeasurements, MustHaveOneEntryPerCandidate) {
  EXPECT_THROW(model(expecting({1.0, 1.0}))->set_peer_measurements(std::vector<PeerMeasurement>(3)), Error);
}

/// Publishes results of \p own: the candidates' judged times in microseconds; 0: not measured.
void publish(ConcurrentSearch& own, const std::vector<Candidate>& candidates, const std::vector<double>& judged_us) {
  const select::Logic& logic = select::find("brute_force");
  const auto search = logic.make(candidates, {}, with_own_options(parameters(2), logic));
  std::vector<measure::Numbers> known;
  for (const double us : judged_us) {
    known.push_back(us > 0.0 ? measure::Numbers{us * 1e-6, us * 1e-6, 0.0, 4.0, 0.0} : measure::Numbers{});
  }
  search->prime(known);
  own.publish(candidates, *search);
}

TEST(ConcurrentSearch, SharesMeasuredTimesRelativeToPriors) {
  ConcurrentSearches searches;
  const auto large = expecting({1.0, 2.0, 3.0});
  const auto first = searches.begin("start", {}, {});
  EXPECT_FALSE(first->has_news());
  const std::vector<ConcurrentSearches::Near> near = {{first, 0.5}};
  const auto second = searches.begin("start", {}, near);
  EXPECT_FALSE(second->has_news());
  publish(*first, large, {2.0, 6.0, 0.0});
  ASSERT_TRUE(second->has_news());
  auto received = second->measurements_of_peers(large);
  EXPECT_FALSE(second->has_news());
  EXPECT_DOUBLE_EQ(received[0].log_excess, 0.0);
  EXPECT_DOUBLE_EQ(received[1].log_excess, std::log(1.5));
  EXPECT_DOUBLE_EQ(received[1].error, 0.25);
  EXPECT_TRUE(std::isnan(received[2].log_excess));
  publish(*first, large, {2.0, 6.0, 6.0});
  EXPECT_TRUE(second->has_news()) << "one more candidate was measured";

  // Matches candidates by name, since other problems may have other candidates.
  const std::vector<Candidate> others = {{"c2", {}, {}}, {"c1", {}, {}}, {"none", {}, {}}};
  received = second->measurements_of_peers(others);
  EXPECT_DOUBLE_EQ(received[0].log_excess, 0.0);
  EXPECT_DOUBLE_EQ(received[1].log_excess, std::log(1.5));
  EXPECT_TRUE(std::isnan(received[2].log_excess));

  // Searches that began earlier also receive results.
  publish(*second, large, {0.0, 1.0, 0.0});
  EXPECT_TRUE(first->has_news());
}

TEST(ConcurrentSearch, NearerProblemHasMoreWeight) {
  ConcurrentSearches searches;
  const auto candidates = expecting({1.0, 1.0});
  const auto near = searches.begin("start", {}, {});
  const auto far = searches.begin("start", {}, {});
  const std::vector<ConcurrentSearches::Near> both = {{near, 0.0}, {far, 1.0}};
  const auto asking = searches.begin("start", {}, both);
  publish(*near, candidates, {1.0, 2.0});
  publish(*far, candidates, {1.0, 8.0});
  const PeerMeasurement received = asking->measurements_of_peers(candidates)[1];
  const double expected = (std::log(2.0) / 0.01 + std::log(8.0) / 0.16) / (1.0 / 0.01 + 1.0 / 0.16);
  EXPECT_NEAR(received.log_excess, expected, 1e-12);
  EXPECT_NEAR(received.error, std::sqrt(1.0 / (1.0 / 0.01 + 1.0 / 0.16)), 1e-12);
}

TEST(ConcurrentSearch, KeepsResultsOfFreedRequests) {
  ConcurrentSearches searches;
  const auto candidates = expecting({1.0, 1.0});
  auto first = searches.begin("start", {}, {});
  const auto second = searches.begin("start", {}, std::vector<ConcurrentSearches::Near>{{first, 0.0}});
  publish(*first, candidates, {1.0, 2.0});
  first.reset();
  EXPECT_EQ(searches.all().size(), 1U) << "not a peer of later searches";
  EXPECT_DOUBLE_EQ(second->measurements_of_peers(candidates)[1].log_excess, std::log(2.0));
}

TEST(ConcurrentSearch, ListsTheLatestSearches) {
  ConcurrentSearches searches;
  std::vector<std::shared_ptr<ConcurrentSearch>> held;
  for (int i = 0; i < 70; ++i) {
    held.push_back(searches.begin("start", {}, {}));
  }
  EXPECT_EQ(searches.all().size(), 64U);
  EXPECT_EQ(searches.all().back(), held.back());
}

}  // namespace
}  // namespace adcl::runtime
