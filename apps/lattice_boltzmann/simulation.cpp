#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cavity.hpp"

namespace lattice_boltzmann {
namespace {

constexpr double vortex_velocity = 0.02;
constexpr double vortex_relaxation = 0.8;
/// The decay is measured until the energy has decreased by this power of e; after that, rounding errors dominate.
constexpr double vanishing = 10.0;
constexpr double lid_velocity = 0.1;
constexpr double reynolds = 100.0;

Extents periods_of(Case flow) { return flow == Case::cavity ? Extents{0, 0, 1} : Extents{1, 1, 1}; }

double relaxation_of(Case flow, const Block& block) {
  return flow == Case::cavity ? 3.0 * lid_velocity * block.points(0) / reynolds + 0.5 : vortex_relaxation;
}

}  // namespace

Simulation::Simulation(const Options& options, const AppSettings& settings, MPI_Comm comm)
    : options_(options),
      settings_(settings),
      block_(comm, options.size, periods_of(options.flow)),
      relaxation_(relaxation_of(options.flow, block_)),
      flow_(block_, settings, relaxation_, options.flow == Case::cavity ? lid_velocity : 0.0, options.spoil) {
  if (options.flow == Case::taylor_green) {
    begin_taylor_green();
  } else {
    for_lines(block_.whole(), [this](int x, int y) {
      for (int z = 0; z < block_.extents()[2]; ++z) {
        flow_.set(x, y, z, {.density = 1.0, .velocity = {}});
      }
    });
  }
}

bool Simulation::fits(const Options& options, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  Extents processes{};
  MPI_Dims_create(ranks, 3, processes.data());
  return options.flow != Case::cavity || processes[0] * options.size[0] == processes[1] * options.size[1];
}

/// One period of vortices in the plane of x and y, with the corresponding pressure.
void Simulation::begin_taylor_green() {
  const double kx = 2.0 * std::numbers::pi / block_.points(0);
  const double ky = 2.0 * std::numbers::pi / block_.points(1);
  for_lines(block_.whole(), [&](int i, int j) {
    const double x = kx * (block_.first(0) + i + 0.5);
    const double y = ky * (block_.first(1) + j + 0.5);
    const double u = -vortex_velocity * std::sqrt(ky / kx) * std::cos(x) * std::sin(y);
    const double v = vortex_velocity * std::sqrt(kx / ky) * std::sin(x) * std::cos(y);
    const double pressure =
        -0.25 * vortex_velocity * vortex_velocity * (ky / kx * std::cos(2.0 * x) + kx / ky * std::cos(2.0 * y));
    for (int k = 0; k < block_.extents()[2]; ++k) {
      flow_.set(i, j, k, {.density = 1.0 + 3.0 * pressure, .velocity = {u, v, 0.0}});
    }
  });
}

Simulation::Totals Simulation::totals() const {
  std::array<double, 2> sums{};
  for_lines(block_.whole(), [&](int x, int y) {
    for (int z = 0; z < block_.extents()[2]; ++z) {
      const Moments moments = flow_.moments(x, y, z);
      sums[0] += moments.density;
      for (const double component : moments.velocity) {
        sums[1] += moments.density * component * component;
      }
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, block_.comm());
  return {sums[0], sums[1]};
}

/// The velocity across a center line, averaged along z. With an even number of points, the mean of the two middle
/// points.
std::vector<double> Simulation::profile(bool vertical) const {
  const std::size_t along = vertical ? 1 : 0;
  const std::size_t across = vertical ? 0 : 1;
  const int n = block_.points(across);
  std::vector<double> values(static_cast<std::size_t>(block_.points(along)));
  for_lines(block_.whole(), [&](int x, int y) {
    const Extents place{block_.first(0) + x, block_.first(1) + y, 0};
    if (place[across] != (n - 1) / 2 && place[across] != n / 2) {
      return;
    }
    const double share = (n % 2 == 0 ? 0.5 : 1.0) / (block_.points(2) * lid_velocity);
    for (int z = 0; z < block_.extents()[2]; ++z) {
      values[static_cast<std::size_t>(place[along])] += share * flow_.moments(x, y, z).velocity[across];
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, block_.comm());
  return values;
}

double Simulation::decay_rate() const {
  const double viscosity = (relaxation_ - 0.5) / 3.0;
  const double kx = 2.0 * std::numbers::pi / block_.points(0);
  const double ky = 2.0 * std::numbers::pi / block_.points(1);
  return 2.0 * viscosity * (kx * kx + ky * ky);
}

int Simulation::measured_steps() const {
  const double enough = std::max(1.0, std::floor(vanishing / decay_rate()));
  return static_cast<int>(std::min(enough, static_cast<double>(settings_.iterations)));
}

void Simulation::check_taylor_green(double energy, double energy_later, Record& record) const {
  const double theory = decay_rate();
  const double measured = std::log(energy / energy_later) / measured_steps();
  record.rate_error = std::abs(measured / theory - 1.0);
  // The scheme is of second order; with 32 points or more, 1 % is allowed.
  constexpr double enough = 32.0;
  const double coarseness = enough / std::min(block_.points(0), block_.points(1));
  record.rate_limit = 0.01 * std::max(1.0, coarseness * coarseness);
}

/// \p before: the vertical profile at an earlier time, when the lid had moved by one cavity length less.
void Simulation::check_cavity(const std::vector<double>& before, Record& record) const {
  const std::vector<double> now = profile(true);
  double change = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    change = std::max(change, before.empty() ? 1.0 : std::abs(now[i] - before[i]));
  }
  record.steady = change < 1e-4;
  record.profile_error = std::max(largest_difference(vertical_profile(), now, 0.0, 1.0),
                                  largest_difference(horizontal_profile(), profile(false), 0.0, 0.0));
  record.profile_limit = 0.02;
}

Record Simulation::run() {
  Record record{.setup_s = MPI_Wtime() - begun_};
  const Totals at_first = totals();
  const int passage = static_cast<int>(block_.points(0) / lid_velocity);
  const int measured = measured_steps();
  double energy_later = 0.0;
  double checking_s = 0.0;
  std::vector<double> before;
  MPI_Barrier(block_.comm());
  const double begun = MPI_Wtime();
  for (int step = 0; step < settings_.iterations; ++step) {
    if (options_.flow == Case::cavity && step == settings_.iterations - passage) {
      before = profile(true);
    }
    flow_.advance();
    if (options_.flow == Case::taylor_green && step + 1 == measured) {
      const double checked = MPI_Wtime();
      energy_later = totals().energy;
      checking_s = MPI_Wtime() - checked;
    }
    app_progress((step + 1.0) / settings_.iterations);
  }
  record.total_s = MPI_Wtime() - begun - checking_s;
  record.points = {block_.points(0), block_.points(1), block_.points(2)};
  record.mass_error = std::abs(totals().mass / at_first.mass - 1.0);
  record.mass_limit = std::numeric_limits<double>::epsilon() * (100.0 + settings_.iterations);
  if (options_.flow == Case::taylor_green) {
    check_taylor_green(at_first.energy, energy_later, record);
  } else {
    check_cavity(before, record);
  }
  record.checksum = flow_.checksum();
  MPI_Allreduce(MPI_IN_PLACE, &record.checksum, 1, MPI_UINT64_T, MPI_SUM, block_.comm());
  return record;
}

}  // namespace lattice_boltzmann
