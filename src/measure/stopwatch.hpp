/// \file stopwatch.hpp
/// The library's only clock for measurements. Uses MPI_Wtime, so that times are also valid in simulators.
#pragma once

#include <mpi.h>

namespace adcl::measure {

/// Seconds since an arbitrary time in the past; only differences on one rank are meaningful.
inline double now() { return MPI_Wtime(); }

/// Time of this thread in the library, as measured by all stopwatches. Only differences are meaningful.
struct LibraryTime {
  double preparation_s = 0.0;  ///< seconds in plans and agreements
  double operations_s = 0.0;   ///< seconds in operations
};
inline thread_local LibraryTime library_time;

/// Accumulates the time that an operation or its preparation spends in the library. Reads the clock only if measures().
class Stopwatch {
 public:
  Stopwatch() = default;
  explicit Stopwatch(bool measures, double LibraryTime::*total = &LibraryTime::operations_s) noexcept
      : measures_(measures), total_(total) {}
  [[nodiscard]] bool measures() const noexcept { return measures_; }
  [[nodiscard]] double seconds() const noexcept { return seconds_; }

  /// The stopwatch runs during the lifetime of a Lap.
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
