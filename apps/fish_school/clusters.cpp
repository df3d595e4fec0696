#include "clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace fish_school {
namespace {

/// The centers found so far, in cubes whose edge is the radius.
class Centers {
 public:
  /// The nearest center within the radius, or a new center.
  std::size_t cluster_of(const Vector& point) {
    const auto cell = [](double value) { return static_cast<std::int64_t>(std::floor(value / cluster_radius)); };
    const std::array<std::int64_t, 3> at{cell(point[0]), cell(point[1]), cell(point[2])};
    double nearest = cluster_radius * cluster_radius;
    std::size_t found = centres_.size();
    for (int neighbour = 0; neighbour < 27; ++neighbour) {
      const auto cube =
          cubes_.find(key(at[0] + neighbour % 3 - 1, at[1] + neighbour / 3 % 3 - 1, at[2] + neighbour / 9 - 1));
      if (cube == cubes_.end()) {
        continue;
      }
      for (const std::size_t centre : cube->second) {
        const double distance = square(difference(centres_[centre], point));
        if (distance < nearest) {
          nearest = distance;
          found = centre;
        }
      }
    }
    if (found == centres_.size()) {
      centres_.push_back(point);
      cubes_[key(at[0], at[1], at[2])].push_back(found);
    }
    return found;
  }

  [[nodiscard]] const std::vector<Vector>& all() const noexcept { return centres_; }

 private:
  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) noexcept {
    constexpr std::int64_t offset = 1 << 20;
    constexpr std::uint64_t mask = (1U << 21U) - 1;
    const auto part = [](std::int64_t value) { return static_cast<std::uint64_t>(value + offset) & mask; };
    return part(x) << 42U | part(y) << 21U | part(z);
  }

  std::vector<Vector> centres_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cubes_;
};

struct Bisection {
  const std::vector<Cluster>& clusters;
  std::vector<int>& part_of;

  void divide(std::vector<std::size_t>::iterator begin, std::vector<std::size_t>::iterator end, int first, int parts) {
    if (parts == 1 || begin == end) {
      std::for_each(begin, end, [&](std::size_t cluster) { part_of[cluster] = first; });
      return;
    }
    const std::size_t axis = longest_axis(begin, end);
    std::sort(begin, end, [&](std::size_t a, std::size_t b) {
      const double at_a = clusters[a].centre[axis];
      const double at_b = clusters[b].centre[axis];
      return at_a != at_b ? at_a < at_b : a < b;
    });
    const int left_parts = parts / 2;
    const auto weight = [this](double sum, std::size_t index) { return sum + clusters[index].count; };
    const double wanted = std::accumulate(begin, end, 0.0, weight) * left_parts / parts;
    double sum = 0.0;
    auto middle = begin;
    while (middle != end && sum + 0.5 * clusters[*middle].count < wanted) {
      sum += clusters[*middle].count;
      ++middle;
    }
    divide(begin, middle, first, left_parts);
    divide(middle, end, first + left_parts, parts - left_parts);
  }

  [[nodiscard]] std::size_t longest_axis(std::vector<std::size_t>::iterator begin,
                                         std::vector<std::size_t>::iterator end) const {
    Vector low = clusters[*begin].centre;
    Vector high = low;
    for (auto index = begin; index != end; ++index) {
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], clusters[*index].centre[d]);
        high[d] = std::max(high[d], clusters[*index].centre[d]);
      }
    }
    const Vector extent = difference(high, low);
    return static_cast<std::size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
  }
};

}  // namespace

std::vector<Cluster> make_clusters(std::vector<Fish>& fish) {
  Centers centres;
  std::vector<std::size_t> cluster_of(fish.size());
  std::transform(fish.begin(), fish.end(), cluster_of.begin(),
                 [&centres](const Fish& member) { return centres.cluster_of(member.position); });
  std::vector<Cluster> clusters(centres.all().size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    clusters[i].centre = centres.all()[i];
  }
  std::vector<std::size_t> place(clusters.size() + 1, 0);
  for (std::size_t i = 0; i < fish.size(); ++i) {
    Cluster& cluster = clusters[cluster_of[i]];
    cluster.count += 1.0;
    cluster.radius = std::max(cluster.radius, std::sqrt(square(difference(fish[i].position, cluster.centre))));
    ++place[cluster_of[i] + 1];
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<Fish> sorted(fish.size());
  for (std::size_t i = 0; i < fish.size(); ++i) {
    sorted[place[cluster_of[i]]++] = fish[i];
  }
  fish.swap(sorted);
  return clusters;
}

bool in_sight(const Cluster& a, const Cluster& b) noexcept {
  // Slightly increased, so that rounding of the distance does not affect fish exactly at the limit.
  const double reach = (a.radius + b.radius) + vision_radius * (1.0 + 1e-9);
  return square(difference(a.centre, b.centre)) <= reach * reach;
}

std::vector<int> distribute(const std::vector<Cluster>& clusters, int parts) {
  std::vector<int> part_of(clusters.size(), 0);
  std::vector<std::size_t> order(clusters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Bisection{clusters, part_of}.divide(order.begin(), order.end(), 0, parts);
  return part_of;
}

}  // namespace fish_school
