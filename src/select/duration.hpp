/// \file duration.hpp
/// Formats times and lists for reports. Pure.
#pragma once

#include <string>
#include <vector>

namespace adcl::select {

/// Formats a time with three digits and a unit: "1.25 ms".
std::string duration(double seconds);

/// Joins \p words with \p separator.
std::string join(const std::vector<std::string>& words, const char* separator);

}  // namespace adcl::select
