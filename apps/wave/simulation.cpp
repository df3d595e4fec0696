#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace wave {
namespace {

constexpr double courant_square = 0.25;

enum Tag { tag_down, tag_up };

class Strip {
 public:
  Strip(const Options& options, MPI_Comm comm) : comm_(comm), width_(options.width), rows_(options.rows) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    constexpr double turn = 2.0 * std::numbers::pi;
    x_turn_ = turn / width_;
    y_turn_ = turn / (static_cast<double>(rows_) * ranks_);
    // The frequency of one period in both directions, exact for the discrete equation.
    frequency_ = std::acos(1.0 + courant_square * (std::cos(x_turn_) + std::cos(y_turn_) - 2.0));
    now_.resize(at(rows_ + 2, 0));
    before_.resize(now_.size());
    for (int y = 0; y < rows_; ++y) {
      for (int x = 0; x < width_; ++x) {
        before_[at(y + 1, x)] = exact(y, x, 0);
        now_[at(y + 1, x)] = exact(y, x, 1);
      }
    }
  }

  /// Sends the first and the last row to the neighbors in a ring, and receives theirs.
  void exchange() {
    const int up = (rank_ + 1) % ranks_;
    const int down = (rank_ + ranks_ - 1) % ranks_;
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(&now_[at(0, 0)], width_, MPI_DOUBLE, down, tag_up, comm_, &requests[0]);
    MPI_Irecv(&now_[at(rows_ + 1, 0)], width_, MPI_DOUBLE, up, tag_down, comm_, &requests[1]);
    MPI_Isend(&now_[at(1, 0)], width_, MPI_DOUBLE, down, tag_down, comm_, &requests[2]);
    MPI_Isend(&now_[at(rows_, 0)], width_, MPI_DOUBLE, up, tag_up, comm_, &requests[3]);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }

  void spoil() { now_[at(0, width_ / 2)] += 0.01; }

  void advance() {
    for (int y = 1; y <= rows_; ++y) {
      const double* const here = &now_[at(y, 0)];
      const double* const below = &now_[at(y - 1, 0)];
      const double* const above = &now_[at(y + 1, 0)];
      double* const next = &before_[at(y, 0)];
      const auto update = [&](int left, int x, int right) {
        const double around = here[left] + here[right] + below[x] + above[x];
        next[x] = 2.0 * here[x] - next[x] + courant_square * (around - 4.0 * here[x]);
      };
      update(width_ - 1, 0, width_ > 1 ? 1 : 0);
      for (int x = 1; x < width_ - 1; ++x) {
        update(x - 1, x, x + 1);
      }
      if (width_ > 1) {
        update(width_ - 2, width_ - 1, 0);
      }
    }
    now_.swap(before_);
  }

  /// Largest error of this process at a step.
  [[nodiscard]] double error(int step) const {
    double largest = 0.0;
    for (int y = 0; y < rows_; ++y) {
      for (int x = 0; x < width_; ++x) {
        const double difference = std::abs(now_[at(y + 1, x)] - exact(y, x, step));
        largest = difference > largest || std::isnan(difference) ? difference : largest;
      }
    }
    return largest;
  }

 private:
  [[nodiscard]] std::size_t at(int row, int x) const noexcept {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }
  [[nodiscard]] double exact(int y, int x, int step) const {
    const double row = static_cast<double>(rank_) * rows_ + y;
    return std::cos(x_turn_ * x + y_turn_ * row) * std::cos(frequency_ * step);
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  int width_;
  int rows_;
  double x_turn_ = 0.0;
  double y_turn_ = 0.0;
  double frequency_ = 0.0;
  std::vector<double> now_;     ///< with one additional row on both sides
  std::vector<double> before_;  ///< becomes the next step
};

}  // namespace

double tolerance(const Options& options) noexcept { return 1e-12 * (1.0 + options.steps); }

Record simulate(const Options& options, MPI_Comm comm, bool spoil) {
  Strip strip(options, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int step = 0; step < options.steps; ++step) {
    strip.exchange();
    if (spoil && rank == 0 && step == 0) {
      strip.spoil();
    }
    strip.advance();
  }
  Record record{.error = strip.error(options.steps + 1), .seconds = MPI_Wtime() - begin};
  MPI_Allreduce(MPI_IN_PLACE, &record.error, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &record.seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return record;
}

}  // namespace wave
