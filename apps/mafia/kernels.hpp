/// \file kernels.hpp
/// The four kernels between two levels of the search: from the dense units of j bins to the dense units of j + 1 bins.
/// Source of the kernels: Adinetz, Kraus, Meinke and Pleiter, GPUMAFIA, Euro-Par 2013. Source of MAFIA: see grid.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "grid.hpp"

namespace mafia {

/// gen: candidates with one more bin, one for each pair of units that differ in one bin of different dimensions. The
/// two units of a pair are equal after one bin is removed from each. Candidates may be repeated.
template <typename Unit>
std::vector<Unit> generate(const std::vector<Unit>& dense, std::span<const Bin> bins) {
  struct Part {
    Unit rest;
    std::uint16_t bin;
  };
  std::vector<Part> parts;
  for (const Unit& unit : dense) {
    for (const std::uint16_t bin : unit.bins()) {
      parts.push_back({unit.without(bin), bin});
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.rest < b.rest; });
  std::vector<Unit> candidates;
  for (auto first = parts.begin(); first != parts.end();) {
    const auto last = std::find_if(first, parts.end(), [&](const Part& part) { return part.rest != first->rest; });
    for (auto a = first; a != last; ++a) {
      for (auto b = a + 1; b != last; ++b) {
        if (bins[a->bin].dimension != bins[b->bin].dimension) {
          candidates.push_back(a->rest.with(a->bin).with(b->bin));
        }
      }
    }
    first = last;
  }
  return candidates;
}

/// dedup: each candidate once, in order.
template <typename Unit>
void remove_duplicates(std::vector<Unit>& candidates) {
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
}

/// pcount: the candidates that contain enough points for the widest of their bins.
template <typename Counter>
std::vector<typename Counter::Unit> count_points(const std::vector<typename Counter::Unit>& candidates,
                                                 const Counter& counter, std::span<const Bin> bins) {
  std::vector<typename Counter::Unit> dense;
  for (const auto& candidate : candidates) {
    double threshold = 0.0;
    for (const std::uint16_t bin : candidate.bins()) {
      threshold = std::max(threshold, bins[bin].threshold);
    }
    if (static_cast<double>(counter.points_in(candidate)) > threshold) {
      dense.push_back(candidate);
    }
  }
  return dense;
}

/// unjoin: the dense units that are not part of a unit with one more bin. Both lists are sorted.
template <typename Unit>
std::vector<Unit> not_absorbed(const std::vector<Unit>& dense, const std::vector<Unit>& larger) {
  std::vector<char> absorbed(dense.size(), 0);
  for (const Unit& unit : larger) {
    for (const std::uint16_t bin : unit.bins()) {
      const Unit part = unit.without(bin);
      const auto found = std::lower_bound(dense.begin(), dense.end(), part);
      if (found != dense.end() && *found == part) {
        absorbed[static_cast<std::size_t>(found - dense.begin())] = 1;
      }
    }
  }
  std::vector<Unit> rest;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (absorbed[i] == 0) {
      rest.push_back(dense[i]);
    }
  }
  return rest;
}

}  // namespace mafia
