#include "rounds.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "common/app.h"

namespace demo {
namespace {

/// With fewer pairs, a 95 % interval cannot show a difference.
constexpr int fewest_rounds = 6;

/// On a busy machine, this many rounds may take up to `patience` times the intended time.
constexpr double patience = 3.0;

/// Number of rounds with all alternatives.
constexpr int screening_rounds = 3;

/// Shuffles in an order that depends on the round only, so it is the same on all ranks.
void shuffle(std::vector<std::size_t>& order, int round) {
  for (std::size_t i = order.size(); i > 1; --i) {
    const std::uint64_t chance = app_mix(static_cast<std::uint64_t>(round) * 1000 + i);
    std::swap(order[i - 1], order[static_cast<std::size_t>(chance % i)]);
  }
}

/// Selects the best and the worst of all alternatives except the last, and the last. All ranks have the same times, so
/// they select the same alternatives.
std::vector<std::size_t> screen(const std::vector<double>& seconds) {
  const auto end = seconds.end() - 1;
  const auto [best, worst] = std::minmax_element(seconds.begin(), end);
  const std::set<std::size_t> kept{static_cast<std::size_t>(best - seconds.begin()),
                                   static_cast<std::size_t>(worst - seconds.begin()), seconds.size() - 1};
  return {kept.begin(), kept.end()};
}

/// Returns true if another round begins. Rank 0's clock decides for all ranks.
bool has_time(int rounds, double begun, const Limits& limits) {
  const double most = rounds < 2 ? HUGE_VAL : rounds < fewest_rounds ? patience * limits.seconds : limits.seconds;
  int left = rounds < limits.rounds && MPI_Wtime() - begun < most ? 1 : 0;
  MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return left == 1;
}

/// Keeps the first fault only.
void note(Comparison& result, const std::string& where, const std::string& fault) {
  if (result.fault.empty() && !fault.empty()) {
    result.fault = where + ": " + fault;
  }
}

}  // namespace

double largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

int repetitions(double seconds, std::size_t alternatives, const Limits& limits) {
  const int screening = std::min(limits.rounds, screening_rounds);
  const double slices = screening * static_cast<double>(alternatives) +
                        (limits.rounds - screening) * static_cast<double>(std::min<std::size_t>(alternatives, 3));
  const double slice = limits.seconds / slices;
  const double all = std::clamp(slice / std::max(seconds, 1e-9), 2.0, 1e6);
  int count = static_cast<int>(all);
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return count;
}

void finish_searches(const std::function<Run()>& go_on, const std::function<bool()>& ended, int each,
                     const Limits& limits, Comparison& result) {
  const double begun = MPI_Wtime();
  double seconds = 0.0;
  int repetitions = 0;
  int more = 1;
  while (more == 1) {
    const Run one = go_on();
    seconds += one.seconds;
    repetitions += each;
    note(result, "the search, after " + std::to_string(repetitions), one.fault);
    more = !ended() && MPI_Wtime() - begun < limits.seconds ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  result.record["search"] = {{"seconds", seconds}, {"repetitions", repetitions}, {"ended", ended()}};
}

void run_rounds(const std::vector<std::string>& names, const Alternative& run, const Limits& limits,
                Comparison& result) {
  nlohmann::json& rounds = result.record["rounds"] = nlohmann::json::array();
  std::vector<double> sums(names.size(), 0.0);
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double begun = MPI_Wtime();
  for (int round = 0; has_time(round, begun, limits); ++round) {
    nlohmann::json seconds = nlohmann::json::object();
    std::uint64_t answer = 0;
    if (round == screening_rounds) {
      order = screen(sums);
    }
    shuffle(order, round);
    for (const std::size_t i : order) {
      const Run one = run(i);
      seconds[names[i]] = one.seconds;
      sums[i] += one.seconds;
      const std::string where = "round " + std::to_string(round + 1) + ", " + names[i];
      note(result, where, one.fault);
      if (i == order.front()) {
        answer = one.answer;
      } else if (one.answer != answer) {
        note(result, where, "the answer differs from the answer of " + names[order.front()]);
      }
    }
    rounds.push_back(std::move(seconds));
  }
}

}  // namespace demo
