#include "sorter.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace is {
namespace {

constexpr int log_buckets = 10;
constexpr int most_buckets = 1 << log_buckets;
enum Tag { tag_edge };

}  // namespace

Sorter::Sorter(const ProblemClass& problem, MPI_Comm comm)
    : problem_(problem), comm_(comm), shift_(std::max(problem.log_largest - log_buckets, 0)) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  begin_ = problem.keys() * rank_ / ranks_;
  end_ = problem.keys() * (rank_ + 1) / ranks_;
  keys_ = make_keys(problem, begin_, end_);
  ordered_.resize(keys_.size());
  bucket_sizes_.resize(most_buckets);
  all_sizes_.resize(most_buckets);
  first_bucket_.resize(static_cast<std::size_t>(ranks_) + 1);
}

void Sorter::set_key(std::int64_t index, Key key) {
  if (owns(index)) {
    keys_[static_cast<std::size_t>(index - begin_)] = key;
  }
}

/// Assigns whole buckets to processes, so that each has about the same number of keys. The same on all processes.
void Sorter::divide_buckets() {
  std::fill(bucket_sizes_.begin(), bucket_sizes_.end(), 0);
  for (const Key key : keys_) {
    ++bucket_sizes_[static_cast<std::size_t>(key >> shift_)];
  }
  std::copy(bucket_sizes_.begin(), bucket_sizes_.end(), all_sizes_.begin());
  MPI_Allreduce(MPI_IN_PLACE, all_sizes_.data(), most_buckets, MPI_INT64_T, MPI_SUM, comm_);
  std::int64_t seen = 0;
  int process = 0;
  first_bucket_[0] = 0;
  for (int bucket = 0; bucket < most_buckets; ++bucket) {
    seen += all_sizes_[static_cast<std::size_t>(bucket)];
    while (process + 1 < ranks_ && seen >= problem_.keys() * (process + 1) / ranks_) {
      first_bucket_[static_cast<std::size_t>(++process)] = bucket + 1;
    }
  }
  first_bucket_.back() = most_buckets;
}

void Sorter::redistribute() {
  std::vector<std::int64_t> place(most_buckets, 0);
  std::exclusive_scan(bucket_sizes_.begin(), bucket_sizes_.end(), place.begin(), std::int64_t{0});
  const std::vector<std::int64_t> begins = place;
  for (const Key key : keys_) {
    ordered_[static_cast<std::size_t>(place[static_cast<std::size_t>(key >> shift_)]++)] = key;
  }
  const auto processes = static_cast<std::size_t>(ranks_);
  std::vector<int> send_counts(processes);
  std::vector<int> send_begins(processes);
  std::vector<int> receive_counts(processes);
  std::vector<int> receive_begins(processes);
  const auto begin_of = [&](int bucket) {
    return bucket == most_buckets ? static_cast<std::int64_t>(keys_.size()) : begins[static_cast<std::size_t>(bucket)];
  };
  for (std::size_t process = 0; process < processes; ++process) {
    send_begins[process] = static_cast<int>(begin_of(first_bucket_[process]));
    send_counts[process] = static_cast<int>(begin_of(first_bucket_[process + 1])) - send_begins[process];
  }
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, comm_);
  std::exclusive_scan(receive_counts.begin(), receive_counts.end(), receive_begins.begin(), 0);
  received_.resize(static_cast<std::size_t>(receive_begins.back() + receive_counts.back()));
  MPI_Alltoallv(ordered_.data(), send_counts.data(), send_begins.data(), MPI_INT32_T, received_.data(),
                receive_counts.data(), receive_begins.data(), MPI_INT32_T, comm_);
}

int Sorter::count_right(int iteration) {
  // The values of the checked keys are on the processes that generated them; the ranks are on the processes that
  // received them.
  std::array<std::int64_t, checked_keys> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t index = problem_.checks[i].index;
    values[i] = owns(index) ? keys_[static_cast<std::size_t>(index - begin_)] : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, values.data(), checked_keys, MPI_INT64_T, MPI_SUM, comm_);
  int right = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t at = values[i] - lowest_;
    if (at >= 0 && at < static_cast<std::int64_t>(smaller_.size())) {
      const bool same = smaller_[static_cast<std::size_t>(at)] == wanted_rank(problem_.checks[i], iteration);
      right += same ? 1 : 0;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_SUM, comm_);
  return right;
}

int Sorter::rank_keys(int iteration) {
  set_key(iteration, low_key(iteration));
  set_key(iteration + iterations, high_key(problem_, iteration));
  divide_buckets();
  redistribute();
  const int first = first_bucket_[static_cast<std::size_t>(rank_)];
  const int last = first_bucket_[static_cast<std::size_t>(rank_) + 1];
  const std::int64_t before = std::accumulate(all_sizes_.begin(), all_sizes_.begin() + first, std::int64_t{0});
  lowest_ = static_cast<Key>(std::min<std::int64_t>(std::int64_t{first} << shift_, problem_.largest()));
  const auto highest = static_cast<Key>(std::min<std::int64_t>(std::int64_t{last} << shift_, problem_.largest()));
  smaller_.assign(static_cast<std::size_t>(highest - lowest_), 0);
  for (const Key key : received_) {
    ++smaller_[static_cast<std::size_t>(key - lowest_)];
  }
  std::exclusive_scan(smaller_.begin(), smaller_.end(), smaller_.begin(), before);
  return count_right(iteration);
}

bool Sorter::sorted() const {
  std::int64_t before = 0;
  std::int64_t count = static_cast<std::int64_t>(received_.size());
  MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, comm_);
  before = rank_ == 0 ? 0 : before;
  constexpr Key none = -1;
  std::vector<Key> sorted(received_.size(), none);
  std::vector<std::int64_t> place = smaller_;
  bool good = true;
  for (const Key key : received_) {
    const std::int64_t value = key - lowest_;
    const bool known = value >= 0 && value < static_cast<std::int64_t>(place.size());
    const std::int64_t at = known ? place[static_cast<std::size_t>(value)]++ - before : -1;
    if (at < 0 || at >= count || sorted[static_cast<std::size_t>(at)] != none) {
      good = false;
      break;
    }
    sorted[static_cast<std::size_t>(at)] = key;
  }
  good = good && std::is_sorted(sorted.begin(), sorted.end()) && (sorted.empty() || sorted.front() != none);
  // A process without keys forwards the last key of the previous processes.
  Key edge = none;
  if (rank_ > 0) {
    MPI_Recv(&edge, 1, MPI_INT32_T, rank_ - 1, tag_edge, comm_, MPI_STATUS_IGNORE);
  }
  good = good && (sorted.empty() || edge <= sorted.front());
  if (rank_ + 1 < ranks_) {
    const Key last = sorted.empty() ? edge : sorted.back();
    MPI_Send(&last, 1, MPI_INT32_T, rank_ + 1, tag_edge, comm_);
  }
  std::array<std::int64_t, 2> verdict{count, good ? 0 : 1};
  MPI_Allreduce(MPI_IN_PLACE, verdict.data(), 2, MPI_INT64_T, MPI_SUM, comm_);
  return verdict[0] == problem_.keys() && verdict[1] == 0;
}

}  // namespace is
