/// \file requests.hpp
/// Owns persistent requests.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "mpi/check.hpp"
#include "mpi/environment.hpp"

namespace adcl::mpi {

/// A fixed number of persistent requests, null until they are created. They must be inactive when the list is
/// destroyed.
class PersistentRequests {
 public:
  explicit PersistentRequests(std::size_t count) : requests_(count, MPI_REQUEST_NULL) {}
  ~PersistentRequests() {
    if (is_finalized()) {
      return;
    }
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) {
        MPI_Request_free(&request);
      }
    }
  }
  PersistentRequests(const PersistentRequests&) = delete;
  PersistentRequests& operator=(const PersistentRequests&) = delete;

  [[nodiscard]] MPI_Request* data() noexcept { return requests_.data(); }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(requests_.size()); }
  /// Starts the first \p count requests. Open MPI returns an error from MPI_Startall with count 0.
  void start(int count) {
    if (count > 0) {
      check(MPI_Startall(count, requests_.data()), "MPI_Startall");
    }
  }

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace adcl::mpi
