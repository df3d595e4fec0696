#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>

#include "common/median.hpp"
#include "halo/methods.hpp"

namespace bench {
namespace {

constexpr int most_calls = 20;
constexpr double block_s = 400e-6;
constexpr double hopeless = 2.0;
constexpr double very_long = 20.0;  ///< times the best first call
constexpr double very_long_s = 1e-3;
constexpr double setting_s = 12.0;  ///< seconds until rounds end, if there are enough
constexpr int fewest_rounds = 12;

/// Seconds of two readings of the clock.
double clock_s() {
  double least = 1.0;
  for (int i = 0; i < 1000; ++i) {
    const double begin = MPI_Wtime();
    least = std::min(least, MPI_Wtime() - begin);
  }
  return least;
}

class Timing {
 public:
  explicit Timing(const twins::Block& block) : sides_(twins::sides_of(block)), clock_s_(clock_s()) {}

  /// Mean seconds of `calls` operations, maximum over the ranks.
  [[nodiscard]] double operator()(const Method& method, int calls) const {
    double seconds = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = -1; i < calls; ++i) {
      write_what_is_sent(method);
      if (method.kind == Kind::bound) {
        MPI_Barrier(MPI_COMM_WORLD);  // a copy does not wait for other ranks
      }
      const double begin = MPI_Wtime();
      method.run();
      seconds += i < 0 ? 0.0 : MPI_Wtime() - begin;
      if (method.kind == Kind::bound) {
        MPI_Barrier(MPI_COMM_WORLD);
      }
    }
    seconds = std::max(seconds / calls - clock_s_, 1e-9);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
  }

 private:
  void write_what_is_sent(const Method& method) const {
    for (const twins::Side& side : sides_) {
      for (double* field : method.fields) {
        twins::increment(side.send, field);
      }
    }
  }

  std::vector<twins::Side> sides_;
  double clock_s_;
};

double median(const std::vector<double>& values) { return median_of(values).median; }

/// Removes codelets with a very long first call: some MPI libraries take seconds for an access to another process's
/// memory in many pieces. The maximum over the ranks decides, so all ranks remove the same codelets.
void drop_the_slowest(std::vector<Method>& methods) {
  double best = std::numeric_limits<double>::infinity();
  for (const Method& method : methods) {
    best = method.kind == Kind::codelet ? std::min(best, method.first_s) : best;
  }
  const double most = std::max(very_long * best, very_long_s);
  std::erase_if(methods, [&](const Method& method) { return method.kind == Kind::codelet && method.first_s > most; });
}

/// First measurement: determines the number of calls per block, and the codelets that are too slow for the full number
/// of rounds.
void calibrate(std::vector<Method>& methods, const Timing& timed) {
  drop_the_slowest(methods);
  std::vector<double> first;
  double best = 0.0;
  for (Method& method : methods) {
    std::vector<double> looks;
    for (int look = 0; look < 5; ++look) {
      looks.push_back(timed(method, 2));
    }
    first.push_back(median(looks));
    method.calls = std::clamp(static_cast<int>(block_s / std::max(first.back(), 1e-9)), 2, most_calls);
    if (method.kind == Kind::codelet && (best == 0.0 || first.back() < best)) {
      best = first.back();
    }
  }
  std::size_t i = 0;
  std::erase_if(methods,
                [&](const Method& method) { return first[i++] > hopeless * best && method.kind == Kind::codelet; });
}

const Method* best_of(const std::vector<Method>& methods, Kind kind) {
  const Method* best = nullptr;
  double best_s = 0.0;
  for (const Method& method : methods) {
    if (method.kind == kind) {
      const double seconds = median(half(method.samples, 0));
      if (best == nullptr || seconds < best_s) {
        best = &method;
        best_s = seconds;
      }
    }
  }
  return best;
}

Json compared(const std::string& name, const Method& codelet, const char* role, const Method& other) {
  const auto codelet_s = half(codelet.samples, 1);
  const auto other_s = half(other.samples, 1);
  Json ratio = ratio_figure(name, codelet_s, other_s);
  ratio.update({{"codelet", codelet.name},
                {role, other.name},
                {"codelet_us", median(codelet_s) * 1e6},
                {std::string(role) + "_us", median(other_s) * 1e6}});
  return ratio;
}

}  // namespace

void measure(std::vector<Method>& methods, const twins::Block& block, std::mt19937& random, int rounds) {
  const Timing timed(block);
  calibrate(methods, timed);
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double begin = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    int late = MPI_Wtime() - begin > setting_s && round >= fewest_rounds && round % 2 == 0 ? 1 : 0;
    MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (late != 0) {
      break;
    }
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      methods[i].samples.push_back(timed(methods[i], methods[i].calls));
    }
  }
}

Json figures_of(const std::string& setting, const std::vector<Method>& methods) {
  const Method& codelet = *best_of(methods, Kind::codelet);
  return Json::array(
      {compared("best_codelet_over_best_twin." + setting, codelet, "twin", *best_of(methods, Kind::twin)),
       compared("best_codelet_over_copy_bound." + setting, codelet, "bound", *best_of(methods, Kind::bound))});
}

Json all_medians(const std::vector<Method>& methods) {
  Json all = Json::object();
  for (const Method& method : methods) {
    all[(method.kind == Kind::twin ? "twin " : "") + method.name] = median(method.samples) * 1e6;
  }
  return all;
}

void print_progress(const std::string& setting, const Json& figures) {
  if (world_rank() != 0) {
    return;
  }
  const Json& twin = figures[0];
  const Json& bound = figures[1];
  std::printf("%-18s %-26s %10.2f us   %-18s %10.2f us   ratio %.3f   bound %10.2f us   ratio %.2f\n", setting.c_str(),
              twin["codelet"].get<std::string>().c_str(), twin["codelet_us"].get<double>(),
              twin["twin"].get<std::string>().c_str(), twin["twin_us"].get<double>(), twin["value"].get<double>(),
              bound["bound_us"].get<double>(), bound["value"].get<double>());
  std::fflush(stdout);
}

}  // namespace bench
