/// \file suite.hpp
/// The framework of an MPI test program: start and end, common settings, time budget, watchdog, verdict of all ranks.
///
/// Environment variables, which rank 0 reads for all ranks:
///   ADCL_TEST_SEED      seed of all random choices; default: a new seed per run, printed
///   ADCL_TEST_PROBLEM   number of the random problem to run, instead of all
///   ADCL_TEST_CODELETS  names, separated by commas, of the codelets to run
///   ADCL_TEST_SECONDS   time for random problems per loop, instead of the test's own
///   ADCL_TEST_SHARE     factor on the test's own time, default 1
///   ADCL_TEST_WATCHDOG  seconds of processor time after which a step counts as a deadlock, default 40
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace adcl::test {

class Suite {
 public:
  Suite();

  [[nodiscard]] int rank() const noexcept { return rank_; }  ///< in MPI_COMM_WORLD
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] bool wants_codelet(const std::string& name) const;

  /// Sets the description of this rank's next step and restarts the watchdog. A rank whose step takes too long prints
  /// it and aborts the program. Local.
  void step(const std::string& what);

  /// Sets the limit of the watchdog from the next step on, unless the environment sets it.
  void be_patient(int seconds) noexcept;

  /// Records a failure of this rank and prints it with rank and current step. Local.
  void fail(const std::string& message);
  void expect(bool condition, const std::string& message) {
    if (!condition) {
      fail(message);
    }
  }
  /// Calls \p body(seed of the problem) for problems 0, 1, ... until \p seconds are over, at least once. A long body
  /// must check has_time(). Collective over MPI_COMM_WORLD.
  void repeat(const char* what, double seconds, const std::function<void(std::uint64_t)>& body);
  /// Starts a time budget of \p seconds for a loop of the program.
  void allow(double seconds);
  /// True while the time of repeat() or allow() is not over. The same on all ranks of \p comm, over which it is
  /// collective.
  [[nodiscard]] bool has_time(MPI_Comm comm) const;

  /// Counts an exchange for the summary line.
  void exchanged() noexcept { ++exchanges_; }
  /// Counts a codelet; \p reason is empty if it is applicable to the problem.
  void count_codelet(const std::string& codelet, const std::string& reason);

  /// Prints the summary lines and returns the exit code of all ranks. Collective over MPI_COMM_WORLD.
  int verdict(const char* program);

 private:
  struct Count {
    std::string codelet;
    int done = 0;
    int refused = 0;
    std::string last_reason;
  };
  int rank_ = 0;
  int size_ = 1;
  std::uint64_t seed_ = 0;
  double seconds_ = -1;
  double share_ = 1;
  long long only_problem_ = -1;
  std::string codelets_;
  int watchdog_s_ = 0;  ///< 0: not given by the environment
  int patience_s_ = 40;
  std::chrono::steady_clock::time_point deadline_;
  std::string loop_;  ///< current loop of repeat()
  std::string step_;
  std::vector<std::string> failures_;
  std::vector<Count> counts_;
  long long exchanges_ = 0;
};

/// Calls MPI_Init, initializes ADCL's MPI environment, runs \p body, prints the verdict and calls MPI_Finalize. An
/// exception ends all ranks.
int run_suite(int argc, char** argv, const std::function<void(Suite&)>& body);

}  // namespace adcl::test
