/// \file simulation.hpp
/// The two flows with their checks: the decay of Taylor-Green vortices, and the lid-driven cavity.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "flow.hpp"

namespace lattice_boltzmann {

enum class Case { taylor_green, cavity };

struct Options {
  Case flow = Case::taylor_green;
  Extents size{32, 32, 32};  ///< points of each rank
  bool spoil = false;        ///< for tests, see Flow
};

/// Result of a run. Identical on all ranks, except for the times, which are this rank's.
struct Record {
  Extents points{};
  double mass_error = 0.0;  ///< relative change of the mass
  double mass_limit = 0.0;
  double rate_error = 0.0;  ///< error of the decay rate, relative to theory; Taylor-Green only
  double rate_limit = 0.0;
  double profile_error = 0.0;  ///< difference from the published profiles in units of the lid's velocity; cavity only
  double profile_limit = 0.0;
  bool steady = false;  ///< the cavity's flow is steady, so its profiles can be compared
  std::uint64_t checksum = 0;
  double setup_s = 0.0;
  double total_s = 0.0;

  [[nodiscard]] bool correct() const noexcept {
    return mass_error <= mass_limit && rate_error <= rate_limit && (!steady || profile_error <= profile_limit);
  }
};

class Simulation {
 public:
  /// Collective.
  Simulation(const Options& options, const AppSettings& settings, MPI_Comm comm);

  /// True if the grid fits the case: the cavity is square.
  [[nodiscard]] static bool fits(const Options& options, MPI_Comm comm);

  /// Collective.
  Record run();

  [[nodiscard]] AppExchange* exchange() const noexcept { return flow_.exchange(); }

 private:
  struct Totals {
    double mass;
    double energy;
  };

  void begin_taylor_green();
  [[nodiscard]] Totals totals() const;
  [[nodiscard]] std::vector<double> profile(bool vertical) const;
  /// The decay rate of the theory, per step.
  [[nodiscard]] double decay_rate() const;
  [[nodiscard]] int measured_steps() const;
  void check_taylor_green(double energy, double energy_later, Record& record) const;
  void check_cavity(const std::vector<double>& before, Record& record) const;

  Options options_;
  AppSettings settings_;
  double begun_ = MPI_Wtime();
  Block block_;
  double relaxation_;
  Flow flow_;
};

}  // namespace lattice_boltzmann
