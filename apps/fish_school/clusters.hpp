/// \file clusters.hpp
/// The unit of distribution: fish around a center. After R. Solar, R. Suppi and E. Luque (High performance distributed
/// cluster-based individual-oriented fish school simulation, ICCS 2011): clusters by covering radius, nearby clusters
/// on the same process, and communication between processes whose clusters can see each other. Pure.
#pragma once

#include <vector>

#include "fish.hpp"

namespace fish_school {

inline constexpr double cluster_radius = 4.0;

/// Description of a cluster that all processes get. It contains only doubles, so it is sent as an array of them.
struct Cluster {
  Vector centre{};
  double radius = 0.0;  ///< distance of the farthest fish from the center
  double count = 0.0;
};

/// Sorts the fish by cluster. Every fish that is not within the radius of a center becomes a new center.
std::vector<Cluster> make_clusters(std::vector<Fish>& fish);

/// Returns true if a fish of one cluster may see a fish of the other cluster. Exactly symmetric.
bool in_sight(const Cluster& a, const Cluster& b) noexcept;

/// Assigns each cluster to one of \p parts processes, so that each process has about the same number of fish in one
/// region: repeatedly halves the set along its longest side. Deterministic.
std::vector<int> distribute(const std::vector<Cluster>& clusters, int parts);

}  // namespace fish_school
