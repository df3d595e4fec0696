/// \file duration.hpp
/// Formats times and lists for reports. Pure.
#pragma once

#include <string>
#include <vector>

namespace adcl::select {

/// A time with three digits and a unit: "1.25 ms".
std::string duration(double seconds);

/// The words with \p separator between them.
std::string joined(const std::vector<std::string>& words, const char* separator);

}  // namespace adcl::select
