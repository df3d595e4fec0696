/// \file sorter.hpp
/// Ranks all keys: the rank is the number of smaller keys. Each key is sent to the process that is responsible for its
/// range of values.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace is {

class Sorter {
 public:
  /// Collective. Works with any number of processes.
  Sorter(const ProblemClass& problem, MPI_Comm comm);

  /// One iteration: sets two keys, redistributes all keys, and ranks them. Returns how many of the five checked keys
  /// have the required rank, the same on all processes. Collective.
  int rank_keys(int iteration);

  /// Returns true if the ranks sort the keys: puts the keys of the last iteration in order, and checks that none is
  /// missing and none is smaller than the previous one, also across processes. Collective.
  bool sorted() const;

  /// The keys of this process as generated; tests modify one.
  std::vector<Key>& keys() noexcept { return keys_; }
  /// The keys that this process received in the last iteration.
  std::vector<Key>& received() noexcept { return received_; }

 private:
  [[nodiscard]] bool owns(std::int64_t index) const noexcept { return index >= begin_ && index < end_; }
  void set_key(std::int64_t index, Key key);
  void divide_buckets();
  void redistribute();
  int count_right(int iteration);

  const ProblemClass& problem_;
  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::int64_t begin_ = 0;  ///< first generated key of this process
  std::int64_t end_ = 0;
  int shift_ = 0;  ///< shift of a key that gives its bucket
  std::vector<Key> keys_;
  std::vector<Key> ordered_;  ///< keys_ by buckets
  std::vector<Key> received_;
  std::vector<int> bucket_sizes_;        ///< bucket sizes of this process
  std::vector<std::int64_t> all_sizes_;  ///< bucket sizes summed over all processes
  std::vector<int> first_bucket_;        ///< first bucket of each process, and the end
  std::vector<std::int64_t> smaller_;    ///< number of smaller keys, for each key value of this process
  Key lowest_ = 0;                       ///< lowest key value of this process
};

}  // namespace is
