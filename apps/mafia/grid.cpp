#include "grid.hpp"

#include <algorithm>
#include <cmath>

namespace mafia {
namespace {

/// First interval of each bin of a dimension, and the end.
std::vector<int> edges_of(const std::vector<double>& histogram, const GridSettings& settings) {
  std::vector<int> edges{0};
  double current = -1.0;
  for (int begin = 0; begin < settings.intervals; begin += settings.window) {
    const int end = std::min(begin + settings.window, settings.intervals);
    const double largest = *std::max_element(histogram.begin() + begin, histogram.begin() + end);
    if (current >= 0.0 && std::abs(largest - current) > settings.merging * std::max(largest, current)) {
      edges.push_back(begin);
      current = largest;
    } else {
      current = std::max(current, largest);
    }
  }
  edges.push_back(settings.intervals);
  if (edges.size() > 2) {
    return edges;
  }
  edges.clear();
  for (int bin = 0; bin <= settings.even_bins; ++bin) {
    edges.push_back(settings.intervals * bin / settings.even_bins);
  }
  return edges;
}

int interval_of(double coordinate, int intervals) {
  return std::clamp(static_cast<int>(coordinate * intervals), 0, intervals - 1);
}

}  // namespace

std::vector<Bin> dense_bins(const Points& points, const GridSettings& settings) {
  std::vector<Bin> dense;
  for (std::size_t d = 0; d < points.coordinates.size(); ++d) {
    std::vector<double> histogram(static_cast<std::size_t>(settings.intervals), 0.0);
    std::vector<std::vector<std::uint32_t>> members(histogram.size());
    for (std::size_t i = 0; i < points.count; ++i) {
      const auto interval = static_cast<std::size_t>(interval_of(points.coordinates[d][i], settings.intervals));
      histogram[interval] += 1.0;
      members[interval].push_back(static_cast<std::uint32_t>(i));
    }
    const std::vector<int> edges = edges_of(histogram, settings);
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      const double lower = static_cast<double>(edges[e]) / settings.intervals;
      const double upper = static_cast<double>(edges[e + 1]) / settings.intervals;
      Bin bin{static_cast<int>(d),
              lower,
              upper,
              settings.density * (upper - lower) * static_cast<double>(points.count),
              {}};
      for (int interval = edges[e]; interval < edges[e + 1]; ++interval) {
        const auto& more = members[static_cast<std::size_t>(interval)];
        bin.points.insert(bin.points.end(), more.begin(), more.end());
      }
      if (static_cast<double>(bin.points.size()) > bin.threshold) {
        std::sort(bin.points.begin(), bin.points.end());
        dense.push_back(std::move(bin));
      }
    }
  }
  return dense;
}

}  // namespace mafia
