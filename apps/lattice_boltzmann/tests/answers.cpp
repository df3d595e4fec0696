// ranks: 1 2 3 4
// timeout: 120
// not smpi: some ten searches over all codelets of 18 neighbors take minutes in a simulator
// With all exchanges, with and without overlap, the answer is bitwise identical to that of one rank alone. A single
// wrong received value is detected.
#include <string>

#include "common/test_verdict.hpp"
#include "simulation.hpp"

namespace {

using lattice_boltzmann::Case;
using lattice_boltzmann::Options;
using lattice_boltzmann::Record;

Record simulate(const Options& options, const AppSettings& settings, MPI_Comm comm) {
  return lattice_boltzmann::Simulation(options, settings, comm).run();
}

/// Simulates the same grid on each rank alone.
Record alone(Options options, const AppSettings& settings) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  lattice_boltzmann::Extents processes{};
  MPI_Dims_create(ranks, 3, processes.data());
  for (std::size_t d = 0; d < 3; ++d) {
    options.size[d] *= processes[d];
  }
  return simulate(options, settings, MPI_COMM_SELF);
}

void check_exchanges(const Options& options, int iterations, apps::TestVerdict& verdict) {
  const AppSettings plain{.iterations = iterations, .adcl = 0, .joined = 1, .overlap = 0, .quiet = 1};
  const Record reference = alone(options, plain);
  for (const int adcl : {0, 1}) {
    for (const int joined : {0, 1}) {
      for (const int overlap : {0, 1, 2}) {
        if (adcl == 0 && overlap == APP_OVERLAP_START) {
          continue;
        }
        const AppSettings settings{
            .iterations = iterations, .adcl = adcl, .joined = joined, .overlap = overlap, .quiet = 1};
        const Record record = simulate(options, settings, MPI_COMM_WORLD);
        const std::string what = "adcl " + std::to_string(adcl) + ", joined " + std::to_string(joined) + ", overlap " +
                                 std::to_string(overlap);
        verdict.expect(record.mass_error <= record.mass_limit, what + ": the mass changes");
        verdict.expect(record.checksum == reference.checksum, what + ": the flow differs");
      }
    }
  }
}

void check_detection(apps::TestVerdict& verdict) {
  const Options options{.flow = Case::taylor_green, .size = {32, 32, 1}, .spoil = true};
  for (const int adcl : {0, 1}) {
    const AppSettings settings{.iterations = 20, .adcl = adcl, .joined = 1, .overlap = 0, .quiet = 1};
    verdict.expect(!simulate(options, settings, MPI_COMM_WORLD).correct(), "a modified value is not detected");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  apps::TestVerdict verdict;
  check_exchanges({.flow = Case::taylor_green, .size = {5, 4, 3}, .spoil = false}, 120, verdict);
  check_exchanges({.flow = Case::cavity, .size = {3, 4, 2}, .spoil = false}, 120, verdict);
  check_exchanges({.flow = Case::taylor_green, .size = {1, 1, 1}, .spoil = false}, 10, verdict);
  check_detection(verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
