#include "points.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace mafia {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double lower, double upper) {
  return std::uniform_real_distribution<>(lower, upper)(random);
}

/// Each cluster has its own stripe of every dimension, and a random position within it.
Box box_of(int cluster, const PointSettings& plan, Random& random) {
  std::vector<int> dimensions(static_cast<std::size_t>(plan.dimensions));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::shuffle(dimensions.begin(), dimensions.end(), random);
  dimensions.resize(static_cast<std::size_t>(plan.cluster_dimensions));
  std::sort(dimensions.begin(), dimensions.end());
  const double stripe = 1.0 / plan.clusters;
  const double width = 0.3 * stripe;
  Box box{dimensions, {}, {}};
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const double lower = stripe * cluster + uniform(random, 0.2 * stripe, 0.5 * stripe);
    box.lower.push_back(lower);
    box.upper.push_back(lower + width);
  }
  return box;
}

}  // namespace

PlantedPoints plant(const PointSettings& plan) {
  Random random(plan.seed);
  PlantedPoints planted;
  for (int cluster = 0; cluster < plan.clusters; ++cluster) {
    planted.boxes.push_back(box_of(cluster, plan, random));
  }
  Points& points = planted.points;
  points.count = plan.points;
  points.coordinates.assign(static_cast<std::size_t>(plan.dimensions), std::vector<double>(plan.points));
  for (std::vector<double>& axis : points.coordinates) {
    for (double& coordinate : axis) {
      coordinate = uniform(random, 0.0, 1.0);
    }
  }
  const auto in_clusters = static_cast<std::size_t>((1.0 - plan.noise) * static_cast<double>(plan.points));
  for (std::size_t i = 0; i < in_clusters; ++i) {
    const Box& box = planted.boxes[i % planted.boxes.size()];
    for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
      points.coordinates[static_cast<std::size_t>(box.dimensions[d])][i] = uniform(random, box.lower[d], box.upper[d]);
    }
  }
  return planted;
}

}  // namespace mafia
