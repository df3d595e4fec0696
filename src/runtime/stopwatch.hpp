/// \file stopwatch.hpp
/// The one place where the library reads the clock, which is MPI_Wtime and nothing else: simulators and traces agree.
#pragma once

#include <mpi.h>

namespace adcl::runtime {

/// Seconds since some moment in the past; only differences on one rank mean something.
inline double now() { return MPI_Wtime(); }

/// Adds up the time that an operation spends inside the library. One that does not measure never reads the clock.
class Stopwatch {
 public:
  Stopwatch() = default;
  explicit Stopwatch(bool measures) noexcept : measures_(measures) {}
  [[nodiscard]] bool measures() const noexcept { return measures_; }
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

  /// While it lives, the watch runs.
  class Lap {
   public:
    explicit Lap(Stopwatch& watch) : watch_(watch), begin_(watch.measures_ ? now() : 0.0) {}
    ~Lap() {
      if (watch_.measures_) {
        watch_.seconds_ += now() - begin_;
      }
    }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;

   private:
    Stopwatch& watch_;
    double begin_;
  };

 private:
  bool measures_ = false;
  double seconds_ = 0.0;
};

}  // namespace adcl::runtime
