#include "cavity.hpp"

#include <array>
#include <cmath>

namespace lattice_boltzmann {
namespace {

constexpr std::array vertical{
    ProfilePoint{0.0547, -0.03717}, ProfilePoint{0.0625, -0.04192}, ProfilePoint{0.0703, -0.04775},
    ProfilePoint{0.1016, -0.06434}, ProfilePoint{0.1719, -0.10150}, ProfilePoint{0.2813, -0.15662},
    ProfilePoint{0.4531, -0.21090}, ProfilePoint{0.5000, -0.20581}, ProfilePoint{0.6172, -0.13641},
    ProfilePoint{0.7344, 0.00332},  ProfilePoint{0.8516, 0.23151},  ProfilePoint{0.9531, 0.68717},
    ProfilePoint{0.9609, 0.73722},  ProfilePoint{0.9688, 0.78871},  ProfilePoint{0.9766, 0.84123},
};

constexpr std::array horizontal{
    ProfilePoint{0.0625, 0.09233},  ProfilePoint{0.0703, 0.10091},  ProfilePoint{0.0781, 0.10890},
    ProfilePoint{0.0938, 0.12317},  ProfilePoint{0.1563, 0.16077},  ProfilePoint{0.2266, 0.17507},
    ProfilePoint{0.2344, 0.17527},  ProfilePoint{0.5000, 0.05454},  ProfilePoint{0.8047, -0.24533},
    ProfilePoint{0.8594, -0.22445}, ProfilePoint{0.9063, -0.16914}, ProfilePoint{0.9453, -0.10313},
    ProfilePoint{0.9531, -0.08864}, ProfilePoint{0.9609, -0.07391}, ProfilePoint{0.9688, -0.05906},
};

}  // namespace

std::span<const ProfilePoint> vertical_profile() { return vertical; }

std::span<const ProfilePoint> horizontal_profile() { return horizontal; }

double largest_difference(std::span<const ProfilePoint> profile, const std::vector<double>& values, double low,
                          double high) {
  const auto n = static_cast<double>(values.size());
  double largest = 0.0;
  for (const ProfilePoint& point : profile) {
    const double at = point.place * n - 0.5;
    const double cell = std::floor(at);
    const bool below = cell < 0.0;
    const bool above = cell >= n - 1.0;
    const double left = below ? low : values[static_cast<std::size_t>(cell)];
    const double right = above ? high : values[static_cast<std::size_t>(cell + 1.0)];
    // The distance between the last point and the wall is half a cell.
    const double share = below ? 2.0 * (at + 0.5) : (above ? 2.0 * (at - cell) : at - cell);
    const double difference = std::abs(left + share * (right - left) - point.velocity);
    largest = difference > largest || std::isnan(difference) ? difference : largest;
  }
  return largest;
}

}  // namespace lattice_boltzmann
