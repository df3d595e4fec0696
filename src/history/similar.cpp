#include "history/similar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/elementary.hpp"

namespace adcl::history {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double octaves_of_sizes = 4.0;   ///< largest difference in sizes between similar problems
constexpr double octaves_of_counts = 1.0;  ///< largest difference in ranks, neighbors, and messages
constexpr std::size_t most_neighbors = 3;
constexpr double smallest_distance = 0.05;  ///< limits the weight, 1 / distance²

/// The features of a problem in comparable form.
struct Profile {
  Hash words;                       ///< hash of the text features except extents, and of the names of all numbers
  Hash kind;                        ///< hash of everything that must be equal
  std::vector<std::string> names;   ///< names of the numeric features
  std::vector<double> numbers;      ///< their values
  std::vector<double> coordinates;  ///< scaled so that similar problems differ by at most 1
  bool sound = true;                ///< there are features, and all numbers are finite and nonnegative
};

bool must_be_equal(const std::string& name) {
  return name == "dimensions" || name == "fields" || name == "nodes" || name == "commutative" || name == "in_place";
}

double octaves(double value) { return logarithm(std::max(value, 1.0)) / std::numbers::ln2; }

/// Parses extents such as "64 x 64": numbers become coordinates; the remaining text is part of the kind.
void add_extents(Profile& profile, const std::string& words) {
  std::string pattern;
  for (std::size_t i = 0; i < words.size();) {
    double value = 0.0;
    const std::size_t first = i;
    for (; i < words.size() && words[i] >= '0' && words[i] <= '9'; ++i) {
      value = 10.0 * value + (words[i] - '0');
    }
    if (i > first) {
      profile.coordinates.push_back(octaves(value) / octaves_of_sizes);
      pattern += '#';
    } else {
      pattern += words[i++];
    }
  }
  profile.kind.add(pattern);
}

void add_number(Profile& profile, const std::string& name, double value) {
  profile.sound = profile.sound && std::isfinite(value) && value >= 0.0;
  profile.words.add(name);
  profile.names.push_back(name);
  profile.numbers.push_back(value);
  if (name == "root") {  // a rank number, not a size
    return;
  }
  profile.kind.add(name).add(static_cast<std::uint64_t>(value == 0.0));
  if (must_be_equal(name)) {
    profile.kind.add(static_cast<std::uint64_t>(std::clamp(value, 0.0, 1e9)));
  }
  const bool size = name.find("bytes") != std::string::npos;
  profile.coordinates.push_back(octaves(value) / (size ? octaves_of_sizes : octaves_of_counts));
}

Profile profile_of(const Entry& entry) {
  Profile profile;
  profile.sound = !entry.features.empty();
  for (Hash* hash : {&profile.words, &profile.kind}) {
    hash->add(entry.identity.function_set).add(entry.identity.processor);
    hash->add(static_cast<std::uint64_t>(entry.identity.barrier));
  }
  for (const Feature& feature : entry.features) {
    const auto* words = std::get_if<std::string>(&feature.value);
    if (words == nullptr) {
      add_number(profile, feature.name, std::get<double>(feature.value));
    } else if (feature.name == "extents") {
      add_extents(profile, *words);
    } else {
      profile.words.add(feature.name).add(*words);
      profile.kind.add(feature.name).add(*words);
    }
  }
  return profile;
}

double distance(const Profile& one, const Profile& other, const Similarity& similarity) {
  if (!one.sound || !other.sound || one.words.value() != other.words.value()) {
    return infinity;
  }
  if (similarity != nullptr) {
    const double value = similarity(one.names, one.numbers, other.numbers);
    return value >= 0.0 ? value : infinity;
  }
  if (one.kind.value() != other.kind.value() || one.coordinates.size() != other.coordinates.size()) {
    return infinity;
  }
  double furthest = 0.0;
  for (std::size_t i = 0; i < one.coordinates.size(); ++i) {
    furthest = std::max(furthest, std::abs(one.coordinates[i] - other.coordinates[i]));
  }
  return furthest;
}

/// A similar problem's decision.
struct Neighbor {
  double distance = 0.0;
  const Entry* entry = nullptr;
  const Decision* decision = nullptr;

  /// The candidate's time relative to the winner's; NaN: unknown; infinity: ruled out.
  [[nodiscard]] double relative_time(const std::string& candidate) const {
    if (candidate == decision->winner) {
      return 1.0;
    }
    const auto measured = std::ranges::find(decision->estimates, candidate, &Estimate::codelet);
    if (measured != decision->estimates.end() && measured->numbers.measurements >= 1.0 && measured->judged_s > 0.0) {
      // A candidate with a lower time than the winner was rejected as not reliably faster.
      return std::max(1.0, measured->judged_s / decision->winner_s);
    }
    if (const auto passed_on = decision->expected.find(candidate); passed_on != decision->expected.end()) {
      return std::sqrt(passed_on->second);
    }
    if (decision->untried.contains(candidate)) {
      return unknown;
    }
    const auto& had = entry->identity.candidates;
    return std::find(had.begin(), had.end(), candidate) != had.end() ? infinity : unknown;
  }
  /// Decision::untried; NaN: unknown.
  [[nodiscard]] double correction(const std::string& candidate) const {
    const auto estimate = decision->untried.find(candidate);
    return estimate != decision->untried.end() ? estimate->second : unknown;
  }
  [[nodiscard]] double weight() const {
    const double near = std::max(distance, smallest_distance);
    return 1.0 / (near * near);
  }
};

/// Mean of value_of(neighbor) over the neighbors with a finite value, weighted by Neighbor::weight(); NaN: none.
template <typename ValueOf>
double mean_of(std::span<const Neighbor> neighbors, const ValueOf& value_of) {
  double sum = 0.0;
  double weights = 0.0;
  for (const Neighbor& neighbor : neighbors) {
    if (const double value = value_of(neighbor); std::isfinite(value)) {
      sum += value * neighbor.weight();
      weights += neighbor.weight();
    }
  }
  return weights > 0.0 ? sum / weights : unknown;
}

/// 0 if no neighbor has a correction.
double correction(std::span<const Neighbor> neighbors, const std::string& candidate) {
  const double mean = mean_of(neighbors, [&](const Neighbor& one) { return one.correction(candidate); });
  return std::isfinite(mean) ? mean : 0.0;
}

double expected(std::span<const Neighbor> neighbors, const std::string& candidate) {
  const double mean = mean_of(neighbors, [&](const Neighbor& one) {
    const double relative = one.relative_time(candidate);
    return std::isfinite(relative) ? logarithm(relative) : unknown;
  });
  if (std::isfinite(mean)) {
    return exponential(mean);
  }
  const bool ruled_out = std::any_of(neighbors.begin(), neighbors.end(),
                                     [&](const Neighbor& one) { return std::isinf(one.relative_time(candidate)); });
  return ruled_out ? infinity : unknown;
}

}  // namespace

double distance(const Entry& one, const Entry& other, const Similarity& similarity) {
  return distance(profile_of(one), profile_of(other), similarity);
}

Advice advice_for(const Entry& problem, const std::string& mode, const std::vector<std::string>& candidates,
                  std::span<const std::shared_ptr<const Entry>> known, const Similarity& similarity) {
  const Profile here = profile_of(problem);
  std::vector<Neighbor> neighbors;
  for (const auto& entry : known) {
    const auto decision = entry->decisions.find(mode);
    if (decision == entry->decisions.end() || !(decision->second.winner_s > 0.0)) {
      continue;
    }
    const double apart = distance(here, profile_of(*entry), similarity);
    if (apart <= similarity_limit) {
      neighbors.push_back({apart, entry.get(), &decision->second});
    }
  }
  if (neighbors.empty()) {
    return {};
  }
  std::ranges::stable_sort(neighbors, {}, &Neighbor::distance);
  neighbors.resize(std::min(neighbors.size(), most_neighbors));
  Advice advice{neighbors.front().distance, neighbors.front().entry->identity.word() + ".json", {}, {}};
  bool any = false;
  for (const std::string& candidate : candidates) {
    advice.relative.push_back(expected(neighbors, candidate));
    advice.corrections.push_back(correction(neighbors, candidate));
    any = any || std::isfinite(advice.relative.back());
  }
  return any ? advice : Advice{};
}

}  // namespace adcl::history
