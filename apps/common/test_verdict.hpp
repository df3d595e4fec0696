/// \file test_verdict.hpp
/// Checks of a test program, combined over all ranks at its end.
#pragma once

#include <mpi.h>

#include <iostream>
#include <string>

namespace apps {

class TestVerdict {
 public:
  /// Prints the first few failures of this rank. Local.
  void expect(bool condition, const std::string& what) {
    ++expectations_;
    if (!condition && ++failures_ <= shown_at_most) {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      std::cerr << "rank " + std::to_string(rank) + ": FAILED: " + what + "\n" << std::flush;
    }
  }

  /// The exit code, the same on all ranks. A test without checks has failed. Collective over MPI_COMM_WORLD.
  [[nodiscard]] int exit_code() const {
    int verdict[2] = {failures_, expectations_ == 0 ? 1 : 0};
    MPI_Allreduce(MPI_IN_PLACE, verdict, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return verdict[0] == 0 && verdict[1] == 0 ? 0 : 1;
  }

 private:
  static constexpr int shown_at_most = 10;
  int expectations_ = 0;
  int failures_ = 0;
};

}  // namespace apps
