#include "tuner/concurrent_search.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "select/prior.hpp"

namespace adcl::runtime {
namespace {

// Standard deviations of the logarithmic times that a similar problem predicts.
constexpr double same_size = 0.1;
constexpr double at_the_limit = 0.3;  ///< additional deviation for a problem at history::similarity_limit
constexpr std::size_t max_peers = 8;
constexpr std::size_t max_searches = 64;

}  // namespace

void ConcurrentSearch::publish(const std::vector<select::Candidate>& candidates, const select::Search& search) {
  withdraw();
  const auto& known = search.knowledge();
  const auto least = std::ranges::min_element(known, {}, &select::Knowledge::judged_s);
  if (least == known.end() || !std::isfinite(least->judged_s)) {
    return;
  }
  const select::Candidate& fastest = candidates[static_cast<std::size_t>(least - known.begin())];
  best = fastest.name;
  if (least->judged_s <= 0.0) {  // clocks may return 0
    return;
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (known[i].numbers.measurements >= 1.0 && std::isfinite(known[i].judged_s)) {
      const double expected = select::prior_mean(candidates[i]) - select::prior_mean(fastest);
      findings->emplace_back(candidates[i].name, logarithm(known[i].judged_s / least->judged_s) - expected);
    }
  }
}

void ConcurrentSearch::withdraw() {
  findings->clear();
  best.clear();
}

bool ConcurrentSearch::has_news() const {
  return std::ranges::any_of(peers, [](const Peer& peer) { return peer.findings->size() != peer.known; });
}

std::vector<select::PeerMeasurement> ConcurrentSearch::measurements_of_peers(
    const std::vector<select::Candidate>& candidates) {
  for (Peer& peer : peers) {
    peer.known = peer.findings->size();
  }
  std::vector<select::PeerMeasurement> measurements;
  for (const select::Candidate& candidate : candidates) {
    double sum = 0.0;
    double weights = 0.0;
    for (const Peer& peer : peers) {
      const auto found = std::ranges::find(*peer.findings, candidate.name, &Findings::value_type::first);
      if (found != peer.findings->end()) {
        const double error = same_size + at_the_limit * peer.distance;
        sum += found->second / (error * error);
        weights += 1.0 / (error * error);
      }
    }
    measurements.push_back(weights > 0.0 ? select::PeerMeasurement{sum / weights, 1.0 / std::sqrt(weights)}
                                         : select::PeerMeasurement{});
  }
  return measurements;
}

std::shared_ptr<ConcurrentSearch> ConcurrentSearches::begin(std::string key, history::Entry problem,
                                                            std::span<const Near> near) {
  std::erase_if(searches_, [](const auto& search) { return search.expired(); });
  if (searches_.size() == max_searches) {
    searches_.erase(searches_.begin());
  }
  auto made = std::make_shared<ConcurrentSearch>();
  made->number = ++last_;
  made->key = std::move(key);
  made->problem = std::move(problem);
  for (const auto& [search, distance] : near) {
    made->peers.push_back({search->findings, distance});
    if (search->peers.size() < max_peers) {
      search->peers.push_back({made->findings, distance});
    }
  }
  searches_.push_back(made);
  return made;
}

std::vector<std::shared_ptr<ConcurrentSearch>> ConcurrentSearches::all() const {
  std::vector<std::shared_ptr<ConcurrentSearch>> found;
  for (const auto& search : searches_) {
    if (auto alive = search.lock()) {
      found.push_back(std::move(alive));
    }
  }
  return found;
}

}  // namespace adcl::runtime
