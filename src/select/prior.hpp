/// \file prior.hpp
/// Prior distribution of the candidates' times, before any measurement. Pure.
#pragma once

#include <vector>

#include "select/search.hpp"

namespace adcl::select {

/// Prior mean of the natural logarithm of the candidate's time, up to a constant. A candidate without an Expectation
/// gets a time that is slow, but does not exclude a trial.
double prior_mean(const Candidate& candidate);

/// Expected overhead of the candidate's first execution, in units of the time of a candidate whose prior_mean() is 0.
/// For a candidate without an Expectation, it is the usual overhead.
double expected_first_cost(const Candidate& candidate);

/// prior_mean() of each candidate.
std::vector<double> prior_means(const std::vector<Candidate>& candidates);

/// Prior covariance of the logarithms, row-major. Candidates that share attribute values or classes of values are
/// correlated.
std::vector<double> prior_covariance(const std::vector<Candidate>& candidates, const AttributeSet& attributes);

}  // namespace adcl::select
