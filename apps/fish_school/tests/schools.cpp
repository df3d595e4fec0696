// ranks: 1 2 3 4
// timeout: 60
// Any number of processes computes the same school as one process. Every fish sees the fish that a search over all fish
// finds. Lost and duplicated fish are detected. Messages grow with the school.
#include <algorithm>
#include <numeric>
#include <string>

#include "cells.hpp"
#include "common/test_verdict.hpp"
#include "simulation.hpp"

namespace {

using apps::TestVerdict;
using fish_school::Cluster;
using fish_school::Fish;
using fish_school::Options;
using fish_school::Record;

std::vector<Fish> school(std::int64_t count, std::uint64_t seed) {
  std::vector<Fish> fish;
  for (std::int64_t id = 0; id < count; ++id) {
    fish.push_back(fish_school::newborn(id, count, seed));
  }
  return fish;
}

/// Computed without clusters, cells or messages.
std::uint64_t plain_checksum(const Options& options) {
  std::vector<Fish> fish = school(options.fish, options.seed);
  for (int step = 0; step < options.steps; ++step) {
    std::vector<Fish> next;
    for (const Fish& self : fish) {
      fish_school::Impression impression;
      std::for_each(fish.rbegin(), fish.rend(), [&](const Fish& other) { impression.see(self, other); });
      next.push_back(impression.react(self, options.seed, step));
    }
    fish.swap(next);
  }
  std::uint64_t sum = 0;
  for (const Fish& member : fish) {
    sum += fish_school::digest(member);
  }
  return sum;
}

void check_result(TestVerdict& verdict) {
  for (const std::int64_t count : {1, 2, 37, 300}) {
    for (const int rebalance : {1, 7}) {
      const Options options{.fish = count, .steps = 12, .rebalance = rebalance, .seed = 5};
      const Record record = fish_school::simulate(options, MPI_COMM_WORLD);
      const std::string what =
          std::to_string(count) + " fish, rebalanced every " + std::to_string(rebalance) + " steps";
      verdict.expect(record.complete, what + ": fish are missing");
      verdict.expect(record.checksum == plain_checksum(options),
                     what + ": the school differs from the undistributed one");
      verdict.expect(record.polarization >= 0.0 && record.polarization <= 1.0 + 1e-6, what + ": polarization");
    }
  }
}

/// The school aligns, and another seed gives another school.
void check_behavior(TestVerdict& verdict) {
  Options options{.fish = 200, .steps = 1};
  const Record early = fish_school::simulate(options, MPI_COMM_WORLD);
  options.steps = 40;
  const Record late = fish_school::simulate(options, MPI_COMM_WORLD);
  options.seed = 2;
  const Record other = fish_school::simulate(options, MPI_COMM_WORLD);
  verdict.expect(late.polarization > 2.0 * early.polarization, "polarization " + std::to_string(early.polarization) +
                                                                   " becomes " + std::to_string(late.polarization));
  verdict.expect(other.checksum != late.checksum, "the seed changes nothing");
}

void check_loss(TestVerdict& verdict) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Options options{.fish = 50};
  std::vector<Fish> fish = rank == 0 ? school(50, 1) : std::vector<Fish>{};
  verdict.expect(fish_school::summarize(options, fish, MPI_COMM_WORLD).complete, "all fish are there");
  if (rank == 0) {
    fish.back() = fish.front();
  }
  verdict.expect(!fish_school::summarize(options, fish, MPI_COMM_WORLD).complete, "one is duplicated and one is lost");
  if (rank == 0) {
    fish.pop_back();
  }
  verdict.expect(!fish_school::summarize(options, fish, MPI_COMM_WORLD).complete, "one is lost");
}

void check_messages(TestVerdict& verdict) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Record small = fish_school::simulate({.fish = 200, .steps = 5}, MPI_COMM_WORLD);
  const Record large = fish_school::simulate({.fish = 1600, .steps = 5}, MPI_COMM_WORLD);
  verdict.expect((small.traffic.messages > 0) == (ranks > 1), "messages of a small school");
  verdict.expect(ranks == 1 || large.traffic.largest > 2 * small.traffic.largest,
                 "messages do not grow with the school");
}

void check_clusters(TestVerdict& verdict) {
  std::vector<Fish> fish = school(500, 3);
  const std::vector<Cluster> clusters = fish_school::make_clusters(fish);
  std::size_t at = 0;
  for (const Cluster& cluster : clusters) {
    double radius = 0.0;
    for (int i = 0; i < static_cast<int>(cluster.count); ++i, ++at) {
      radius =
          std::max(radius, std::sqrt(fish_school::square(fish_school::difference(fish[at].position, cluster.centre))));
    }
    verdict.expect(radius == cluster.radius && radius <= fish_school::cluster_radius, "radius of a cluster");
  }
  verdict.expect(at == fish.size(), "clusters and school have different numbers of fish");
  for (const int parts : {1, 2, 3, 5, 8}) {
    const std::vector<int> part_of = fish_school::distribute(clusters, parts);
    std::vector<double> load(static_cast<std::size_t>(parts), 0.0);
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      load[static_cast<std::size_t>(part_of[i])] += clusters[i].count;
    }
    verdict.expect(*std::max_element(load.begin(), load.end()) < 1.5 * 500.0 / parts,
                   std::to_string(parts) + " parts are not balanced");
  }
}

void check_cells(TestVerdict& verdict) {
  const std::vector<Fish> fish = school(300, 4);
  std::vector<fish_school::Vector> points;
  for (const Fish& member : fish) {
    points.push_back(member.position);
  }
  const fish_school::Cells cells(points, 2.0);
  for (const fish_school::Vector& point : points) {
    std::vector<int> visits(points.size(), 0);
    cells.near(point, [&](std::size_t i) { ++visits[i]; });
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool near = fish_school::square(fish_school::difference(points[i], point)) <= 4.0;
      verdict.expect(visits[i] <= 1 && (visits[i] == 1 || !near), "a near point is missed or found twice");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  TestVerdict verdict;
  check_cells(verdict);
  check_clusters(verdict);
  check_result(verdict);
  check_behavior(verdict);
  check_loss(verdict);
  check_messages(verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
