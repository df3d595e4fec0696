/// Cluster analysis, thesis section 5.2.3: clusters the measurements hierarchically by average linkage with Euclidean
/// distances. Starting at the top of the dendrogram, the method removes the smaller of the two clusters (the slower one
/// if they have equal sizes), until the total would exceed the fraction ADCL_OUTLIER_FRACTION.
///
/// The algorithm of the thesis is O(n^3). This algorithm is O(n log n): in one dimension, the average linkage distance
/// of two disjoint clusters is the distance of their means, so only neighbors need merging.
#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

constexpr std::size_t none_here = std::numeric_limits<std::size_t>::max();

/// A node of the dendrogram: the sorted measurements [begin, end).
struct Cluster {
  std::size_t begin = 0;
  std::size_t end = 0;
  double sum = 0.0;
  std::size_t faster = none_here;  ///< indices of the two children; none_here for a single measurement
  std::size_t slower = none_here;
  double distance = 0.0;  ///< between the two children
  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(size()); }
};

/// Returns all clusters; the last cluster contains all measurements.
std::vector<Cluster> dendrogram(const std::vector<double>& sorted) {
  std::vector<Cluster> clusters;
  // For each position, the largest cluster so far that begins or ends there.
  std::vector<std::size_t> beginning_at(sorted.size() + 1, none_here);
  std::vector<std::size_t> ending_at(sorted.size() + 1, none_here);
  using Pair = std::tuple<double, std::size_t, std::size_t, std::size_t>;  // distance, first measurement, left, right
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> nearest;
  const auto offer = [&](std::size_t left, std::size_t right) {
    if (left != none_here && right != none_here) {
      nearest.emplace(clusters[right].mean() - clusters[left].mean(), clusters[left].begin, left, right);
    }
  };
  const auto add = [&](const Cluster& cluster) {
    const std::size_t added = clusters.size();
    clusters.push_back(cluster);
    beginning_at[cluster.begin] = ending_at[cluster.end] = added;
    offer(ending_at[cluster.begin], added);
    offer(added, beginning_at[cluster.end]);
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    add({i, i + 1, sorted[i]});
  }
  while (!nearest.empty()) {
    const auto [distance, first, left, right] = nearest.top();
    nearest.pop();
    const bool unmerged = ending_at[clusters[left].end] == left && beginning_at[clusters[right].begin] == right;
    if (unmerged) {
      add({first, clusters[right].end, clusters[left].sum + clusters[right].sum, left, right, distance});
    }
  }
  return clusters;
}

Numbers summarize(std::span<const double> samples, const OptionValues& options) {
  if (samples.empty()) {
    return {};
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  auto left = static_cast<std::size_t>(max_outliers(options, static_cast<double>(samples.size())));
  const std::vector<Cluster> clusters = dendrogram(sorted);
  const Cluster* kept = &clusters.back();
  while (kept->distance > 0.0) {
    const Cluster& faster = clusters[kept->faster];
    const Cluster& slower = clusters[kept->slower];
    const std::size_t removed = std::min(faster.size(), slower.size());
    if (removed > left) {
      break;
    }
    left -= removed;
    kept = faster.size() < slower.size() ? &slower : &faster;
  }
  return numbers_of(samples, std::span<const double>(sorted).subspan(kept->begin, kept->size()));
}

}  // namespace

Estimator cluster() {
  return {"cluster",
          "the mean without the most isolated clusters, which may contain the fraction ADCL_OUTLIER_FRACTION of the "
          "measurements",
          "thesis section 5.2.3",
          {outlier_fraction()},
          summarize,
          judge_filtered};
}

}  // namespace adcl::measure
