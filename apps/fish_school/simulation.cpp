#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "cells.hpp"

namespace fish_school {
namespace {

std::vector<Fish> newborns(const Options& options, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<Fish> fish;
  for (std::int64_t id = options.fish * rank / ranks; id < options.fish * (rank + 1) / ranks; ++id) {
    fish.push_back(newborn(id, options.fish, options.seed));
  }
  return fish;
}

/// Microseconds between the sends and the receives of a process with \p fish.
unsigned pause_of(const Options& options, std::size_t fish) {
  return static_cast<unsigned>(std::min<std::int64_t>(options.pause * static_cast<std::int64_t>(fish) / 1000,
                                                      std::numeric_limits<unsigned>::max()));
}

/// Advances all fish of this process by one step; they see each other and fish of other processes.
void advance(std::vector<Fish>& fish, const std::vector<Fish>& visible, std::uint64_t seed, int step) {
  std::vector<Vector> positions;
  positions.reserve(fish.size() + visible.size());
  const auto position = [](const Fish& member) { return member.position; };
  std::transform(fish.begin(), fish.end(), std::back_inserter(positions), position);
  std::transform(visible.begin(), visible.end(), std::back_inserter(positions), position);
  const Cells cells(positions, vision_radius);
  std::vector<Fish> next;
  next.reserve(fish.size());
  for (const Fish& self : fish) {
    Impression impression;
    cells.near(self.position,
               [&](std::size_t i) { impression.see(self, i < fish.size() ? fish[i] : visible[i - fish.size()]); });
    next.push_back(impression.react(self, seed, step));
  }
  fish.swap(next);
}

}  // namespace

Record summarize(const Options& options, const std::vector<Fish>& fish, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  OrderlessSum headings;
  // Integers, whose sums do not depend on the order: the number of fish, their mixed ids, and the mixed states.
  std::array<std::uint64_t, 4> sums{fish.size(), 0, 0, 0};
  for (const Fish& member : fish) {
    headings.add(member.heading, 1.0);
    sums[1] += digest(member.id);
    sums[2] += digest(member);
  }
  for (std::int64_t id = options.fish * rank / ranks; id < options.fish * (rank + 1) / ranks; ++id) {
    sums[3] += digest(id);
  }
  std::array<long long, 3> heading = headings.raw();
  auto most = static_cast<std::int64_t>(fish.size());
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 4, MPI_UINT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, heading.data(), 3, MPI_LONG_LONG, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  Record record;
  record.fish = static_cast<std::int64_t>(sums[0]);
  record.complete = record.fish == options.fish && sums[1] == sums[3];
  record.checksum = sums[2];
  record.most_fish = most;
  const Vector sum{static_cast<double>(heading[0]), static_cast<double>(heading[1]), static_cast<double>(heading[2])};
  record.polarization = std::sqrt(square(sum)) / 0x1p30 / static_cast<double>(options.fish);
  return record;
}

Record simulate(const Options& options, MPI_Comm comm) {
  std::vector<Fish> fish = newborns(options, comm);
  Exchange exchange(comm);
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (int step = 0; step < options.steps; ++step) {
    exchange.announce(make_clusters(fish));
    if (step % options.rebalance == 0) {
      exchange.migrate(fish);
      exchange.announce(make_clusters(fish));
    }
    const std::vector<Fish> visible = exchange.fetch_visible(fish, pause_of(options, fish.size()));
    advance(fish, visible, options.seed, step);
  }
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  Record record = summarize(options, fish, comm);
  record.seconds = seconds;
  record.traffic = exchange.traffic();
  MPI_Allreduce(MPI_IN_PLACE, &record.traffic.messages, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &record.traffic.bytes, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &record.traffic.largest, 1, MPI_INT64_T, MPI_MAX, comm);
  return record;
}

}  // namespace fish_school
