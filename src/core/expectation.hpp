/// \file expectation.hpp
/// The prior of a codelet: its expected times before it is measured. Pure.
#pragma once

#include <limits>

namespace adcl {

/// Both are NaN if there is no prior.
struct Expectation {
  /// Natural logarithm of the time of an execution, up to a constant that is common to all codelets of a set.
  double log_time = std::numeric_limits<double>::quiet_NaN();
  /// Time of the first execution, including the creation of the plan, in the units of exp(log_time).
  double first = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace adcl
