/// Two-level factorial design for a space in which many combinations do not exist. Thesis chapter 7 suggests it as a
/// search method. Sources: R. Jain, The Art of Computer Systems Performance Analysis, chapter 17; Box, Hunter, Hunter,
/// Statistics for Experimenters, chapter 5.
///
/// Factors: the attributes for which both levels (AttributeValue::level) occur among the candidates. The search ignores
/// all other attributes. A value without an entry in the attribute's table has level 0.
///
/// Design points: one candidate for each existing combination of levels, where a missing attribute counts as a third
/// level. A candidate with earlier results represents its combination. Otherwise the candidate with the most canonical
/// values does (the first value of each level in the table), so that representatives differ mainly in their levels;
/// among equals, the first in the table. All design points are measured in one batch.
///
/// Main effects: factors act multiplicatively on the time, so the effect of a factor is the mean of ln t(level 1) - ln
/// t(level 0) over the pairs of design points that differ in this factor only (comparison.hpp). In a complete design,
/// this is the least-squares main effect. In an incomplete design, it is not confounded with other factors, unlike a
/// fit over all existing points. Times below a nanosecond count as a nanosecond.
///
/// An effect is significant if it is at least 5 % and, with two or more pairs, exceeds twice its standard error. So an
/// effect that depends on the other factors' levels is not significant. For each significant factor, the search removes
/// the combinations with the slower level that are in a pair, except the fastest measured candidate. A combination
/// without a counterpart stays: if no one-sided codelet packs, the effect of packing is unknown for one-sided codelets.
/// Candidates that lack the attribute also stay.
///
/// Brute force over the remaining unmeasured candidates ends the search.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "measure/mean.hpp"
#include "select/batch_search.hpp"
#include "select/comparison.hpp"

namespace adcl::select {

namespace {

using Levels = std::vector<int>;  ///< one level per factor, or not_applicable

const double least_effect = logarithm(1.05);
constexpr double standard_errors = 2.0;
constexpr double least_time_s = 1e-9;
constexpr double most_time_s = 1e9;

struct Effect {
  double mean = 0.0;            ///< mean of ln t(level 1) - ln t(level 0)
  double standard_error = 0.0;  ///< 0 for a single pair
  std::size_t pairs = 0;

  [[nodiscard]] bool significant() const {
    return pairs > 0 && std::abs(mean) >= least_effect && std::abs(mean) > standard_errors * standard_error;
  }
};

class Factorial final : public BatchSearch {
 public:
  Factorial(std::vector<Candidate> candidates, const AttributeSet& attributes, const Parameters& parameters)
      : BatchSearch(std::move(candidates), attributes, parameters), levels_(at(count())), canonical_(at(count())) {
    const auto all = indices_below(count());
    for (std::size_t j = 0; j < attributes.size(); ++j) {
      const auto has_level = [&](int wanted) {
        return std::ranges::any_of(all, [&](int i) { return level(i, j) == wanted; });
      };
      if (has_level(0) && has_level(1)) {
        factors_.push_back(j);
      }
    }
    for (const int i : all) {
      std::ranges::transform(factors_, std::back_inserter(levels_[at(i)]), [&](std::size_t j) { return level(i, j); });
    }
    count_canonical_values();
  }

 private:
  void count_canonical_values() {
    for (const std::size_t j : factors_) {
      std::map<int, int> canonical;  // the canonical value of each level
      for (int i = 0; i < count(); ++i) {
        const int value = candidate(i).attributes[j];
        canonical_[at(i)] += canonical.try_emplace(level(i, j), value).first->second == value ? 1 : 0;
      }
    }
  }

  [[nodiscard]] int level(int candidate_index, std::size_t attribute) const {
    const int value = candidate(candidate_index).attributes[attribute];
    if (value < 0) {
      return not_applicable;
    }
    const AttributeValue* const entry = attributes()[attribute].find(value);
    return entry == nullptr || entry->level == 0 ? 0 : 1;
  }

  void advance() override {
    if (!decided_ && !factors_.empty()) {
      const std::map<Levels, int> points = design_points();
      std::set<int> batch;
      for (const auto& [levels, point] : points) {
        if (!is_measured(point)) {
          batch.insert(point);
        }
      }
      if (!batch.empty()) {
        measure({batch.begin(), batch.end()});
        return;
      }
      decide(points);
    }
    decided_ = true;
    measure_or_conclude(unmeasured(), how());
  }

  /// The candidate that represents each combination of levels.
  [[nodiscard]] std::map<Levels, int> design_points() const {
    std::map<Levels, int> result;
    for (int i = 0; i < count(); ++i) {
      if (is_active(i)) {
        int& point = result.try_emplace(levels_[at(i)], i).first->second;
        point = represents_better(i, point) ? i : point;
      }
    }
    return result;
  }

  [[nodiscard]] bool represents_better(int candidate, int other) const {
    return is_measured(candidate) == is_measured(other) ? canonical_[at(candidate)] > canonical_[at(other)]
                                                        : is_measured(candidate);
  }

  void decide(const std::map<Levels, int>& points) {
    std::vector<Levels> levels;
    std::vector<int> candidates;
    for (const auto& [combination, candidate] : points) {
      levels.push_back(combination);
      candidates.push_back(candidate);
    }
    const ComparisonTable table(levels);
    effects_.clear();
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      const Effect found = effect(f, table, candidates);
      if (found.significant()) {
        std::set<Levels> paired;
        for (const auto& set : table.sets(f)) {
          std::ranges::transform(set, std::inserter(paired, paired.end()),
                                 [&](int point) { return levels[at(point)]; });
        }
        keep_faster_level(f, found, paired);
      }
    }
  }

  /// \p points: the candidate of each row of the table.
  [[nodiscard]] Effect effect(std::size_t factor, const ComparisonTable& table, const std::vector<int>& points) const {
    std::vector<double> differences;
    for (const std::vector<int>& set : table.sets(factor)) {
      std::vector<double> logs[2];
      for (const int point : set) {
        const double seconds = std::clamp(judged_s(points[at(point)]), least_time_s, most_time_s);
        logs[table.value(point, factor)].push_back(logarithm(seconds));
      }
      differences.push_back(measure::mean(logs[1]) - measure::mean(logs[0]));
    }
    const double pairs = std::max(1.0, static_cast<double>(differences.size()));
    return {measure::mean(differences), measure::deviation(differences) / std::sqrt(pairs), differences.size()};
  }

  void keep_faster_level(std::size_t factor, const Effect& effect, const std::set<Levels>& paired) {
    const std::size_t attribute = factors_[factor];
    const int faster = effect.mean > 0.0 ? 0 : 1;
    std::string ratio;
    append_real(ratio, exponential(std::abs(effect.mean)), 3);
    effects_.push_back(text(attributes()[attribute].name, " = ", level_name(attribute, faster), " (", ratio,
                            " times as fast as ", level_name(attribute, 1 - faster), " in ", effect.pairs,
                            effect.pairs == 1 ? " pair)" : " pairs)"));
    for (int i = 0; i < count(); ++i) {
      if (is_active(i) && levels_[at(i)][factor] == 1 - faster && paired.contains(levels_[at(i)])) {
        remove(i, text("the factorial design keeps ", effects_.back()));
      }
    }
  }

  /// Names of the values of a level that occur among the candidates.
  [[nodiscard]] std::string level_name(std::size_t attribute, int wanted) const {
    std::vector<std::string> names;
    for (int i = 0; i < count(); ++i) {
      const std::string name = value_name(attribute, candidate(i).attributes[attribute]);
      if (level(i, attribute) == wanted && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
    return join(names, "/");
  }

  [[nodiscard]] std::string how() const {
    if (effects_.empty()) {
      return factors_.empty() ? "; no attribute has candidates on both levels"
                              : "; no attribute has a significant effect";
    }
    return "; the factorial design kept " + join(effects_, ", ");
  }

  void reset() override { decided_ = false; }

  std::vector<std::size_t> factors_;  ///< indices of attributes
  std::vector<Levels> levels_;        ///< per candidate
  std::vector<int> canonical_;        ///< number of canonical values of each candidate
  std::vector<std::string> effects_;  ///< descriptions of the significant effects
  bool decided_ = false;
};

}  // namespace

Logic factorial() {
  return {"factorial",
          "divides the values of each attribute into two groups, measures one codelet for each combination of groups, "
          "keeps the faster group of each attribute with a significant effect, and measures the remaining codelets",
          "thesis chapter 7; Jain, The Art of Computer Systems Performance Analysis, chapter 17",
          {measurements_option()},
          make_search<Factorial>};
}

}  // namespace adcl::select
