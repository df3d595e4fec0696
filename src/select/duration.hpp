/// \file duration.hpp
/// Formats times for reports. Pure.
#pragma once

#include <string>

namespace adcl::select {

/// A time with three digits and a unit: "1.25 ms".
std::string duration(double seconds);

}  // namespace adcl::select
