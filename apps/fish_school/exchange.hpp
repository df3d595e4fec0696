/// \file exchange.hpp
/// What the processes send each other.
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

  /// Tells all processes the clusters of this one. Collective.
  void announce(const std::vector<Cluster>& mine);

  /// Gives every cluster to the process that it shall belong to; \p fish are sorted by the clusters announced last.
  /// Collective.
  void migrate(std::vector<Fish>& fish) const;

  /// The fish of other processes that those of this one may see: one message between each pair of processes that have
  /// clusters in sight of each other. \p fish are sorted by the clusters announced last. Collective.
  std::vector<Fish> fetch_visible(const std::vector<Fish>& fish);

  /// Of fetch_visible(), sent by this process.
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }

 private:
  [[nodiscard]] std::vector<Cluster> clusters_of(int process) const;
  [[nodiscard]] std::size_t first_of(int process) const {
    return static_cast<std::size_t>(firsts_[static_cast<std::size_t>(process)]);
  }

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<Cluster> all_;
  std::vector<int> firsts_;  ///< of each process's clusters in all_; one more at the end
  Traffic traffic_;
};

}  // namespace fish_school
