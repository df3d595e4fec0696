#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "counting.hpp"
#include "kernels.hpp"

namespace mafia {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

template <typename Unit>
Box box_of(const Unit& unit, const std::vector<Bin>& bins) {
  Box box;
  for (const std::uint16_t bin : unit.bins()) {
    box.dimensions.push_back(bins[bin].dimension);
    box.lower.push_back(bins[bin].lower);
    box.upper.push_back(bins[bin].upper);
  }
  return box;
}

template <typename Counter>
Result search_with(const Points& points, const GridSettings& settings) {
  using Unit = typename Counter::Unit;
  const std::vector<Bin> bins = dense_bins(points, settings);
  const Counter counter(bins, points.count);
  Result result;
  std::vector<Unit> dense;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    dense.push_back(Unit::of(static_cast<std::uint16_t>(bin)));
  }
  std::sort(dense.begin(), dense.end());
  while (!dense.empty()) {
    result.dense_units.push_back(dense.size());
    std::vector<Unit> candidates;
    std::vector<Unit> larger;
    std::vector<Unit> rest;
    {
      const Stopwatch watch(result.seconds[0]);
      candidates = generate(dense, bins);
    }
    {
      const Stopwatch watch(result.seconds[1]);
      remove_duplicates(candidates);
    }
    {
      const Stopwatch watch(result.seconds[2]);
      larger = count_points(candidates, counter, bins);
    }
    {
      const Stopwatch watch(result.seconds[3]);
      rest = not_absorbed(dense, larger);
    }
    for (const Unit& unit : rest) {
      result.clusters.push_back(box_of(unit, bins));
    }
    dense = std::move(larger);
  }
  return result;
}

bool is_near(const Box& a, const Box& b, double tolerance) {
  const auto near = [&](double x, double y) { return std::abs(x - y) <= tolerance; };
  return a.dimensions == b.dimensions && std::equal(a.lower.begin(), a.lower.end(), b.lower.begin(), near) &&
         std::equal(a.upper.begin(), a.upper.end(), b.upper.begin(), near);
}

std::string text_of(const Box& box) {
  std::string text;
  for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
    text += (d > 0 ? ", " : "") + std::to_string(box.dimensions[d]) + ": " + std::to_string(box.lower[d]) + " to " +
            std::to_string(box.upper[d]);
  }
  return text;
}

}  // namespace

Result search(const Points& points, const GridSettings& settings, Kernels kernels) {
  return kernels == Kernels::bitmap ? search_with<BitmapCounter>(points, settings)
                                    : search_with<SetCounter>(points, settings);
}

std::string difference(const std::vector<Box>& planted, const std::vector<Box>& found, double tolerance) {
  for (const Box& box : planted) {
    if (std::none_of(found.begin(), found.end(), [&](const Box& other) { return is_near(box, other, tolerance); })) {
      return "the cluster with dimensions " + text_of(box) + " was not found";
    }
  }
  for (const Box& box : found) {
    const bool is_planted =
        std::any_of(planted.begin(), planted.end(), [&](const Box& other) { return is_near(box, other, tolerance); });
    // Half-filled intervals at the edge of a cluster are dense in this single dimension.
    if (box.dimensions.size() > 1 && !is_planted) {
      return "there is no cluster with dimensions " + text_of(box);
    }
  }
  return "";
}

}  // namespace mafia
