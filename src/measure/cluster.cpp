/// Cluster analysis, thesis section 5.2.3: measurements are clustered hierarchically by average linkage with Euclidean
/// distances. Starting at the top of the dendrogram, the smaller of the two clusters is removed (the slower one if they
/// have equal sizes), as long as the total fraction removed does not exceed the accepted one.
///
/// The thesis' algorithm is O(n^3). For one-dimensional data, the mean distance between two disjoint clusters is the
/// distance of their means, which is smallest between neighbors. So only neighbors are merged, in O(n log n).
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "measure/estimator.hpp"
#include "measure/mean.hpp"

namespace adcl::measure {
namespace {

constexpr const char* fraction_name = "ADCL_OUTLIER_FRACTION";  // n_o^max as a fraction of the measurements

/// Sorted measurements begin ... end.
struct Cluster {
  std::size_t begin = 0;
  std::size_t end = 0;
  double sum = 0.0;
  std::size_t before = 0;  ///< index of the neighbor in sorted order; its own index if there is none
  std::size_t after = 0;
  bool merged = false;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(size()); }
};

/// A merge: the position between the two parts, and the distance between them.
struct Merge {
  std::size_t begin = 0;
  std::size_t cut = 0;
  std::size_t end = 0;
  double distance = 0.0;
};

/// All merges, from the top of the dendrogram: in reverse order.
std::vector<Merge> dendrogram(const std::vector<double>& sorted) {
  std::vector<Cluster> clusters;
  clusters.reserve(2 * sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    clusters.push_back({i, i + 1, sorted[i], i == 0 ? i : i - 1, i + 1 == sorted.size() ? i : i + 1});
  }
  using Pair = std::tuple<double, std::size_t, std::size_t, std::size_t>;  // distance, first measurement, left, right
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> nearest;
  const auto offer = [&](std::size_t left, std::size_t right) {
    nearest.emplace(clusters[right].mean() - clusters[left].mean(), clusters[left].begin, left, right);
  };
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    offer(i, i + 1);
  }
  std::vector<Merge> merges;
  while (!nearest.empty()) {
    const auto [distance, first, left, right] = nearest.top();
    nearest.pop();
    if (clusters[left].merged || clusters[right].merged) {
      continue;
    }
    merges.push_back({clusters[left].begin, clusters[left].end, clusters[right].end, distance});
    const std::size_t both = clusters.size();
    const bool leftmost = clusters[left].before == left;
    const bool rightmost = clusters[right].after == right;
    clusters.push_back({clusters[left].begin, clusters[right].end, clusters[left].sum + clusters[right].sum,
                        leftmost ? both : clusters[left].before, rightmost ? both : clusters[right].after});
    clusters[left].merged = true;
    clusters[right].merged = true;
    if (!leftmost) {
      clusters[clusters[both].before].after = both;
      offer(clusters[both].before, both);
    }
    if (!rightmost) {
      clusters[clusters[both].after].before = both;
      offer(both, clusters[both].after);
    }
  }
  std::reverse(merges.begin(), merges.end());
  return merges;
}

Numbers summarise(std::span<const double> samples, const OptionValues& options) {
  if (samples.empty()) {
    return {};
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  constexpr double rounding = 1e-9;  // 0.29 * 100 is slightly less than 29
  auto left = static_cast<std::size_t>(options.real(fraction_name) * static_cast<double>(samples.size()) + rounding);
  std::size_t begin = 0;
  std::size_t end = sorted.size();
  for (const Merge& merge : dendrogram(sorted)) {
    if (merge.begin != begin || merge.end != end) {
      continue;  // part of a removed cluster
    }
    const std::size_t faster = merge.cut - begin;
    const std::size_t slower = end - merge.cut;
    if (merge.distance <= 0.0 || std::min(faster, slower) > left) {
      break;
    }
    left -= std::min(faster, slower);
    (faster < slower ? begin : end) = merge.cut;
  }
  return filtered(samples, std::span<const double>(sorted).subspan(begin, end - begin));
}

}  // namespace

Estimator cluster() {
  return {"cluster",
          "the mean without the most isolated clusters of measurements, at most the fraction ADCL_OUTLIER_FRACTION",
          "thesis section 5.2.3",
          {outlier_fraction()},
          summarise,
          judge_filtered};
}

}  // namespace adcl::measure
