/// \file clusters.hpp
/// The unit of distribution: fish around a centre. After R. Solar, R. Suppi and E. Luque (High performance distributed
/// cluster-based individual-oriented fish school simulation, ICCS 2011): clusters by covering radius, near clusters on
/// the same process, and communication between processes whose clusters can see each other. Pure.
#pragma once

#include <vector>

#include "fish.hpp"

namespace fish_school {

inline constexpr double cluster_radius = 4.0;

/// What the processes tell each other of their clusters. Only doubles, so that it travels as such.
struct Cluster {
  Vector centre{};
  double radius = 0.0;  ///< of the fish farthest from the centre
  double count = 0.0;
};

/// Sorts the fish by clusters; the clusters' fish follow each other. Every fish that is not within the radius of a
/// centre becomes a centre itself.
std::vector<Cluster> make_clusters(std::vector<Fish>& fish);

/// Whether a fish of one may see a fish of the other. The same both ways, to the bit.
bool in_sight(const Cluster& a, const Cluster& b) noexcept;

/// For each cluster one of \p parts processes, so that each has about the same number of fish in one region: halves the
/// set where it is longest, again and again. The same for the same clusters.
std::vector<int> distribute(const std::vector<Cluster>& clusters, int parts);

}  // namespace fish_school
