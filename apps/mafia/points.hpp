/// \file points.hpp
/// Points in a unit cube of many dimensions, some of them in clusters that are dense in a few dimensions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mafia {

/// A box in some of the dimensions; its points are uniformly distributed in all others.
struct Box {
  std::vector<int> dimensions;  ///< ascending
  std::vector<double> lower;    ///< lower bounds, one per dimension of the box
  std::vector<double> upper;
};

struct Points {
  std::size_t count = 0;
  std::vector<std::vector<double>> coordinates;  ///< coordinates by dimension, in [0, 1)
};

struct PointSettings {
  std::size_t points = 100000;
  int dimensions = 20;
  int clusters = 3;
  int cluster_dimensions = 5;
  double noise = 0.1;  ///< share of the points that belong to no cluster
  std::uint64_t seed = 1;
};

struct PlantedPoints {
  Points points;
  std::vector<Box> boxes;
};

/// Generates clusters of equal size, each in randomly chosen dimensions. Clusters overlap in no dimension.
/// \pre cluster_dimensions <= dimensions, clusters <= 6
PlantedPoints plant(const PointSettings& plan);

}  // namespace mafia
