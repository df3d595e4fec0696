/// \file problem.hpp
/// The classes of NAS IS, their keys, and the ranks of the five keys that every iteration checks (NAS report
/// RNR-94-007, section 2.6, and the benchmark's later classes). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace is {

using Key = std::int32_t;

inline constexpr int iterations = 10;
inline constexpr int checked_keys = 5;

/// A key whose rank is checked. The rank changes by sign in each iteration.
struct Check {
  std::int64_t index;  ///< position in the sequence of all keys
  std::int64_t rank;   ///< number of smaller keys, before the correction of the first iteration
  int sign;            ///< sign of the correction
  int offset;          ///< the correction is sign times (iteration + offset)
};

struct ProblemClass {
  char name;
  int log_keys;
  int log_largest;
  std::array<Check, checked_keys> checks;

  [[nodiscard]] std::int64_t keys() const noexcept { return std::int64_t{1} << log_keys; }
  [[nodiscard]] Key largest() const noexcept { return Key{1} << log_largest; }
};

/// The class with this name, or null.
const ProblemClass* find_class(std::string_view name) noexcept;

/// Number `begin` to `end` - 1 of the sequence of all keys, each from 0 to below problem.largest().
std::vector<Key> make_keys(const ProblemClass& problem, std::int64_t begin, std::int64_t end);

/// Iteration 1, 2, ... sets two keys: number `iteration` and number `iteration + iterations`.
Key low_key(int iteration) noexcept;
Key high_key(const ProblemClass& problem, int iteration) noexcept;

/// The rank that the benchmark requires for a checked key.
std::int64_t wanted_rank(const Check& check, int iteration) noexcept;

}  // namespace is
