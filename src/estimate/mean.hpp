/// \file mean.hpp
/// What most statistical methods begin with. Pure.
#pragma once

#include <numeric>
#include <span>

namespace adcl::estimate {

/// Arithmetic mean; 0 without samples.
inline double mean(std::span<const double> samples) {
  if (samples.empty()) {
    return 0.0;
  }
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

}  // namespace adcl::estimate
