/// \file expectation.hpp
/// What is expected of a codelet before it was measured. Pure.
#pragma once

#include <limits>

namespace adcl {

/// Both are NaN where nothing is expected.
struct Expectation {
  /// Natural logarithm of the time that an execution takes, but for a constant that all codelets of a set share.
  double log_time = std::numeric_limits<double>::quiet_NaN();
  /// What the first execution takes, with the making of the plan: the logarithm's constant is that of a time of 1 here.
  double first = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace adcl
