/// \file stopwatch.hpp
/// The one place where the library takes times, all of them by MPI_Wtime: simulators and traces agree.
#pragma once

#include <mpi.h>

namespace adcl::measure {

/// Seconds since some moment in the past; only differences on one rank mean something.
inline double now() { return MPI_Wtime(); }

/// What a thread has spent inside of the library, as far as stopwatches measured it; only differences mean something.
struct LibraryTime {
  double preparation_s = 0.0;  ///< in plans and agreements
  double operations_s = 0.0;   ///< in operations
};
inline thread_local LibraryTime library_time;

/// Adds up the time that an operation, or what prepares it, spends inside the library. One that does not measure never
/// reads the clock.
class Stopwatch {
 public:
  Stopwatch() = default;
  explicit Stopwatch(bool measures, double LibraryTime::*total = &LibraryTime::operations_s) noexcept
      : measures_(measures), total_(total) {}
  [[nodiscard]] bool measures() const noexcept { return measures_; }
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

  /// While it lives, the watch runs.
  class Lap {
   public:
    explicit Lap(Stopwatch& watch) : watch_(watch), begin_(watch.measures_ ? now() : 0.0) {}
    ~Lap() {
      if (watch_.measures_) {
        const double elapsed_s = now() - begin_;
        watch_.seconds_ += elapsed_s;
        library_time.*watch_.total_ += elapsed_s;
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
  double LibraryTime::*total_ = &LibraryTime::operations_s;
  double seconds_ = 0.0;
};

}  // namespace adcl::measure
