/// \file sorter.hpp
/// Ranks all keys: how many keys are smaller than each. Keys are sent to the process that has their range of values.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace is {

class Sorter {
 public:
  /// Collective. Takes any number of processes.
  Sorter(const ProblemClass& problem, MPI_Comm comm);

  /// One iteration: sets two keys anew, redistributes all, and ranks them. Returns how many of the five checked keys
  /// have the rank that they must have, the same on all processes. Collective.
  int rank_keys(int iteration);

  /// Whether every key is where its rank says: puts the keys of the last iteration in order, and looks whether none is
  /// missing and none is smaller than the one before it, across the processes too. Collective.
  bool sorted() const;

  /// The keys of this process as they were generated; for tests that spoil one.
  std::vector<Key>& keys() noexcept { return keys_; }
  /// Those that it was sent in the last iteration.
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
  std::int64_t begin_ = 0;  ///< of the generated keys that are this process's
  std::int64_t end_ = 0;
  int shift_ = 0;  ///< from a key to its bucket
  std::vector<Key> keys_;
  std::vector<Key> ordered_;  ///< keys_ by buckets
  std::vector<Key> received_;
  std::vector<int> bucket_sizes_;        ///< of this process
  std::vector<std::int64_t> all_sizes_;  ///< of all processes together
  std::vector<int> first_bucket_;        ///< of each process; one more at the end
  std::vector<std::int64_t> smaller_;    ///< for each key value of this process: how many keys of all are smaller
  Key lowest_ = 0;                       ///< key value of this process
};

}  // namespace is
