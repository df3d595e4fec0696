/// \file problem.hpp
/// The classes of NAS CG (NAS report RNR-94-007, section 2.7; later publications define B to D). Pure.
#pragma once

#include <cmath>
#include <string_view>

namespace cg {

struct ProblemClass {
  char name;
  int order;       ///< rows of the matrix
  int nonzeros;    ///< nonzeros per random vector; the matrix is the sum of the vectors' outer products
  int iterations;  ///< iterations of the power method
  double shift;
  double zeta;  ///< expected result
};

inline constexpr ProblemClass classes[] = {
    {'S', 1400, 7, 15, 10.0, 8.5971775078648},     {'W', 7000, 8, 15, 12.0, 10.362595087124},
    {'A', 14000, 11, 15, 20.0, 17.130235054029},   {'B', 75000, 13, 75, 60.0, 22.712745482631},
    {'C', 150000, 15, 75, 110.0, 28.973605592845}, {'D', 1500000, 21, 100, 500.0, 52.514532105794},
};

/// The class with this name, or null.
constexpr const ProblemClass* find_class(std::string_view name) noexcept {
  for (const ProblemClass& candidate : classes) {
    if (name.size() == 1 && name.front() == candidate.name) {
      return &candidate;
    }
  }
  return nullptr;
}

/// The benchmark requires ten correct digits.
inline bool verified(const ProblemClass& problem, double zeta) noexcept {
  return std::abs(zeta - problem.zeta) <= 1e-10 * problem.zeta;
}

}  // namespace cg
