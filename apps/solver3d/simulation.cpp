#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "common/mpi_library.hpp"
#include "equation.hpp"
#include "matrix.hpp"
#include "tfqmr.hpp"

namespace solver3d {
namespace {

constexpr std::string_view reference_exchange = "ordered";

/// With --steps, only this limit ends a step that does not converge.
constexpr int iteration_limit_per_step = 100000;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

class Simulation {
 public:
  Simulation(const Options& options, MakeExchange make, MPI_Comm comm);
  Record run(const Observer& observer);

 private:
  void begin_step();
  bool step_done() const { return solver_.residual_bound() <= options_.tolerance * solver_.right_side_norm(); }
  void restart(std::string_view reason);
  void require_convergence() const;
  void keep_solution();
  double done() const;
  bool finished() const;
  void fill_times(Record& record, double total_s) const;
  void check_residual(Record& record);
  void check_error(Record& record);
  void add_checksums(Record& record) const;

  const Options& options_;
  double begun_ = MPI_Wtime();
  Grid grid_;
  Equation equation_;
  Matrix matrix_;
  std::array<std::vector<double>, array_count> storage_;
  std::array<double*, array_count> arrays_{};
  ExchangePointer exchange_;
  HaloProduct product_;
  Reduction reduction_;
  Tfqmr solver_;
  std::vector<double> previous_;  ///< solution of the last finished step, without halo
  std::vector<double> right_side_;
  double setup_s_ = 0.0;
  bool in_step_ = false;
  int steps_ = 0;
  int iterations_ = 0;
  int step_iterations_ = 0;
  int since_restart_ = 0;
  int restarts_ = 0;
  std::uint64_t history_ = 0;
};

Simulation::Simulation(const Options& options, MakeExchange make, MPI_Comm comm)
    : options_(options),
      grid_(comm, options.size),
      equation_(grid_),
      matrix_(grid_, equation_.stencils()),
      storage_{std::vector<double>(grid_.layout().size), std::vector<double>(grid_.layout().size),
               std::vector<double>(grid_.layout().size)},
      arrays_{storage_[0].data(), storage_[1].data(), storage_[2].data()},
      exchange_(make(grid_, arrays_)),
      product_(matrix_, *exchange_, arrays_),
      reduction_(grid_.comm(), exchange_.get()),
      solver_(grid_.layout(), arrays_, matrix_.inverse_diagonal(), product_, reduction_),
      previous_(equation_.shape()),
      right_side_(previous_.size()) {
  const Layout& layout = grid_.layout();
  std::size_t point = 0;
  for (int i = 0; i < layout.block[0]; ++i) {
    for (int j = 0; j < layout.block[1]; ++j) {
      double* const line = arrays_[solution_array] + layout.offset(i, j, 0);
      std::copy_n(previous_.data() + point, layout.length, line);
      point += layout.length;
    }
  }
  setup_s_ = MPI_Wtime() - begun_;
}

Record Simulation::run(const Observer& observer) {
  MPI_Barrier(grid_.comm());
  const double begun = MPI_Wtime();
  while (!finished()) {
    if (!in_step_) {
      begin_step();
    }
    const Progress progress = solver_.iterate();
    ++iterations_;
    ++step_iterations_;
    history_ = mix(history_ ^ std::bit_cast<std::uint64_t>(solver_.residual_bound()));
    if (progress == Progress::exact || step_done()) {
      keep_solution();
      in_step_ = false;
      ++steps_;
    } else if (progress == Progress::broken_down) {
      restart(solver_.breakdown());
    } else {
      ++since_restart_;
      require_convergence();
    }
    observer(done());
  }
  const double total_s = MPI_Wtime() - begun;

  Record record;
  fill_times(record, total_s);
  check_residual(record);
  check_error(record);
  add_checksums(record);
  return record;
}

bool Simulation::finished() const {
  return options_.steps > 0 ? steps_ >= options_.steps : iterations_ >= options_.iterations;
}

double Simulation::done() const {
  if (options_.steps > 0) {
    return static_cast<double>(steps_) / options_.steps;
  }
  return static_cast<double>(iterations_) / options_.iterations;
}

void Simulation::begin_step() {
  equation_.right_side(previous_, (steps_ + 1) * Equation::time_step, right_side_);
  solver_.begin(right_side_);
  in_step_ = true;
  step_iterations_ = 0;
  since_restart_ = 1;
}

/// After a breakdown, the method restarts from its current solution. Two breakdowns in a row are a failure.
void Simulation::restart(std::string_view reason) {
  if (since_restart_ == 0) {
    throw SolverError("TFQMR broke down in iteration " + std::to_string(iterations_) +
                      ", and again after a restart: " + std::string(reason));
  }
  solver_.begin(right_side_);
  since_restart_ = 0;
  ++restarts_;
}

void Simulation::require_convergence() const {
  if (options_.steps > 0 && step_iterations_ >= iteration_limit_per_step) {
    throw SolverError("time step " + std::to_string(steps_ + 1) + " has not reached the tolerance after " +
                      std::to_string(step_iterations_) + " iterations; a larger --tolerance may help");
  }
}

void Simulation::keep_solution() {
  const Layout& layout = grid_.layout();
  auto target = previous_.begin();
  for (int i = 0; i < layout.block[0]; ++i) {
    for (int j = 0; j < layout.block[1]; ++j) {
      target = std::copy_n(arrays_[solution_array] + layout.offset(i, j, 0), layout.length, target);
    }
  }
}

void Simulation::fill_times(Record& record, double total_s) const {
  record.tuning = exchange_->tuning();
  std::array<double, 5> seconds{setup_s_, total_s, product_.seconds(), reduction_.seconds(), 0.0};
  if (record.tuning) {
    seconds[4] = record.tuning->searching_seconds;
  }
  // The mean after the search is a difference, which each rank must compute before the maximum is taken.
  const int searched = record.tuning ? record.tuning->searching_starts : 0;
  const int measured = product_.exchanges() - searched;
  double mean = measured > 0 ? (product_.seconds() - seconds[4]) / measured : 0.0;
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, grid_.comm());
  MPI_Allreduce(MPI_IN_PLACE, &mean, 1, MPI_DOUBLE, MPI_MAX, grid_.comm());
  record.setup_s = seconds[0];
  record.total_s = seconds[1];
  record.exchange_s = seconds[2];
  record.reduction_s = seconds[3];
  record.exchange_mean_s = mean;
  record.exchanges = product_.exchanges();
  if (record.tuning) {
    record.tuning->searching_seconds = seconds[4];
  }

  record.mpi = apps::mpi_library();
  MPI_Comm_size(grid_.comm(), &record.ranks);
  record.processes = grid_.processes();
  record.block = grid_.layout().block;
  record.points = grid_.points();
  record.exchange = options_.exchange;
  record.overlap = options_.overlap;
  record.tolerance = options_.tolerance;
  record.iterations = iterations_;
  record.steps = steps_;
  record.complete = !in_step_;
  record.restarts = restarts_;
}

/// Recomputes b - A x with another exchange than the tested exchange, which would repeat an error of its halo.
void Simulation::check_residual(Record& record) {
  const ExchangePointer exchange = find_method(reference_exchange)->make(grid_, arrays_);
  HaloProduct product(matrix_, *exchange, arrays_);
  std::vector<double> image(right_side_.size());
  product.multiply(solution_array, image.data());
  std::array<double, 2> squares{};  // squared norms of the residual and of the product
  for (std::size_t i = 0; i < image.size(); ++i) {
    const double residual = right_side_[i] - image[i];
    squares[0] += residual * residual;
    squares[1] += image[i] * image[i];
  }
  const Layout& layout = grid_.layout();
  double solution = 0.0;
  for (int i = 0; i < layout.block[0]; ++i) {
    for (int j = 0; j < layout.block[1]; ++j) {
      for (int k = 0; k < layout.block[2]; ++k) {
        const double value = arrays_[solution_array][layout.offset(i, j, k)];
        solution += value * value;
      }
    }
  }
  std::array<double, 3> sums{squares[0], squares[1], solution};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, grid_.comm());
  double norm = equation_.matrix_norm();
  MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_MAX, grid_.comm());
  const double scale = 1.0 / solver_.right_side_norm();
  // Rounding error in the residual of an exact solution, times the number of iterations over which it accumulates.
  const double rounding = std::numeric_limits<double>::epsilon() * norm * std::sqrt(sums[2]) * scale *
                          std::sqrt(static_cast<double>(iterations_) + 1.0);
  record.residual_bound = solver_.residual_bound() * scale;
  record.residual = std::sqrt(sums[0]) * scale;
  record.residual_limit = record.residual_bound * (1.0 + 1e-6) + rounding;
}

/// Compares the last finished step with the manufactured solution, or the unfinished first step if no step is finished.
void Simulation::check_error(Record& record) {
  if (steps_ == 0) {
    keep_solution();
  }
  const double amplitude = 1.0 + std::max(steps_, 1) * Equation::time_step;
  std::array<double, 2> largest{};
  std::array<double, 2> sums{};
  for (std::size_t i = 0; i < previous_.size(); ++i) {
    const double exact = amplitude * equation_.shape()[i];
    const double error = previous_[i] - exact;
    largest[0] = std::max(largest[0], std::abs(error));
    largest[1] = std::max(largest[1], std::abs(exact));
    sums[0] += error * error;
    sums[1] += exact * exact;
  }
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), 2, MPI_DOUBLE, MPI_MAX, grid_.comm());
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, grid_.comm());
  record.error_max = largest[0] / largest[1];
  record.error = std::sqrt(sums[0] / sums[1]);

  constexpr double discretisation = 1.0;  // in units of h^2; measured: below 0.3
  double spacing_square = 0.0;
  for (int dimension = 0; dimension < 3; ++dimension) {
    spacing_square += grid_.spacing(dimension) * grid_.spacing(dimension);
  }
  const double residual = steps_ == 0 ? record.residual : options_.tolerance;
  record.error_limit = discretisation * spacing_square +
                       residual * solver_.right_side_norm() / (Equation::smallest_eigenvalue() * std::sqrt(sums[1]));
}

/// A checksum of all bits of the solution. Equal solutions on equally many ranks have equal checksums.
void Simulation::add_checksums(Record& record) const {
  const Layout& layout = grid_.layout();
  std::uint64_t sum = 0;
  for (int i = 0; i < layout.block[0]; ++i) {
    for (int j = 0; j < layout.block[1]; ++j) {
      for (int k = 0; k < layout.block[2]; ++k) {
        const std::array<int, 3> point{grid_.first(0) + i, grid_.first(1) + j, grid_.first(2) + k};
        std::uint64_t place = 0;
        for (const int index : point) {
          place = mix(place + static_cast<std::uint64_t>(index) + 1);
        }
        const double value = arrays_[solution_array][layout.offset(i, j, k)];
        sum += mix(std::bit_cast<std::uint64_t>(value) ^ place);
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, grid_.comm());
  record.solution_checksum = sum;
  record.history_checksum = history_;
}

}  // namespace

Record simulate(const Options& options, MakeExchange make, MPI_Comm comm, const Observer& observer) {
  return Simulation(options, make, comm).run(observer);
}

Record simulate(const Options& options, MPI_Comm comm, const Observer& observer) {
  const Method* const method = find_method(options.exchange);
  MakeExchange const make = method == nullptr ? nullptr : options.overlap ? method->make_overlapping : method->make;
  if (make == nullptr) {
    throw SolverError("there is no exchange '" + options.exchange + (options.overlap ? "' that overlaps" : "'"));
  }
  return simulate(options, make, comm, observer);
}

}  // namespace solver3d
