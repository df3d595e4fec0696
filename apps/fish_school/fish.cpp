#include "fish.hpp"

#include <bit>

namespace fish_school {
namespace {

constexpr double blind_angle_cosine = -0.8;  ///< a fish sees nothing in the cone behind it
constexpr double speed = 0.5;                ///< body lengths per step
constexpr double turning = 0.4;
constexpr double noise = 0.15;

/// SplitMix64's finalizer (Steele et al. 2014).
constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

/// A random vector with components between -1 and 1; a pure function of its arguments.
Vector chance(std::uint64_t seed, std::int64_t id, std::int64_t step) noexcept {
  Vector result{};
  std::uint64_t state = mixed(mixed(mixed(seed) ^ static_cast<std::uint64_t>(id)) ^ static_cast<std::uint64_t>(step));
  for (double& component : result) {
    state = mixed(state);
    component = static_cast<double>(state >> 11U) * 0x1p-52 - 1.0;
  }
  return result;
}

Vector normalized(const Vector& vector, const Vector& otherwise) noexcept {
  const double length = std::sqrt(square(vector));
  if (length < 1e-9) {
    return otherwise;
  }
  return {vector[0] / length, vector[1] / length, vector[2] / length};
}

}  // namespace

Fish newborn(std::int64_t id, std::int64_t count, std::uint64_t seed) noexcept {
  constexpr std::int64_t for_position = -2;
  constexpr std::int64_t for_heading = -1;
  const double side = std::cbrt(static_cast<double>(count) / density);
  Fish fish;
  fish.id = id;
  fish.position = chance(seed, id, for_position);
  for (double& coordinate : fish.position) {
    coordinate *= 0.5 * side;
  }
  fish.heading = normalized(chance(seed, id, for_heading), {1.0, 0.0, 0.0});
  return fish;
}

void Impression::see(const Fish& self, const Fish& other) noexcept {
  const Vector offset = difference(other.position, self.position);
  const double distance = std::sqrt(square(offset));
  if (other.id == self.id || distance > vision_radius || distance == 0.0) {
    return;
  }
  const double ahead = self.heading[0] * offset[0] + self.heading[1] * offset[1] + self.heading[2] * offset[2];
  if (ahead < blind_angle_cosine * distance) {
    return;
  }
  if (distance < repulsion_radius) {
    crowded_ = true;
    away_.add(offset, -1.0 / distance);
  } else if (distance < parallel_radius) {
    along_.add(other.heading, 1.0);
  } else {
    along_.add(offset, 1.0 / distance);
  }
}

Fish Impression::react(const Fish& self, std::uint64_t seed, int step) const noexcept {
  const Vector wanted = normalized(crowded_ ? away_.value() : along_.value(), self.heading);
  const Vector random = chance(seed, self.id, step);
  Vector heading{};
  for (std::size_t d = 0; d < 3; ++d) {
    heading[d] = self.heading[d] + turning * wanted[d] + noise * random[d];
  }
  Fish next = self;
  next.heading = normalized(heading, self.heading);
  for (std::size_t d = 0; d < 3; ++d) {
    next.position[d] += speed * next.heading[d];
  }
  return next;
}

std::uint64_t digest(std::int64_t id) noexcept { return mixed(static_cast<std::uint64_t>(id)); }

std::uint64_t digest(const Fish& fish) noexcept {
  std::uint64_t state = digest(fish.id);
  for (std::size_t d = 0; d < 3; ++d) {
    state = mixed(state ^ std::bit_cast<std::uint64_t>(fish.position[d]));
    state = mixed(state ^ std::bit_cast<std::uint64_t>(fish.heading[d]));
  }
  return state;
}

}  // namespace fish_school
