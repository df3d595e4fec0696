/// Two-level factorial design (named as a search method in thesis chapter 7; R. Jain, The Art of Computer Systems
/// Performance Analysis, chapter 17; Box, Hunter, Hunter, Statistics for Experimenters, chapter 5), for a space in
/// which many combinations do not exist.
///
/// Factors: the attributes for which both levels (AttributeValue::level) occur among the candidates. All other
/// attributes are ignored. A value without an entry in the attribute's table has level 0.
///
/// Design points: one candidate for each combination of levels that exists; lacking an attribute is a coordinate of its
/// own. A candidate that was measured before represents its combination. Otherwise the candidate with the most
/// canonical values of the factors does (the first value of each level in the table), so that representatives differ in
/// little else than their levels; the first in the table among equals. One batch, one reduction.
///
/// Main effects: times multiply, so with y = ln t the effect of a factor is the mean of y(level 1) - y(level 0) over
/// the pairs of design points that differ in this factor only (found by comparison.hpp, with its rule for attributes
/// that are not applicable). In a complete design, this is the textbook's least-squares main effect. In an incomplete
/// design, it is not confounded with other factors, unlike a fit over all existing points. The spread of a factor's
/// differences is its interaction with others. Times below a nanosecond count as a nanosecond.
///
/// An effect is significant if it is at least 5 % and, from two pairs on, also exceeds twice its standard error: an
/// effect that depends on the other factors' levels decides nothing. Each significant factor keeps its faster level:
/// the candidates of each combination with the slower one that is in a pair are removed, except the fastest measured
/// candidate. A combination without a counterpart stays: if no one-sided codelet packs, the effect of packing says
/// nothing about one-sided codelets. Candidates that lack the attribute stay, too.
///
/// Brute force over the remaining unmeasured candidates ends the search.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "select/at.hpp"
#include "select/batch_search.hpp"
#include "select/comparison.hpp"

namespace adcl::select {

namespace {

const double least_effect = logarithm(1.05);
constexpr double standard_errors = 2.0;
constexpr double least_time_s = 1e-9;
constexpr double most_time_s = 1e9;

struct Effect {
  double mean = 0.0;            ///< of ln t(level 1) - ln t(level 0)
  double standard_error = 0.0;  ///< 0 for a single pair
  int pairs = 0;

  [[nodiscard]] bool significant() const {
    return pairs > 0 && std::abs(mean) >= least_effect && std::abs(mean) > standard_errors * standard_error;
  }
};

class Factorial final : public BatchSearch {
 public:
  Factorial(std::vector<Candidate> candidates, const AttributeSet& attributes, const Parameters& parameters);

 private:
  void advance() override;
  void forget() override { decided_ = false; }

  void find_factors();
  void find_canonical_values();
  [[nodiscard]] int level(int candidate, std::size_t attribute) const;
  [[nodiscard]] std::map<std::vector<int>, int> representatives() const;
  [[nodiscard]] int better_representative(int first, int second) const;
  void decide(const std::map<std::vector<int>, int>& points);
  [[nodiscard]] Effect effect(std::size_t factor, const ComparisonTable& table, const std::vector<int>& points) const;
  void keep_level(std::size_t factor, const Effect& effect, const std::set<std::vector<int>>& paired);
  [[nodiscard]] std::string level_name(std::size_t attribute, int wanted) const;
  [[nodiscard]] std::string how() const;

  std::vector<std::size_t> factors_;
  std::vector<std::vector<int>> levels_;  ///< per candidate one level per factor, or not_applicable
  std::vector<int> canonical_;            ///< number of canonical values of each candidate
  std::vector<std::string> effects_;      ///< the significant effects, in words
  bool decided_ = false;
};

Factorial::Factorial(std::vector<Candidate> candidates, const AttributeSet& attributes, const Parameters& parameters)
    : BatchSearch(std::move(candidates), attributes, parameters) {
  find_factors();
  find_canonical_values();
}

void Factorial::find_factors() {
  for (std::size_t j = 0; j < attributes().size(); ++j) {
    bool low = false;
    bool high = false;
    for (int i = 0; i < count(); ++i) {
      low = low || level(i, j) == 0;
      high = high || level(i, j) == 1;
    }
    if (low && high) {
      factors_.push_back(j);
    }
  }
  for (int i = 0; i < count(); ++i) {
    std::vector<int> levels;
    std::transform(factors_.begin(), factors_.end(), std::back_inserter(levels),
                   [this, i](std::size_t j) { return level(i, j); });
    levels_.push_back(std::move(levels));
  }
}

void Factorial::find_canonical_values() {
  canonical_.assign(at(count()), 0);
  for (const std::size_t j : factors_) {
    std::map<int, int> canonical;  // value of each level
    for (int i = 0; i < count(); ++i) {
      const int value = candidate(i).attributes[j];
      canonical.try_emplace(level(i, j), value);
      canonical_[at(i)] += canonical.at(level(i, j)) == value ? 1 : 0;
    }
  }
}

int Factorial::level(int candidate_index, std::size_t attribute) const {
  const int value = candidate(candidate_index).attributes[attribute];
  if (value < 0) {
    return not_applicable;
  }
  const AttributeValue* const entry = attributes()[attribute].find(value);
  return entry == nullptr || entry->level == 0 ? 0 : 1;
}

void Factorial::advance() {
  if (!decided_ && !factors_.empty()) {
    const auto points = representatives();
    std::vector<int> batch;
    for (const auto& [levels, point] : points) {
      if (!measured(point)) {
        batch.push_back(point);
      }
    }
    if (!batch.empty()) {
      std::sort(batch.begin(), batch.end());
      measure(batch);
      return;
    }
    decide(points);
  }
  decided_ = true;
  std::vector<int> rest = unmeasured();
  if (rest.empty()) {
    conclude(how());
  } else {
    measure(rest);
  }
}

std::map<std::vector<int>, int> Factorial::representatives() const {
  std::map<std::vector<int>, int> result;
  for (int i = 0; i < count(); ++i) {
    if (active(i)) {
      const auto [place, inserted] = result.try_emplace(levels_[at(i)], i);
      if (!inserted) {
        place->second = better_representative(place->second, i);
      }
    }
  }
  return result;
}

int Factorial::better_representative(int first, int second) const {
  if (measured(first) != measured(second)) {
    return measured(first) ? first : second;
  }
  return canonical_[at(second)] > canonical_[at(first)] ? second : first;
}

void Factorial::decide(const std::map<std::vector<int>, int>& points) {
  std::vector<std::vector<int>> levels;
  std::vector<int> candidates;
  for (const auto& [combination, point] : points) {
    levels.push_back(combination);
    candidates.push_back(point);
  }
  const ComparisonTable table(levels);
  effects_.clear();
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    const Effect found = effect(f, table, candidates);
    if (!found.significant()) {
      continue;
    }
    std::set<std::vector<int>> paired;
    for (const std::vector<int>& set : table.sets(f)) {
      for (const int p : set) {
        paired.insert(levels[at(p)]);
      }
    }
    keep_level(f, found, paired);
  }
}

Effect Factorial::effect(std::size_t factor, const ComparisonTable& table, const std::vector<int>& points) const {
  std::vector<double> differences;
  for (const std::vector<int>& set : table.sets(factor)) {
    double sum[2] = {0.0, 0.0};
    int number[2] = {0, 0};
    for (const int p : set) {
      const int side = table.value(p, factor);
      sum[side] += logarithm(std::clamp(judged_s(points[at(p)]), least_time_s, most_time_s));
      ++number[side];
    }
    differences.push_back(sum[1] / number[1] - sum[0] / number[0]);
  }
  Effect result;
  result.pairs = static_cast<int>(differences.size());
  if (result.pairs == 0) {
    return result;
  }
  const double pairs = result.pairs;
  result.mean = std::accumulate(differences.begin(), differences.end(), 0.0) / pairs;
  if (result.pairs > 1) {
    double squares = 0.0;
    for (const double difference : differences) {
      squares += (difference - result.mean) * (difference - result.mean);
    }
    result.standard_error = std::sqrt(squares / (pairs - 1.0) / pairs);
  }
  return result;
}

void Factorial::keep_level(std::size_t factor, const Effect& effect, const std::set<std::vector<int>>& paired) {
  const std::size_t attribute = factors_[factor];
  const int faster = effect.mean > 0.0 ? 0 : 1;
  std::string ratio;
  append_real(ratio, exponential(std::abs(effect.mean)), 3);
  const std::string words =
      text(attributes()[attribute].name, " = ", level_name(attribute, faster), " (", ratio, " times faster than ",
           level_name(attribute, 1 - faster), " in ", effect.pairs, effect.pairs == 1 ? " pair)" : " pairs)");
  effects_.push_back(words);
  for (int i = 0; i < count(); ++i) {
    if (active(i) && levels_[at(i)][factor] == 1 - faster && paired.count(levels_[at(i)]) > 0) {
      remove(i, text("the factorial design keeps ", words));
    }
  }
}

/// Names of the values of a level that occur among the candidates.
std::string Factorial::level_name(std::size_t attribute, int wanted) const {
  std::string result;
  std::vector<int> seen;
  for (int i = 0; i < count(); ++i) {
    const int value = candidate(i).attributes[attribute];
    if (level(i, attribute) == wanted && std::find(seen.begin(), seen.end(), value) == seen.end()) {
      seen.push_back(value);
      const AttributeValue* const entry = attributes()[attribute].find(value);
      result += (result.empty() ? "" : "/") + (entry == nullptr ? text(value) : entry->name);
    }
  }
  return result;
}

std::string Factorial::how() const {
  if (effects_.empty()) {
    return factors_.empty() ? "; no attribute varies between its levels" : "; no attribute has a significant effect";
  }
  std::string result = "; the factorial design kept ";
  for (std::size_t i = 0; i < effects_.size(); ++i) {
    result += (i > 0 ? ", " : "") + effects_[i];
  }
  return result;
}

std::unique_ptr<Search> make_factorial(std::vector<Candidate> candidates, const AttributeSet& attributes,
                                       const Parameters& parameters) {
  auto search = std::make_unique<Factorial>(std::move(candidates), attributes, parameters);
  search->begin();
  return search;
}

}  // namespace

Logic factorial() {
  return {"factorial",
          "measures one codelet for each combination of two groups of values per attribute, keeps the faster group of "
          "each attribute that matters, and measures the codelets left",
          "thesis chapter 7; Jain, The Art of Computer Systems Performance Analysis, chapter 17",
          {measurements_option()},
          make_factorial};
}

}  // namespace adcl::select
