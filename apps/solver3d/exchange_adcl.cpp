/// ADCL: one request per array. The requests differ only in the array, so they share one search.
#include <ADCL.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/adcl_requests.hpp"
#include "exchange_rows.hpp"
#include "product.hpp"

namespace solver3d {
namespace {

using apps::check;

/// Initializes and finalizes the library; ADCL_Finalize frees the remaining objects.
class Library {
 public:
  Library() { check(ADCL_Init()); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { ADCL_Finalize(); }
};

class Adaptive : public Exchange {
 public:
  /// \p sums: one additional request computes all sums of an iteration.
  Adaptive(const Grid& grid, std::span<double* const> arrays, bool sums = false) : arrays_(arrays.size()) {
    check(ADCL_Topology_create(grid.comm(), 0, &topology_));
    check(ADCL_Vmap_halo_allocate(1, &vmap_));
    requests_.reserve(arrays.size());
    for (double* const array : arrays) {
      ADCL_Vector vector = ADCL_VECTOR_NULL;
      check(ADCL_Vector_register(3, grid.layout().padded.data(), 0, MPI_DOUBLE, array, &vector));
      vectors_.push_back(vector);
      ADCL_Request request = ADCL_REQUEST_NULL;
      check(ADCL_Request_create(vector, vmap_, topology_, ADCL_FNCTSET_NEIGHBORHOOD, &request));
      requests_.push_back(request);
    }
    if (sums) {
      ADCL_Request request = ADCL_REQUEST_NULL;
      check(ADCL_Allreduce_init(own_.data(), sums_.data(), static_cast<int>(own_.size()), MPI_DOUBLE, MPI_SUM,
                                grid.comm(), &request));
      requests_.push_back(request);
    }
  }

  Adaptive(const Adaptive&) = delete;
  Adaptive& operator=(const Adaptive&) = delete;
  ~Adaptive() override {
    for (ADCL_Request& request : requests_) {
      ADCL_Request_free(&request);
    }
    for (ADCL_Vector& vector : vectors_) {
      ADCL_Vector_deregister(&vector);
    }
    ADCL_Vmap_free(&vmap_);
    ADCL_Topology_free(&topology_);
  }

  void start(std::size_t index) override {
    if (!searching_) [[likely]] {
      begin(requests_[index]);
      return;
    }
    const double begun = MPI_Wtime();
    begin(requests_[index]);
    searching_seconds_ += MPI_Wtime() - begun;
  }

  void finish(std::size_t index) override {
    if (!searching_) [[likely]] {
      end(requests_[index]);
      return;
    }
    const double begun = MPI_Wtime();
    end(requests_[index]);
    searching_seconds_ += MPI_Wtime() - begun;
    ++searching_starts_;
    searching_ = apps::is_searching(requests_[index]);
  }

  bool sum(std::span<double> values) override {
    if (requests_.size() == arrays_) {
      return false;
    }
    own_.fill(0.0);
    std::ranges::copy(values, own_.begin());
    check(ADCL_Request_start(requests_.back()));
    std::copy_n(sums_.begin(), values.size(), values.begin());
    return true;
  }

  [[nodiscard]] std::unique_ptr<Tuning> tuning() const override {
    auto result = std::make_unique<Tuning>(apps::tuning_of(requests_));
    result->searching_starts = searching_starts_;
    result->searching_seconds = searching_seconds_;
    return result;
  }

 protected:
  virtual void begin(ADCL_Request request) { check(ADCL_Request_start(request)); }
  virtual void end(ADCL_Request) {}
  [[nodiscard]] std::vector<ADCL_Request>& requests() { return requests_; }

 private:
  Library library_;
  ADCL_Topology topology_ = ADCL_TOPOLOGY_NULL;
  ADCL_Vmap vmap_ = ADCL_VMAP_NULL;
  std::vector<ADCL_Vector> vectors_;
  std::size_t arrays_;
  std::vector<ADCL_Request> requests_;
  std::array<double, largest_sum> own_{};
  std::array<double, largest_sum> sums_{};
  bool searching_ = true;
  int searching_starts_ = 0;
  double searching_seconds_ = 0.0;
};

class AdaptiveOverlap final : public Adaptive {
 public:
  using Adaptive::Adaptive;
  [[nodiscard]] bool overlaps() const override { return true; }

 protected:
  void begin(ADCL_Request request) override { check(ADCL_Request_init(request)); }
  void end(ADCL_Request request) override { check(ADCL_Request_wait(request)); }
};

/// Chooses by the time of an iteration of the solver, from one exchange of its first array to the next.
class AdaptiveTimed final : public Adaptive {
 public:
  AdaptiveTimed(const Grid& grid, std::span<double* const> arrays, bool sums) : Adaptive(grid, arrays, sums) {
    check(ADCL_Timer_create(static_cast<int>(requests().size()), requests().data(), &timer_));
  }
  AdaptiveTimed(const AdaptiveTimed&) = delete;
  AdaptiveTimed& operator=(const AdaptiveTimed&) = delete;
  ~AdaptiveTimed() override {
    if (runs_) {
      ADCL_Timer_stop(timer_);
    }
    ADCL_Timer_free(&timer_);
  }

  void start(std::size_t index) override {
    if (index == odd_array) {
      if (runs_) {
        check(ADCL_Timer_stop(timer_));
      }
      check(ADCL_Timer_start(timer_));
      runs_ = true;
    }
    Adaptive::start(index);
  }

 private:
  ADCL_Timer timer_ = ADCL_TIMER_NULL;
  bool runs_ = false;
};

}  // namespace

ExchangePointer make_adcl(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Adaptive>(grid, arrays);
}

ExchangePointer make_adcl_overlap(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<AdaptiveOverlap>(grid, arrays);
}

ExchangePointer make_adcl_timed(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<AdaptiveTimed>(grid, arrays, false);
}

ExchangePointer make_adcl_sums(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<Adaptive>(grid, arrays, true);
}

ExchangePointer make_adcl_sums_timed(const Grid& grid, std::span<double* const> arrays) {
  return std::make_unique<AdaptiveTimed>(grid, arrays, true);
}

}  // namespace solver3d
