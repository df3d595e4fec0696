// Who drops out of a race, and when it is over.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "search/racing.hpp"

namespace adcl::search {

namespace {

/// How many times slower than the fastest, in a single execution that may pay for what is done once.
constexpr double hopeless_at_sight = 20.0;
constexpr double hopeless_times = 3.0;  ///< how many times slower than the leader, after two measurements
constexpr int reliable = 8;             ///< measurements that even the first of the table is judged by
constexpr int separable = 5;            ///< measurements that two candidates which never overlap are compared by

/// How many times its shortest time exceeds the leader's mean when a candidate is out.
double margin_after(double measurements) {
  return measurements >= reliable ? 1.5 : (measurements >= 5 ? 2.0 : hopeless_times);
}

/// The one with the shortest time among those that \p admits says yes to, the first of several; -1: none has a time.
template <typename Admits>
int fastest_of(const std::vector<double>& seconds, const Admits& admits) {
  int best = -1;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const bool known = !std::isnan(seconds[i]) && admits(static_cast<int>(i));
    best = known && (best < 0 || seconds[i] < seconds[static_cast<std::size_t>(best)]) ? static_cast<int>(i) : best;
  }
  return best;
}

}  // namespace

/// One candidate for each class that could spare others, and all that belong to no class; the first of the table is
/// the first of them.
std::vector<int> Racing::representatives() const {
  const std::vector<int> field = unmeasured();
  std::vector<bool> chosen(static_cast<std::size_t>(count()), false);
  for (std::size_t j = 0; j < attributes().size(); ++j) {
    std::vector<std::string> classes;
    for (const int member : field) {
      const std::string& name = class_of(member, j);
      if (!name.empty() && std::find(classes.begin(), classes.end(), name) == classes.end()) {
        classes.push_back(name);
        chosen[static_cast<std::size_t>(member)] = true;
      }
    }
  }
  std::vector<int> result;
  for (const int member : field) {
    if (member == field.front() || !in_a_class(member) || chosen[static_cast<std::size_t>(member)]) {
      result.push_back(member);
    }
  }
  return result;
}

bool Racing::in_a_class(int candidate) const {
  for (std::size_t j = 0; j < attributes().size(); ++j) {
    if (!class_of(candidate, j).empty()) {
      return true;
    }
  }
  return false;
}

std::vector<int> Racing::seen_and_left() const {
  std::vector<int> result = unmeasured();
  std::erase_if(result, [this](int i) { return std::isnan(runner(i).look_s); });
  return result;
}

void Racing::judge_the_first_look() {
  Evidence evidence{{}, hopeless_at_sight, " in its first execution"};
  for (int i = 0; i < count(); ++i) {
    evidence.seconds.push_back(usable(i) ? runner(i).look_s : missing);
  }
  rule_classes_out(evidence);
  const int best = fastest_of(evidence.seconds, [](int) { return true; });
  for (const int i : seen_and_left()) {
    if (i != first_usable() && !in_a_class(i) && runner(i).look_s > hopeless_at_sight * runner(best).look_s) {
      remove(i, text("slower: ", duration(runner(i).look_s), evidence.what, ", against ", duration(runner(best).look_s),
                     " of ", candidate(best).name));
    }
  }
}

void Racing::judge_the_representatives() {
  Evidence evidence{{}, hopeless_times, " at best"};
  for (int i = 0; i < count(); ++i) {
    evidence.seconds.push_back(usable(i) && runner(i).runs ? runner(i).range.shortest_s : missing);
  }
  rule_classes_out(evidence);
}

/// Takes out the classes of which all that ran are hopeless. They are compared with each other: representatives are
/// alike in the other attributes, and somebody who belongs to no class may differ in all of them.
void Racing::rule_classes_out(const Evidence& evidence) {
  for (std::size_t j = 0; j < attributes().size(); ++j) {
    const int best = fastest_of(evidence.seconds, [&](int i) { return !class_of(i, j).empty(); });
    std::vector<std::string> seen;
    for (int i = 0; best >= 0 && i < count(); ++i) {
      const std::string& name = class_of(i, j);
      if (!name.empty() && std::find(seen.begin(), seen.end(), name) == seen.end()) {
        seen.push_back(name);
        rule_class_out(evidence, j, best, name);
      }
    }
  }
}

/// Takes out the class when all of it that ran are hopeless; who was measured is judged with all others.
void Racing::rule_class_out(const Evidence& evidence, std::size_t attribute, int best, const std::string& name) {
  const auto seconds = [&](int i) { return evidence.seconds[static_cast<std::size_t>(i)]; };
  const int fastest = fastest_of(evidence.seconds, [&](int i) { return class_of(i, attribute) == name; });
  if (fastest < 0 || seconds(fastest) <= evidence.margin * seconds(best)) {
    return;
  }
  const auto against = [&](int i) {
    return text(duration(seconds(i)), evidence.what, ", against ", duration(seconds(best)), " of ",
                candidate(best).name);
  };
  for (const int other : unmeasured()) {
    if (class_of(other, attribute) == name && other != first_usable()) {
      remove(other, std::isnan(seconds(other))
                        ? text("its class ", name, " of ", attributes()[attribute].name, " is ruled out by ",
                               candidate(fastest).name, ": ", against(fastest))
                        : text("slower: ", against(other)));
    }
  }
}

/// Even the shortest time is far above the leader's mean.
void Racing::drop_the_hopeless() {
  const int best = pacemaker();
  for (const int i : runners()) {
    const double margin = margin_after(runner(i).collected.measurements);
    const bool spared = i == first_usable() && runner(i).collected.measurements < reliable;
    if (i != best && !spared && runner(i).range.shortest_s > margin * judged_s(best)) {
      remove(i, text("slower: at best ", duration(runner(i).range.shortest_s), " of ", runner(i).collected.measurements,
                     " measurements, against a mean of ", duration(judged_s(best)), " of ", candidate(best).name));
    }
  }
}

/// Its shortest time is longer than the longest of the leader. Were both alike, that would happen once in 252 times
/// with five measurements each.
void Racing::drop_the_separated() {
  const int best = pacemaker();
  if (best < 0 || runner(best).collected.measurements < separable) {
    return;
  }
  for (const int i : runners()) {
    if (i != best && runner(i).collected.measurements >= separable &&
        runner(i).range.shortest_s > runner(best).range.longest_s) {
      remove(i, text("slower: at best ", duration(runner(i).range.shortest_s), " of ", runner(i).collected.measurements,
                     " measurements, against at worst ", duration(runner(best).range.longest_s), " of ",
                     candidate(best).name));
    }
  }
}

/// The paired difference leaves no doubt.
void Racing::drop_the_slower() {
  const int best = pacemaker();
  for (const int i : runners()) {
    const Difference difference = behind(i, best);
    if (i != best && difference.lower(doubtless) > 0.0) {
      remove(i, text("slower: ", duration(judged_s(i)), " against ", duration(judged_s(best)), " of ",
                     candidate(best).name, " in ", difference.pairs, " rounds side by side"));
    }
  }
}

/// Mean of the faster half of its blocks.
double Racing::promise(int candidate) const {
  std::vector<double> blocks{runner(candidate).heat_s};
  for (const double seconds : runner(candidate).rounds) {
    if (std::isfinite(seconds)) {
      blocks.push_back(seconds);
    }
  }
  std::sort(blocks.begin(), blocks.end());
  const std::size_t half = (blocks.size() + 1) / 2;
  return std::accumulate(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(half), 0.0) /
         static_cast<double>(half);
}

/// The slower half goes, but for the first of the table, which only evidence takes out.
void Racing::halve() {
  std::vector<int> field = runners();
  const int first = first_usable();
  const int best = pacemaker();
  std::erase_if(field, [&](int i) { return i == first || i == best; });
  const auto reserved = static_cast<std::size_t>(runners().size()) - field.size();
  const std::size_t wanted = std::max<std::size_t>(finalists, (runners().size() + 1) / 2);
  const std::size_t keep = wanted > reserved ? wanted - reserved : 0;
  std::stable_sort(field.begin(), field.end(), [this](int a, int b) { return promise(a) < promise(b); });
  for (std::size_t i = keep; i < field.size(); ++i) {
    remove(field[i], text("in the slower half after ", round_, " rounds: ", duration(judged_s(field[i])), " against ",
                          duration(judged_s(best)), " of ", candidate(best).name));
  }
}

/// Sets end_ to the cause.
bool Racing::ended() {
  const std::vector<int> field = runners();
  const int best = pacemaker();
  if (field.size() <= 1) {
    end_ = text(" after ", round_, " rounds");
    return true;
  }
  double round_cost_s = 0.0;
  double gain_s = 0.0;
  bool all_tied = true;
  for (const int i : field) {
    if (i == best) {
      continue;
    }
    const Difference difference = behind(i, best);
    const int executions = std::min(round_counted, measurements()) + 1;
    round_cost_s += std::max(0.0, judged_s(i) - judged_s(best)) * executions;
    gain_s = std::max(gain_s, -difference.lower(likely));
    all_tied = all_tied && std::abs(difference.mean) < tie * judged_s(best) &&
               std::max(difference.upper(likely), -difference.lower(likely)) < tie * judged_s(best);
  }
  if (round_ >= fewest_pairs && all_tied) {
    end_ = text("; the last ", field.size(), " are a tie within 2 % after ", round_, " rounds");
    return true;
  }
  if (round_ >= fewest_pairs && gain_s * starts_ < round_cost_s) {
    end_ = text("; another round with the last ", field.size(), " would cost more than it can gain");
    return true;
  }
  if (starts_ >= budget_ && round_ >= fewest_pairs) {
    end_ = text("; the search ended after ", starts_, " starts with ", field.size(), " candidates left");
    return true;
  }
  return false;
}

}  // namespace adcl::search
