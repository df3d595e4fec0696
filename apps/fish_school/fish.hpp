/// \file fish.hpp
/// One fish and its reaction to the fish around it. Pure.
///
/// An individual-oriented model after A. Huth and C. Wissel (The simulation of the movement of fish schools, Journal of
/// Theoretical Biology 156, 1992): a fish turns away from fish that are too near. Otherwise it swims parallel to fish
/// at a medium distance and toward distant fish, with a random component. Lengths are in body lengths.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace fish_school {

using Vector = std::array<double, 3>;

inline constexpr double repulsion_radius = 1.0;
inline constexpr double parallel_radius = 2.5;
inline constexpr double vision_radius = 4.0;  ///< fish farther away have no influence
inline constexpr double density = 0.1;        ///< fish per cube at the beginning

struct Fish {
  std::int64_t id = 0;
  Vector position{};
  Vector heading{};  ///< unit vector
};

inline Vector difference(const Vector& a, const Vector& b) noexcept { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline double square(const Vector& a) noexcept { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

/// A sum that does not depend on the order of its terms: integers in units of 2^-30. Terms are at most 1.
class OrderlessSum {
 public:
  void add(const Vector& term, double factor) noexcept {
    for (std::size_t d = 0; d < 3; ++d) {
      sum_[d] += std::llrint(term[d] * factor * scale);
    }
  }
  [[nodiscard]] Vector value() const noexcept {
    return {static_cast<double>(sum_[0]) / scale, static_cast<double>(sum_[1]) / scale,
            static_cast<double>(sum_[2]) / scale};
  }
  [[nodiscard]] const std::array<long long, 3>& raw() const noexcept { return sum_; }

 private:
  static constexpr double scale = 1073741824.0;
  std::array<long long, 3> sum_{};
};

/// Initial state of fish number \p id of \p count: a random position in a cube, and a random heading. Identical on
/// every machine.
Fish newborn(std::int64_t id, std::int64_t count, std::uint64_t seed) noexcept;

/// Collects the fish that a fish sees in one step, in any order.
class Impression {
 public:
  void see(const Fish& self, const Fish& other) noexcept;
  /// The fish one step later.
  [[nodiscard]] Fish react(const Fish& self, std::uint64_t seed, int step) const noexcept;

 private:
  OrderlessSum away_;
  OrderlessSum along_;
  bool crowded_ = false;
};

/// A hash of a fish. The sum over all fish does not depend on their distribution over processes.
std::uint64_t digest(const Fish& fish) noexcept;
std::uint64_t digest(std::int64_t id) noexcept;

}  // namespace fish_school
