/// \file exchange.hpp
/// Communication between the processes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "clusters.hpp"

namespace fish_school {

struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  std::int64_t largest = 0;
};

class Exchange {
 public:
  explicit Exchange(MPI_Comm comm);

  /// Sends the clusters of this process to all processes. Collective.
  void announce(const std::vector<Cluster>& mine);

  /// Sends every cluster to its new process. \p fish are sorted by the clusters announced last. Collective.
  void migrate(std::vector<Fish>& fish) const;

  /// The fish of other processes that the fish of this process may see: one message between each pair of processes
  /// whose clusters are in sight of each other. \p fish are sorted by the clusters announced last. If
  /// \p pause is not 0, each process posts its receives that many microseconds after its sends. Collective.
  std::vector<Fish> fetch_visible(const std::vector<Fish>& fish, unsigned pause = 0);

  /// Messages that fetch_visible() sent from this process.
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

 private:
  [[nodiscard]] std::vector<Cluster> clusters_of(int process) const;
  /// Starts the messages to the processes, and counts them.
  void send(const std::vector<std::vector<Fish>>& messages, std::vector<MPI_Request>& requests);
  [[nodiscard]] std::size_t first_of(int process) const {
    return static_cast<std::size_t>(firsts_[static_cast<std::size_t>(process)]);
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<Cluster> all_;
  std::vector<int> firsts_;  ///< first cluster of each process in all_, and the end
  Traffic traffic_;
};

}  // namespace fish_school
