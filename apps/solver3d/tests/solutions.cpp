// ranks: 1 2 3 4 8
// timeout: 120
// The solver's answer is correct and its error has the expected order. The answer is bitwise identical with every
// exchange, and the checks detect a wrong exchange.
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/test_verdict.hpp"
#include "report.hpp"
#include "simulation.hpp"

namespace solver3d::test {
using apps::TestVerdict;

namespace {

void ignore(double) {}

/// Small problems: if oversubscribed ranks spin while they wait, each communication takes milliseconds.
Options options_for(const Extents& size, double tolerance = 1e-6) {
  Options options;
  options.size = size;
  options.tolerance = tolerance;
  return options;
}

/// Does not fill the halo.
class Lazy final : public Exchange {
 public:
  void start(std::size_t) override {}
  void finish(std::size_t) override {}
};

/// Correct except for the first point of the halo in z, y or x that comes from another process.
class Spoiling final : public Exchange {
 public:
  Spoiling(const Grid& grid, std::span<double* const> arrays)
      : grid_(grid), arrays_(arrays.begin(), arrays.end()), right_(find_method("fcfs")->make(grid, arrays)) {}

  void start(std::size_t index) override { right_->start(index); }

  void finish(std::size_t index) override {
    right_->finish(index);
    for (int dimension = 0; dimension < 3; ++dimension) {
      if (grid_.neighbor(dimension, low) != MPI_PROC_NULL) {
        Extents point{};
        point[static_cast<std::size_t>(dimension)] = -1;
        arrays_[index][grid_.layout().offset(point[0], point[1], point[2])] *= 1.01;
        return;
      }
    }
  }

 private:
  const Grid& grid_;
  std::vector<double*> arrays_;
  ExchangePointer right_;
};

ExchangePointer make_lazy(const Grid&, std::span<double* const>) { return std::make_unique<Lazy>(); }

ExchangePointer make_spoiling(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Spoiling>(grid, arrays);
}

void check_all_exchanges(Options options, const std::string& what, TestVerdict& verdict) {
  options.exchange = "fcfs";
  const Record reference = simulate(options, MPI_COMM_WORLD, ignore);
  for (const Method& method : methods()) {
    for (const bool overlap : {false, true}) {
      if (overlap && method.make_overlapping == nullptr) {
        continue;
      }
      options.exchange = method.name;
      options.overlap = overlap;
      const Record record = simulate(options, MPI_COMM_WORLD, ignore);
      const std::string name = what + ", " + options.exchange + (overlap ? " --overlap" : "") + ": ";
      verdict.expect(record.residual_agrees(), name + "residual " + std::to_string(record.residual));
      verdict.expect(record.error_agrees(), name + "error " + std::to_string(record.error));
      // If the order of a sum depends on the codelet, its last bits differ, and possibly the last iteration.
      const int unlike = std::abs(record.iterations - reference.iterations);
      verdict.expect(unlike <= (method.sums ? 1 : 0), name + "the number of iterations differs");
      if (!method.sums) {
        verdict.expect(record.history_checksum == reference.history_checksum, name + "the residual history differs");
        verdict.expect(record.solution_checksum == reference.solution_checksum, name + "the solution differs");
      }
      verdict.expect(record.restarts == 0, name + "restarts");
    }
  }
}

void check_fixed_iterations(TestVerdict& verdict) {
  Options options = options_for({5, 6, 7});
  options.iterations = 5;
  check_all_exchanges(options, "5 iterations", verdict);
  options.exchange = "fcfs";
  options.size = {2, 2, 2};
  options.iterations = 20;
  const Record record = simulate(options, MPI_COMM_WORLD, ignore);
  verdict.expect(record.iterations == 20, "not 20 iterations");
  verdict.expect(record.steps > 0, "20 iterations do not reach the second time step");
  options.iterations = 1;
  verdict.expect(simulate(options, MPI_COMM_WORLD, ignore).correct(), "one iteration");
}

void check_steps(TestVerdict& verdict) {
  Options options = options_for({3, 2, 4}, 1e-3);
  options.steps = 1;
  check_all_exchanges(options, "one step", verdict);
}

/// A block without inner points: no computation overlaps the communication.
void check_single_points(TestVerdict& verdict) {
  Options options = options_for({1, 1, 1});
  options.steps = 2;
  options.exchange = "fcfs";
  const Record reference = simulate(options, MPI_COMM_WORLD, ignore);
  options.exchange = "overlap";
  const Record record = simulate(options, MPI_COMM_WORLD, ignore);
  verdict.expect(record.correct(), "single points");
  verdict.expect(record.steps == 2, "two steps");
  verdict.expect(record.solution_checksum == reference.solution_checksum,
                 "single points, overlapping: the solution differs");
}

/// Halving the distance of the points in all dimensions divides the error by four.
void check_order(TestVerdict& verdict) {
  Options options = options_for({3, 3, 3});
  options.exchange = "fcfs";
  options.steps = 1;
  const Record coarse = simulate(options, MPI_COMM_WORLD, ignore);
  // With one process, 3 points and 4 intervals become 7 points and 8 intervals. With more processes, the ratio of the
  // distances is similar.
  options.size = {7, 7, 7};
  const Record fine = simulate(options, MPI_COMM_WORLD, ignore);
  const double order = std::log2(coarse.error / fine.error);
  verdict.expect(order > 1.6 && order < 2.4, "order of accuracy " + std::to_string(order));
  verdict.expect(fine.error_limit < 10.0 * fine.error, "the largest allowed error is too large to detect anything");
}

void check_detection(TestVerdict& verdict) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options = options_for({3, 3, 3});
  options.steps = 1;
  const Record lazy = simulate(options, make_lazy, MPI_COMM_WORLD, ignore);
  const Record spoilt = simulate(options, make_spoiling, MPI_COMM_WORLD, ignore);
  verdict.expect(lazy.correct() == (ranks == 1), "an exchange that does nothing");
  verdict.expect(spoilt.correct() == (ranks == 1), "an exchange with one wrong value");
}

/// The requests of all arrays share one search, so each request has the measurements of all exchanges.
void check_tuning(TestVerdict& verdict) {
  const Method* const method = find_method("adcl");
  if (method == nullptr) {
    return;
  }
  Options options = options_for({3, 3, 3});
  options.iterations = 600;
  for (const MakeExchange make : {method->make, method->make_overlapping}) {
    const Record record = simulate(options, make, MPI_COMM_WORLD, ignore);
    const Tuning& tuning = *record.tuning;
    int measurements = 0;
    bool known = false;
    for (const apps::Candidate& candidate : tuning.candidates) {
      measurements += candidate.measurements;
      known = known || candidate.name == tuning.winner;
    }
    verdict.expect(tuning.production, "ADCL still searches after " + std::to_string(record.exchanges) + " exchanges");
    verdict.expect(known, "ADCL's winner '" + tuning.winner + "' is not a candidate");
    // Some starts are not counted: starts that wait for a decision, and the first start after a change of codelet. With
    // two searches, each search would have fewer than a quarter of the starts.
    verdict.expect(3 * measurements >= tuning.searching_starts, std::to_string(measurements) + " measurements of " +
                                                                    std::to_string(tuning.searching_starts) +
                                                                    " exchanges: the requests do not share one search");
    verdict.expect(tuning.searching_starts < record.exchanges, "ADCL never ran its winner");
    const auto json = nlohmann::json::parse(as_json(record));
    verdict.expect(json.at("tuning").at("winner") == tuning.winner, "winner in JSON");
    verdict.expect(as_text(record).find(tuning.winner) != std::string::npos, "winner in the report");
  }
}

void check_json(TestVerdict& verdict) {
  Options options = options_for({4, 3, 2});
  options.exchange = "overlap";
  options.steps = 1;
  const Record record = simulate(options, MPI_COMM_WORLD, ignore);
  const auto json = nlohmann::json::parse(as_json(record));
  verdict.expect(json.at("exchange") == "overlap", "exchange in JSON");
  verdict.expect(json.at("block") == nlohmann::json({4, 3, 2}), "block in JSON");
  verdict.expect(json.at("correct") == true, "correct in JSON");
  verdict.expect(json.at("tuning").is_null(), "tuning in JSON");
  verdict.expect(json.at("exchanges") == 2 * record.iterations + 1, "number of exchanges in JSON");
  verdict.expect(json.at("seconds").at("total") >= json.at("seconds").at("exchange"), "times in JSON");
}

}  // namespace
}  // namespace solver3d::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  solver3d::test::TestVerdict verdict;
  solver3d::test::check_fixed_iterations(verdict);
  solver3d::test::check_steps(verdict);
  solver3d::test::check_single_points(verdict);
  solver3d::test::check_order(verdict);
  solver3d::test::check_detection(verdict);
  solver3d::test::check_tuning(verdict);
  solver3d::test::check_json(verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
