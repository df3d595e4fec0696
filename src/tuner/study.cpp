#include "tuner/study.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "select/likeness.hpp"

namespace adcl::runtime {
namespace {

// How well deviations from the expected times transfer to a similar problem: standard deviations of logarithms.
constexpr double same_size = 0.1;
constexpr double at_the_limit = 0.3;  ///< added at history::similarity_limit
constexpr std::size_t most_peers = 8;
constexpr std::size_t most_studies = 64;

}  // namespace

void Findings::take(const std::vector<select::Candidate>& candidates, const select::Search& search) {
  const auto& known = search.knowledge();
  const auto best = std::ranges::min_element(known, {}, &select::Knowledge::judged_s);
  beyond.clear();
  if (best == known.end() || !std::isfinite(best->judged_s) || best->judged_s <= 0.0) {
    return;
  }
  const double least = select::expected_mean(candidates[static_cast<std::size_t>(best - known.begin())]);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (known[i].numbers.measurements >= 1.0 && std::isfinite(known[i].judged_s)) {
      const double expected = select::expected_mean(candidates[i]) - least;
      beyond.emplace_back(candidates[i].name, logarithm(known[i].judged_s / best->judged_s) - expected);
    }
  }
}

bool Study::has_news() const {
  return std::ranges::any_of(peers, [](const Peer& peer) { return peer.findings->beyond.size() != peer.heard; });
}

std::vector<select::Told> Study::ask(const std::vector<select::Candidate>& candidates) {
  struct Sum {
    double beyond = 0.0;
    double weight = 0.0;
  };
  std::vector<Sum> sums(candidates.size());
  for (Peer& peer : peers) {
    peer.heard = peer.findings->beyond.size();
    const double error = same_size + at_the_limit * peer.distance;
    for (const auto& [name, beyond] : peer.findings->beyond) {
      const auto here = std::ranges::find(candidates, name, &select::Candidate::name);
      if (here != candidates.end()) {
        Sum& sum = sums[static_cast<std::size_t>(here - candidates.begin())];
        sum.beyond += beyond / (error * error);
        sum.weight += 1.0 / (error * error);
      }
    }
  }
  std::vector<select::Told> told;
  for (const Sum& sum : sums) {
    told.push_back(sum.weight > 0.0 ? select::Told{sum.beyond / sum.weight, 1.0 / std::sqrt(sum.weight)}
                                    : select::Told{});
  }
  return told;
}

std::shared_ptr<Study> Studies::begin(std::string key, history::Entry problem, std::span<const Near> near) {
  std::erase_if(studies_, [](const auto& study) { return study.expired(); });
  if (studies_.size() == most_studies) {
    studies_.erase(studies_.begin());
  }
  auto made = std::make_shared<Study>();
  made->number = ++last_;
  made->key = std::move(key);
  made->problem = std::move(problem);
  for (const auto& [study, distance] : near) {
    made->peers.push_back({study->findings, distance});
    if (study->peers.size() < most_peers) {
      study->peers.push_back({made->findings, distance});
    }
  }
  studies_.push_back(made);
  return made;
}

std::vector<std::shared_ptr<Study>> Studies::all() const {
  std::vector<std::shared_ptr<Study>> found;
  for (const auto& study : studies_) {
    if (auto held = study.lock()) {
      found.push_back(std::move(held));
    }
  }
  return found;
}

}  // namespace adcl::runtime
