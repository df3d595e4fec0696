/// \file estimator.hpp
/// Statistical methods. Each summarizes the samples of a codelet on one rank, and computes the codelet's judged time
/// from the summaries reduced over all ranks. Pure. Source: thesis section 5.2.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/option.hpp"

namespace adcl::measure {

/// Summary of the samples of one codelet. The reduction over the ranks takes the minimum of `measurements`, and the
/// maximum of each other number. All are 0 without samples.
struct Numbers {
  double mean_s = 0.0;           ///< eq. 5.2
  double filtered_mean_s = 0.0;  ///< eq. 5.3; equals mean_s for methods that do not filter
  double outliers = 0.0;         ///< number of samples that the method classifies as outliers
  double measurements = 0.0;     ///< number of samples
  double spread_s = 0.0;         ///< standard deviation of the samples used in filtered_mean_s; 0 if unknown
};

/// Combines the summaries of two groups of samples of a codelet.
Numbers pool(const Numbers& one, const Numbers& other);

/// A statistical method. Each method has one file, which exports its row, and one line in table.cpp.
struct Estimator {
  std::string name;
  std::string summary;
  std::string source;
  std::vector<Option> options;  ///< the options that it reads
  /// Summarizes the samples of one codelet on this rank; \p samples may be empty.
  Numbers (*summarize)(std::span<const double> samples, const OptionValues& options);
  /// Returns the judged time in seconds, by which codelets are compared; infinity without measurements.
  double (*judge)(const Numbers& reduced, const OptionValues& options);
};

/// All methods, `none` first.
std::span<const Estimator> table();

/// Returns the method \p name. Throws Error(option) for an unknown name, and suggests the most similar one.
const Estimator& find(const std::string& name);

}  // namespace adcl::measure
