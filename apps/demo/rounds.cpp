#include "rounds.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "common/app.h"

namespace demo {
namespace {

/// With fewer pairs no interval of 95 % can show a difference.
constexpr int fewest_rounds = 6;

/// The same on all ranks: it depends on the round alone.
std::vector<std::size_t> order_of(std::size_t count, int round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {
    const std::uint64_t chance = app_mix(static_cast<std::uint64_t>(round) * 1000 + i);
    std::swap(order[i - 1], order[static_cast<std::size_t>(chance % i)]);
  }
  return order;
}

/// Rank 0's clock decides for all ranks.
bool time_left(double begun, const Limits& limits) {
  int left = MPI_Wtime() - begun < limits.seconds ? 1 : 0;
  MPI_Bcast(&left, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return left == 1;
}

}  // namespace

double largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

int repetitions(double seconds, std::size_t alternatives, const Limits& limits) {
  const double slice = limits.seconds / (static_cast<double>(limits.rounds) * static_cast<double>(alternatives));
  const double all = std::clamp(slice / std::max(seconds, 1e-9), 2.0, 1e6);
  int count = static_cast<int>(all);
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return count;
}

Comparison run_rounds(const std::vector<std::string>& names, const Alternative& run, const Limits& limits) {
  Comparison result;
  nlohmann::json& rounds = result.record["rounds"] = nlohmann::json::array();
  const double begun = MPI_Wtime();
  for (int round = 0; round < limits.rounds && (round < fewest_rounds || time_left(begun, limits)); ++round) {
    nlohmann::json seconds = nlohmann::json::object();
    std::set<std::uint64_t> answers;
    for (const std::size_t i : order_of(names.size(), round)) {
      const Run one = run(i);
      seconds[names[i]] = one.seconds;
      answers.insert(one.answer);
      result.correct = result.correct && one.correct;
    }
    result.correct = result.correct && answers.size() == 1;
    rounds.push_back(std::move(seconds));
  }
  return result;
}

}  // namespace demo
