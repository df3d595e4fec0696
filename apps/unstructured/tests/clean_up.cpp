// ranks: 1
// valgrind: 1 2
// All exchanges free their memory, and access no other memory.
#include <string>

#include "common/test_verdict.hpp"
#include "messages.h"
#include "solver.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  apps::TestVerdict verdict;
  UsOptions options{
      .points = 30, .fields = 2, .levels = 2, .partition = 0, .messages = 0, .steps = 0, .tolerance = 1e-8, .spoil = 0};
  for (const int adcl : {0, 1}) {
    for (const int joined : {0, 1}) {
      for (const int overlap : {0, adcl + 1}) {
        const AppSettings settings{.iterations = 6, .adcl = adcl, .joined = joined, .overlap = overlap, .quiet = 1};
        UsSolver* const solver = us_solver_make(&options, &settings, MPI_COMM_WORLD);
        UsRecord record;
        us_solver_run(solver, &record);
        us_solver_free(solver);
        verdict.expect(record.residual <= record.residual_limit,
                       "adcl " + std::to_string(adcl) + ": the residual exceeds its limit");
      }
    }
  }
  for (int way = 0; way < US_WAYS; ++way) {
    options.messages = way;
    const AppSettings settings{.iterations = 6, .adcl = 0, .joined = 1, .overlap = 0, .quiet = 1};
    UsSolver* const solver = us_solver_make(&options, &settings, MPI_COMM_WORLD);
    UsRecord record;
    us_solver_run(solver, &record);
    us_solver_free(solver);
    verdict.expect(record.residual <= record.residual_limit,
                   "messages " + std::to_string(way) + ": the residual exceeds its limit");
  }
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
