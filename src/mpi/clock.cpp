#include "mpi/clock.hpp"

#include <bit>
#include <chrono>
#include <limits>

#include "mpi/check.hpp"

namespace adcl::mpi {

namespace {

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of several readings the one during which the least time went by.
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

}  // namespace

bool wtime_is_global() {
  static const bool global = [] {
    void* value = nullptr;
    int found = 0;
    const int code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, static_cast<void*>(&value), &found);
    return code == MPI_SUCCESS && found != 0 && value != nullptr && *static_cast<const int*>(value) != 0;
  }();
  return global;
}

double node_clock_offset_s() {
  static const double offset_s = wtime_is_global() ? 0.0 : measured_offset_s();
  return offset_s;
}

double node_clock_s() { return MPI_Wtime() + node_clock_offset_s(); }

double clock_offset_s(MPI_Comm comm, int tag, const std::function<double()>& clock_s) {
  constexpr int questions = 10;
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const auto highest_bit = std::bit_floor(static_cast<unsigned>(rank));
  double offset_s = 0.0;
  if (rank > 0) {
    const int teacher = rank - static_cast<int>(highest_bit);
    double soonest_s = std::numeric_limits<double>::infinity();
    for (int i = 0; i < questions; ++i) {
      const double asked_s = clock_s();
      double answer_s = 0.0;
      check(MPI_Sendrecv(nullptr, 0, MPI_BYTE, teacher, tag, &answer_s, 1, MPI_DOUBLE, teacher, tag, comm,
                         MPI_STATUS_IGNORE),
            "MPI_Sendrecv");
      const double told_s = clock_s();
      if (told_s - asked_s < soonest_s) {
        soonest_s = told_s - asked_s;
        offset_s = answer_s - (asked_s + told_s) / 2.0;
      }
    }
  }
  for (long long step = rank == 0 ? 1 : 2LL * highest_bit; rank + step < size; step *= 2) {
    const int learner = rank + static_cast<int>(step);
    for (int i = 0; i < questions; ++i) {
      check(MPI_Recv(nullptr, 0, MPI_BYTE, learner, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      const double now_s = clock_s() + offset_s;
      check(MPI_Send(&now_s, 1, MPI_DOUBLE, learner, tag, comm), "MPI_Send");
    }
  }
  return offset_s;
}

}  // namespace adcl::mpi
