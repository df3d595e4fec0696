/// \file likeness.hpp
/// What is believed of candidates before any is measured. Pure.
#pragma once

#include <vector>

#include "select/search.hpp"

namespace adcl::select {

/// The natural logarithm of the time that it is expected to take, but for a constant. Of whom nothing is expected is
/// taken for slow, but not for hopeless.
double expected_mean(const Candidate& candidate);

/// What its first execution takes beyond another one, in executions of a candidate whose expected_mean() is 0; of whom
/// nothing is expected, what is usual.
double expected_first(const Candidate& candidate);

/// expected_mean() of each.
std::vector<double> means_of(const std::vector<Candidate>& candidates);

/// Covariances of the logarithms, a row after the other: candidates that share values of attributes, or classes of
/// values, are alike.
std::vector<double> covariance_of(const std::vector<Candidate>& candidates, const AttributeSet& attributes);

}  // namespace adcl::select
