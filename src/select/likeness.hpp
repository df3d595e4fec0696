/// \file likeness.hpp
/// Priors of the candidates' times, before any is measured. Pure.
#pragma once

#include <vector>

#include "select/search.hpp"

namespace adcl::select {

/// Natural logarithm of the candidate's expected time, up to a constant. Without an expectation, the candidate counts
/// as slow, but not as hopeless.
double expected_mean(const Candidate& candidate);

/// Expected overhead of the candidate's first execution, in executions of a candidate whose expected_mean() is 0;
/// without an expectation, the usual overhead.
double expected_first(const Candidate& candidate);

/// expected_mean() of each candidate.
std::vector<double> means_of(const std::vector<Candidate>& candidates);

/// Covariances of the logarithms, row-major: candidates that share attribute values, or classes of values, are
/// correlated.
std::vector<double> covariance_of(const std::vector<Candidate>& candidates, const AttributeSet& attributes);

}  // namespace adcl::select
