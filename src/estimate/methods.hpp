/// \file methods.hpp
/// The functions behind the rows of table.cpp: per method one pair as described in Estimator. Pure.
#pragma once

#include <span>

#include "estimate/estimator.hpp"

namespace adcl::estimate {

/// Arithmetic mean; 0 without samples.
double mean(std::span<const double> samples);

namespace none {
Numbers summarise(std::span<const double> samples, const Parameters& parameters);
double judge(const Numbers& reduced, const Parameters& parameters);
}  // namespace none

namespace heuristic {
Numbers summarise(std::span<const double> samples, const Parameters& parameters);
double judge(const Numbers& reduced, const Parameters& parameters);
}  // namespace heuristic

}  // namespace adcl::estimate
