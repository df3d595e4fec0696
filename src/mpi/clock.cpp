#include "mpi/clock.hpp"

#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <limits>

#include "mpi/library.hpp"

namespace adcl::mpi {

namespace {

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Reads both clocks several times and returns the offset from the reading that took the shortest time.
double measured_offset_s() {
  constexpr int readings = 16;
  double shortest_s = std::numeric_limits<double>::infinity();
  double offset_s = 0.0;
  for (int i = 0; i < readings; ++i) {
    const double before_s = MPI_Wtime();
    const double moment_s = monotonic_s();
    const double after_s = MPI_Wtime();
    if (after_s - before_s < shortest_s) {
      shortest_s = after_s - before_s;
      offset_s = moment_s - (before_s + after_s) / 2.0;
    }
  }
  return offset_s;
}

/// Whether MPI_Wtime is the same clock on all ranks. Intel MPI claims this (2021.18), but starts at 0 in each process.
bool wtime_is_global() {
  static const bool global = [] {
    if (library_version().starts_with("Intel")) {
      return false;
    }
    void* value = nullptr;
    int found = 0;
    const int code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, static_cast<void*>(&value), &found);
    return code == MPI_SUCCESS && found != 0 && value != nullptr && *static_cast<const int*>(value) != 0;
  }();
  return global;
}

}  // namespace

double node_clock_offset_s() {
  static const double offset_s = wtime_is_global() ? 0.0 : measured_offset_s();
  return offset_s;
}

double yield_core_s() {
  const double begin_s = MPI_Wtime();
  sched_yield();
  return MPI_Wtime() - begin_s;
}

}  // namespace adcl::mpi
