// Who drops out of a race, and when it is over.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "search/racing.hpp"

namespace adcl::search {

namespace {

constexpr double hopeless = 3.0;  ///< how many times slower than the leader, after two measurements
constexpr int reliable = 8;       ///< measurements that even the first of the table is judged by
constexpr int separable = 5;      ///< measurements that two candidates which never overlap are compared by

/// How many times its shortest time exceeds the leader's mean when a candidate is out.
double margin_after(double measurements) {
  return measurements >= reliable ? 1.5 : (measurements >= 5 ? 2.0 : hopeless);
}

}  // namespace

/// One candidate for each class that could spare others, and the first of the table; empty: there is no such class.
std::vector<int> Racing::representatives() const {
  std::vector<int> result;
  const std::vector<int> field = unmeasured();
  std::vector<bool> chosen(static_cast<std::size_t>(count()), false);
  const auto choose = [&](int candidate) {
    if (!chosen[static_cast<std::size_t>(candidate)]) {
      chosen[static_cast<std::size_t>(candidate)] = true;
      result.push_back(candidate);
    }
  };
  for (std::size_t j = 0; j < attributes().size(); ++j) {
    std::vector<std::pair<std::string, int>> classes;
    for (const int member : field) {
      const std::string& name = class_of(member, j);
      const auto seen =
          std::find_if(classes.begin(), classes.end(), [&](const auto& one) { return one.first == name; });
      if (!name.empty() && seen == classes.end()) {
        classes.emplace_back(name, member);
      }
    }
    if (classes.size() > 1) {
      std::for_each(classes.begin(), classes.end(), [&](const auto& one) { choose(one.second); });
    }
  }
  if (!result.empty()) {
    choose(field.front());
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Takes out the classes whose representatives are hopeless.
void Racing::rule_classes_out() {
  const int best = pacemaker();
  if (best < 0) {
    return;
  }
  for (int i = 0; i < count(); ++i) {
    if (!runner(i).runs || runner(i).range.shortest_s <= hopeless * judged_s(best)) {
      continue;
    }
    for (std::size_t j = 0; j < attributes().size(); ++j) {
      const std::string& name = class_of(i, j);
      if (name.empty()) {
        continue;
      }
      const auto shares = [&](int other) { return class_of(other, j) == name; };
      bool all_hopeless = true;
      for (int other = 0; other < count(); ++other) {
        all_hopeless = all_hopeless && !(shares(other) && runner(other).runs &&
                                         runner(other).range.shortest_s <= hopeless * judged_s(best));
      }
      for (const int other : all_hopeless ? unmeasured() : std::vector<int>{}) {
        if (shares(other)) {
          remove(other, text("its class ", name, " of ", attributes()[j].name, " is ruled out by ", candidate(i).name,
                             ": at best ", duration(runner(i).range.shortest_s), " against ", duration(judged_s(best)),
                             " of ", candidate(best).name));
        }
      }
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
    const int executions = std::min(round_counted, parameters().measurements) + 1;
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
    end_ = text("; ", field.size(), " were left when ", starts_, " starts were spent");
    return true;
  }
  return false;
}

}  // namespace adcl::search
