// ranks: 1 2 3 4
// timeout: 120
// With all exchanges, with and without overlap, the answer is bitwise identical to plain MPI's. A single wrong received
// value is detected.
#include <string>

#include "common/test_verdict.hpp"
#include "memory.h"
#include "messages.h"
#include "solver.h"

namespace {

UsRecord solve(UsOptions options, AppSettings settings) {
  UsSolver* const solver = us_solver_make(&options, &settings, MPI_COMM_WORLD);
  UsRecord record;
  us_solver_run(solver, &record);
  us_solver_free(solver);
  return record;
}

bool is_correct(const UsRecord& record) {
  return record.error <= record.error_limit && record.residual <= record.residual_limit;
}

void check_exchanges(const UsOptions& options, int iterations, apps::TestVerdict& verdict) {
  const UsRecord twin = solve(options, {.iterations = iterations, .adcl = 0, .joined = 1, .overlap = 0, .quiet = 1});
  verdict.expect(is_correct(twin), "plain: error " + std::to_string(twin.error));
  for (const int adcl : {0, 1}) {
    for (const int joined : {0, 1}) {
      for (const int overlap : {0, 1, 2}) {
        if (adcl == 0 && overlap == APP_OVERLAP_START) {
          continue;
        }
        const UsRecord record =
            solve(options, {.iterations = iterations, .adcl = adcl, .joined = joined, .overlap = overlap, .quiet = 1});
        const std::string what = "adcl " + std::to_string(adcl) + ", joined " + std::to_string(joined) + ", overlap " +
                                 std::to_string(overlap);
        verdict.expect(is_correct(record), what + ": the residual exceeds its limit");
        verdict.expect(record.solution == twin.solution, what + ": the solution differs");
        verdict.expect(record.history == twin.history, what + ": the history of residuals differs");
        verdict.expect(record.solved == twin.solved, what + ": the number of steps differs");
      }
    }
  }
}

/// The answers of all hand-written variants are bitwise identical, for all fields together and one after the other.
void check_ways(UsOptions options, int iterations, apps::TestVerdict& verdict) {
  const UsRecord first = solve(options, {.iterations = iterations, .adcl = 0, .joined = 1, .overlap = 0, .quiet = 1});
  for (int way = 0; way < US_WAYS; ++way) {
    options.messages = way;
    for (const int joined : {0, 1}) {
      for (const int overlap : {APP_OVERLAP_NONE, APP_OVERLAP_INIT}) {
        const UsRecord record =
            solve(options, {.iterations = iterations, .adcl = 0, .joined = joined, .overlap = overlap, .quiet = 1});
        const std::string what = "messages " + std::to_string(way) + ", joined " + std::to_string(joined) +
                                 ", overlap " + std::to_string(overlap);
        verdict.expect(is_correct(record), what + ": the residual exceeds its limit");
        verdict.expect(record.solution == first.solution, what + ": the solution differs");
        verdict.expect(record.history == first.history, what + ": the history of residuals differs");
      }
    }
  }
}

/// Solves the requested number of steps to the requested tolerance.
void check_steps(apps::TestVerdict& verdict) {
  const AppSettings settings{.iterations = 1, .adcl = 0, .joined = 1, .overlap = 0, .quiet = 1};
  UsOptions options{.points = 100,
                    .fields = 2,
                    .levels = 2,
                    .partition = 1,
                    .messages = 0,
                    .steps = 3,
                    .tolerance = 1e-4,
                    .spoil = 0};
  const UsRecord loose = solve(options, settings);
  options.tolerance = 1e-11;
  const UsRecord tight = solve(options, settings);
  verdict.expect(is_correct(loose) && is_correct(tight), "steps: an answer is wrong");
  verdict.expect(loose.solved == 3 && tight.solved == 3, "steps: the number of steps is not 3");
  verdict.expect(tight.iterations > loose.iterations && tight.error < 1e-3 * loose.error, "the tolerance is not met");
}

void check_memory(apps::TestVerdict& verdict) {
  verdict.expect(us_enough_memory(1e6, MPI_COMM_WORLD) == 1, "a megabyte is too much");
  verdict.expect(us_enough_memory(1e18, MPI_COMM_WORLD) == 0, "an exabyte is not too much");
}

/// More levels need fewer iterations.
void check_hierarchy(apps::TestVerdict& verdict) {
  UsOptions options{.points = 900,
                    .fields = 1,
                    .levels = 1,
                    .partition = 1,
                    .messages = 0,
                    .steps = 0,
                    .tolerance = 1e-8,
                    .spoil = 0};
  const AppSettings settings{.iterations = 200, .adcl = 0, .joined = 1, .overlap = 0, .quiet = 1};
  const int alone = solve(options, settings).solved;
  options.levels = 3;
  const int together = solve(options, settings).solved;
  verdict.expect(alone > 0 && together > alone,
                 std::to_string(together) + " steps with three levels, " + std::to_string(alone) + " with one");
}

void check_detection(apps::TestVerdict& verdict) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  UsOptions options{.points = 100,
                    .fields = 2,
                    .levels = 2,
                    .partition = 1,
                    .messages = 0,
                    .steps = 0,
                    .tolerance = 1e-8,
                    .spoil = 1};
  for (int way = 0; way <= US_WAYS; ++way) {
    const int adcl = way == US_WAYS ? 1 : 0;
    options.messages = way % US_WAYS;
    const UsRecord record = solve(options, {.iterations = 30, .adcl = adcl, .joined = 1, .overlap = 0, .quiet = 1});
    verdict.expect(is_correct(record) == (ranks == 1), "a modified value is not detected");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  apps::TestVerdict verdict;
  check_exchanges({.points = 150,
                   .fields = 3,
                   .levels = 3,
                   .partition = 0,
                   .messages = 0,
                   .steps = 0,
                   .tolerance = 1e-8,
                   .spoil = 0},
                  200, verdict);
  check_exchanges(
      {.points = 2, .fields = 1, .levels = 2, .partition = 1, .messages = 0, .steps = 0, .tolerance = 1e-8, .spoil = 0},
      20, verdict);
  check_ways({.points = 150,
              .fields = 3,
              .levels = 3,
              .partition = 1,
              .messages = 0,
              .steps = 0,
              .tolerance = 1e-8,
              .spoil = 0},
             60, verdict);
  check_ways(
      {.points = 1, .fields = 2, .levels = 2, .partition = 1, .messages = 0, .steps = 0, .tolerance = 1e-8, .spoil = 0},
      10, verdict);
  check_steps(verdict);
  check_memory(verdict);
  check_hierarchy(verdict);
  check_detection(verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
