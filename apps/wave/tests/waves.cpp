// ranks: 1 2 3 4
// timeout: 60
// The wave is exact for all shapes, and a single wrong received value is detected.
#include <string>

#include "common/test_verdict.hpp"
#include "simulation.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  apps::TestVerdict verdict;
  for (const int width : {1, 2, 100}) {
    for (const int rows : {1, 3}) {
      const wave::Options options{.width = width, .rows = rows, .steps = 25};
      const std::string what = std::to_string(width) + " x " + std::to_string(rows);
      const wave::Record right = wave::simulate(options, MPI_COMM_WORLD);
      const wave::Record spoilt = wave::simulate(options, MPI_COMM_WORLD, true);
      verdict.expect(right.error <= wave::tolerance(options), what + ": error " + std::to_string(right.error));
      verdict.expect(!(spoilt.error <= wave::tolerance(options)), what + ": a modified value is not detected");
    }
  }
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
