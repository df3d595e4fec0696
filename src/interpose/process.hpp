/// \file process.hpp
/// The interposer's state in this process: whether it is active, its options, and the results for the report.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "interpose/search.hpp"
#include "interpose/user_history.hpp"
#include "mpi/environment.hpp"
#include "mpi/own_calls.hpp"
#include "options/options.hpp"
#include "profile/calls.hpp"

namespace adcl::interpose {

enum class Phase {
  unknown,  ///< MPI is not initialized yet
  on,
  off  ///< all calls are passed through
};
inline constinit std::atomic<Phase> phase{Phase::unknown};

/// Calls that were passed through, by function.
inline constinit std::array<std::atomic<std::uint64_t>, profile::call_count> passed{};

/// Values of the variables ADCL_INTERPOSE_*.
struct Options {
  std::string report;  ///< absolute path; empty: no report
  bool any_bits = false;
  bool measures = false;  ///< ADCL_INTERPOSE=measure: no codelet goes into production
  bool denied = false;    ///< by ADCL_INTERPOSE_PROGRAMS or ADCL_INTERPOSE_HOSTS
  double budget = 0.02;   ///< fraction of the time in the calls that searches may cost
};

class Process {
 public:
  /// Reads the options. Local; MPI is initialized.
  Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() = default;

  /// Key of the attribute that holds a Communicator.
  [[nodiscard]] int key() const noexcept { return key_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  /// The settings of requests: the options of libadcl in the environment, without report and trace.
  [[nodiscard]] const std::shared_ptr<const runtime::Settings>& settings() const noexcept { return settings_; }
  /// Expected seconds for reading the history when a process with this rank in the communicator creates a request.
  [[nodiscard]] double reading_s(int rank) const noexcept {
    return rank == 0 && settings_->deferred_history != nullptr ? interpose::reading_s : 0.0;
  }
  /// Creates the objects that contexts need, at the first call. Local. Throws Error.
  void open_environment();
  /// Stores the results of a search that is being destroyed.
  void keep(Summary summary);
  /// Seconds since the first intercepted call.
  [[nodiscard]] double seconds() const;
  /// Results of all searches that were stored with keep().
  [[nodiscard]] const std::vector<Summary>& summaries() const noexcept { return summaries_; }
  /// Results of end() for the report.
  [[nodiscard]] const HistoryUse& history() const noexcept { return history_; }
  /// Writes the history and the report, and passes all calls through from now on. Called in MPI_Finalize.
  void end();

 private:
  int key_ = MPI_KEYVAL_INVALID;
  Options options_;
  std::shared_ptr<const runtime::Settings> settings_;
  std::unique_ptr<mpi::FinalizeHook> hook_;
  std::mutex mutex_;
  bool environment_open_ = false;
  double begin_s_ = 0.0;
  std::vector<Summary> summaries_;
  HistoryUse history_;
};

/// The object of this process. \pre phase is on
Process& process();

/// Sets the phase and returns whether it is on.
bool begin_process();

/// Whether the call comes from libadcl, if the program uses it.
bool inside_libadcl() noexcept;
/// Looks for libadcl, which the program may load at any time.
void find_libadcl() noexcept;

/// Whether the interposer handles this call; otherwise it is passed through.
inline bool handles_calls() {
  if (mpi::own_calls_depth > 0) {
    return false;
  }
  const Phase now = phase.load(std::memory_order_acquire);
  return (now == Phase::on || (now == Phase::unknown && begin_process())) && !inside_libadcl();
}

/// Calls the error handler of the program's communicator, like a failed MPI call. Returns the code.
int raise_error(MPI_Comm comm) noexcept;

/// Whether a GPU runtime library is loaded. The program's data may then be in GPU memory.
bool has_gpu_runtime();

}  // namespace adcl::interpose
