#include "cells.hpp"

namespace fish_school {

Cells::Cells(const std::vector<Vector>& points, double side) : side_(side) {
  entries_.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    entries_.push_back({key(coordinate(points[i][0]), coordinate(points[i][1]), coordinate(points[i][2])), i});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

}  // namespace fish_school
