/// \file persistent.hpp
/// The persistent collective requests of the program whose starts may run codelets.
///
/// The program keeps the MPI library's own request. While a codelet performs an operation, the MPI library's request is
/// inactive, so calls such as MPI_Waitall ignore it; request_calls.cpp intercepts these calls and completes the
/// codelet's operation.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "interpose/communicator.hpp"
#include "interpose/persistent_search.hpp"

namespace adcl::interpose {

/// Requests whose starts a PersistentSearch performs.
inline constinit std::atomic<int> tracked_requests{0};
/// Operations of these requests that PersistentSearch::finish() must complete.
inline constinit std::atomic<int> operations_in_flight{0};

/// The search of a request; null if its calls are passed through.
PersistentSearch* find_persistent(MPI_Request request);
/// Passes the calls of a request through from now on.
void forget_persistent(MPI_Request request);

/// Runs an intercepted call of an initialization function: \p native, then the search if there is one. Returns MPI's
/// code.
int run_init(profile::Call function, const CollectiveCall& call, const NativeCall& native, const MPI_Request* request);

/// The searches of the persistent requests of a communicator.
class PersistentSet {
 public:
  explicit PersistentSet(Communicator& home) : home_(home) {}

  /// Returns the search that serves a new request, or null. Collective; may throw the same error on all ranks.
  PersistentSearch* take(const Key& key);

  /// Keeps the searches until MPI_Finalize if the program may still have requests of the communicator.
  static void retire(std::unique_ptr<PersistentSet> set);
  /// Destroys the searches of retire(). Collective over MPI_COMM_WORLD.
  static void end_retired();
  /// Stores the results.
  void keep_summaries() const;

 private:
  [[nodiscard]] std::uint64_t proposal(const Key& key) const;

  Communicator& home_;
  std::int64_t inits_ = 0;
  std::vector<std::unique_ptr<PersistentSearch>> searches_;  ///< the same on all ranks
};

}  // namespace adcl::interpose
