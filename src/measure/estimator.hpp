/// \file estimator.hpp
/// Statistical methods: from the samples of one codelet on one rank to the numbers that are reduced over the ranks, and
/// from the reduced numbers to the time by which a codelet is judged. Pure. Source: thesis section 5.2.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/option.hpp"

namespace adcl::measure {

/// The numbers of one codelet. The reduction over the ranks takes the maximum of each number, and the minimum of
/// `measurements`. All are 0 without samples.
struct Numbers {
  double mean_s = 0.0;           ///< eq. 5.2
  double filtered_mean_s = 0.0;  ///< eq. 5.3; equal to mean_s for methods that do not filter
  double outliers = 0.0;         ///< number of measurements that the method classifies as outliers
  double measurements = 0.0;     ///< number of samples
  double spread_s = 0.0;         ///< standard deviation of the samples in filtered_mean_s; 0 if unknown
};

/// Combines the numbers of two groups of samples of the same codelet.
Numbers pooled(const Numbers& one, const Numbers& other);

/// A statistical method. Each method has one file, which exports its row, and one line in table.cpp.
struct Estimator {
  std::string name;
  std::string summary;
  std::string source;
  std::vector<Option> options;  ///< options that its functions read
  /// Numbers of one codelet on this rank; \p samples may be empty (all numbers 0).
  Numbers (*summarise)(std::span<const double> samples, const OptionValues& options);
  /// The time in seconds by which a codelet is judged, from reduced numbers; infinity without measurements.
  double (*judge)(const Numbers& reduced, const OptionValues& options);
};

/// All methods, `none` first.
std::span<const Estimator> table();

/// The method of that name; throws Error(option) with the nearest name.
const Estimator& find(const std::string& name);

}  // namespace adcl::measure
