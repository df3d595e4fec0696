#include <mpi.h>

#include <string>

#include "common/enough_memory.hpp"
#include "simulation.hpp"

namespace {

using lattice_boltzmann::Case;

int simulate(const lattice_boltzmann::Options& options, const AppSettings& settings) {
  lattice_boltzmann::Simulation simulation(options, settings, MPI_COMM_WORLD);
  const lattice_boltzmann::Record record = simulation.run();
  std::string points;
  for (const int n : record.points) {
    points += (points.empty() ? "" : " x ") + std::to_string(n);
  }
  app_report_text("points", "grid", points.c_str());
  app_report_text("case", "case", options.flow == Case::cavity ? "cavity, Reynolds number 100" : "taylor_green");
  app_report_whole("iterations", "iterations", settings.iterations);
  app_report_check("mass", "change of mass", record.mass_error, record.mass_limit);
  if (options.flow == Case::taylor_green) {
    app_report_check("decay", "error of decay rate", record.rate_error, record.rate_limit);
  } else if (record.steady) {
    app_report_check("profiles", "error of profiles", record.profile_error, record.profile_limit);
  } else {
    app_report_text("profiles", "profiles", "not compared: the flow is not steady; more --iterations are needed");
  }
  app_report_checksum("solution", "checksum", record.checksum);
  AppExchange* const exchange = simulation.exchange();
  return app_finish(record.setup_s, record.total_s, 1, &exchange);
}

int run(int argc, char** argv) {
  lattice_boltzmann::Options options;
  AppSettings settings{};
  settings.iterations = 500;
  int flow = 0;
  app_program("lattice_boltzmann",
              "a flow by the Lattice-Boltzmann method with 19 velocities (D3Q19). Only the populations\n"
              "that leave a block are sent: five through each face, one across each edge.",
              "mpirun -n 4 lattice_boltzmann\n"
              "mpirun -n 2 lattice_boltzmann --size 16x16x16 --iterations 2000 --exchange plain\n"
              "mpirun -n 4 lattice_boltzmann --case cavity --size 16x16x4 --iterations 12000 --json run.json");
  app_option("--size", "NXxNYxNZ", 3, 1, 4096, options.size.data(), "grid points per process");
  app_option_word("--case", "taylor_green cavity", &flow, "flow to simulate");
  const int code = app_begin(argc, argv, &settings);
  if (code != APP_RUN) {
    return code;
  }
  options.flow = flow == 1 ? Case::cavity : Case::taylor_green;
  if (!lattice_boltzmann::Simulation::fits(options, MPI_COMM_WORLD)) {
    return app_usage("the cavity is square: over all processes, x and y need the same number of points; change --size");
  }
  // The populations before and after streaming.
  constexpr double doubles_per_point = 38.0;
  if (!apps::enough_memory(sizeof(double) * doubles_per_point * options.size[0] * options.size[1] * options.size[2],
                           MPI_COMM_WORLD)) {
    return app_usage("there is not enough memory for this number of points; change --size");
  }
  return simulate(options, settings);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    app_fail(error.what());
  }
  MPI_Finalize();
  return code;
}
