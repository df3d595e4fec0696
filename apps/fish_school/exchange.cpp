#include "exchange.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cells.hpp"

namespace fish_school {
namespace {

enum Tag { tag_visible };

constexpr int doubles_per_cluster = 5;
static_assert(sizeof(Cluster) == doubles_per_cluster * sizeof(double));

int bytes_of(std::size_t fish) {
  if (fish > std::numeric_limits<int>::max() / sizeof(Fish)) {
    throw std::length_error(std::to_string(fish) + " fish are too many for one message; use more processes");
  }
  return static_cast<int>(fish * sizeof(Fish));
}

/// The first fish of each cluster, and the end.
std::vector<std::size_t> begins_of(const Cluster* first, std::size_t count) {
  std::vector<std::size_t> begins(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    begins[i + 1] = begins[i] + static_cast<std::size_t>(first[i].count);
  }
  return begins;
}

}  // namespace

Exchange::Exchange(MPI_Comm comm) : comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  firsts_.resize(static_cast<std::size_t>(ranks_) + 1);
}

void Exchange::announce(const std::vector<Cluster>& mine) {
  const auto processes = static_cast<std::size_t>(ranks_);
  std::vector<int> counts(processes);
  const int count = static_cast<int>(mine.size()) * doubles_per_cluster;
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
  std::vector<int> begins(processes);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  all_.resize(static_cast<std::size_t>(begins.back() + counts.back()) / doubles_per_cluster);
  MPI_Allgatherv(mine.data(), count, MPI_DOUBLE, all_.data(), counts.data(), begins.data(), MPI_DOUBLE, comm_);
  std::transform(begins.begin(), begins.end(), firsts_.begin(), [](int begin) { return begin / doubles_per_cluster; });
  firsts_.back() = static_cast<int>(all_.size());
}

void Exchange::migrate(std::vector<Fish>& fish) const {
  const std::vector<int> owners = distribute(all_, ranks_);
  const std::size_t first = first_of(rank_);
  const std::size_t count = first_of(rank_ + 1) - first;
  const std::vector<std::size_t> begins = begins_of(all_.data() + first, count);
  const auto processes = static_cast<std::size_t>(ranks_);
  std::vector<Fish> leaving;
  leaving.reserve(fish.size());
  std::vector<int> send_counts(processes);
  std::vector<int> send_begins(processes);
  for (std::size_t process = 0; process < processes; ++process) {
    const std::size_t before = leaving.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (owners[first + i] == static_cast<int>(process)) {
        leaving.insert(leaving.end(), fish.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                       fish.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
      }
    }
    send_begins[process] = bytes_of(before);
    send_counts[process] = bytes_of(leaving.size()) - send_begins[process];
  }
  std::vector<int> receive_counts(processes);
  std::vector<int> receive_begins(processes);
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, comm_);
  std::exclusive_scan(receive_counts.begin(), receive_counts.end(), receive_begins.begin(), 0);
  fish.resize(static_cast<std::size_t>(receive_begins.back() + receive_counts.back()) / sizeof(Fish));
  MPI_Alltoallv(leaving.data(), send_counts.data(), send_begins.data(), MPI_BYTE, fish.data(), receive_counts.data(),
                receive_begins.data(), MPI_BYTE, comm_);
}

void Exchange::send(const std::vector<std::vector<Fish>>& messages, std::vector<MPI_Request>& requests) {
  for (int process = 0; process < ranks_; ++process) {
    const std::vector<Fish>& message = messages[static_cast<std::size_t>(process)];
    if (!message.empty()) {
      const int bytes = bytes_of(message.size());
      MPI_Isend(message.data(), bytes, MPI_BYTE, process, tag_visible, comm_, &requests.emplace_back());
      traffic_.messages += 1;
      traffic_.bytes += bytes;
      traffic_.largest = std::max<std::int64_t>(traffic_.largest, bytes);
    }
  }
}

std::vector<Fish> Exchange::fetch_visible(const std::vector<Fish>& fish, unsigned pause) {
  const std::size_t first = first_of(rank_);
  const std::size_t last = first_of(rank_ + 1);
  const std::vector<std::size_t> begins = begins_of(all_.data() + first, last - first);
  std::vector<Vector> centres(all_.size());
  std::transform(all_.begin(), all_.end(), centres.begin(), [](const Cluster& cluster) { return cluster.centre; });
  const Cells cells(centres, 2.0 * cluster_radius + 1.01 * vision_radius);
  std::vector<int> process_of(all_.size());
  for (int process = 0; process < ranks_; ++process) {
    std::fill(process_of.begin() + static_cast<std::ptrdiff_t>(first_of(process)),
              process_of.begin() + static_cast<std::ptrdiff_t>(first_of(process + 1)), process);
  }
  // Sender and receiver evaluate the same symmetric condition, so their messages match.
  const auto processes = static_cast<std::size_t>(ranks_);
  std::vector<std::vector<Fish>> sent(processes);
  std::vector<std::size_t> expected(processes, 0);
  std::vector<char> counted(all_.size(), 0);
  for (std::size_t mine = first; mine < last; ++mine) {
    std::vector<char> goes_to(processes, 0);
    cells.near(centres[mine], [&](std::size_t other) {
      const auto process = static_cast<std::size_t>(process_of[other]);
      if (process_of[other] == rank_ || !in_sight(all_[mine], all_[other])) {
        return;
      }
      goes_to[process] = 1;
      if (counted[other] == 0) {
        counted[other] = 1;
        expected[process] += static_cast<std::size_t>(all_[other].count);
      }
    });
    for (std::size_t process = 0; process < processes; ++process) {
      if (goes_to[process] != 0) {
        sent[process].insert(sent[process].end(), fish.begin() + static_cast<std::ptrdiff_t>(begins[mine - first]),
                             fish.begin() + static_cast<std::ptrdiff_t>(begins[mine - first + 1]));
      }
    }
  }
  std::vector<Fish> visible(std::accumulate(expected.begin(), expected.end(), std::size_t{0}));
  std::vector<MPI_Request> requests;
  if (pause > 0) {
    send(sent, requests);
    usleep(pause);  // SimGrid replaces this call with a simulated one.
  }
  Fish* place = visible.data();
  for (int process = 0; process < ranks_; ++process) {
    const std::size_t count = expected[static_cast<std::size_t>(process)];
    if (count > 0) {
      MPI_Irecv(place, bytes_of(count), MPI_BYTE, process, tag_visible, comm_, &requests.emplace_back());
      place += count;
    }
  }
  if (pause == 0) {
    send(sent, requests);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return visible;
}

}  // namespace fish_school
