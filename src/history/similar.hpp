/// \file similar.hpp
/// What similar problems say of one that was never met. Pure. Source: thesis section 3.3.3.
///
/// Problems are compared when they are of one kind: function set, processor and kind of timing, all features that are
/// words (pattern, datatype, topology, MPI library and its version), the number of dimensions, fields and nodes, and
/// which of their numbers are zero. Numbers are compared as logarithms: those of bytes and of points along a dimension
/// by the factor in which they differ, where a factor of 16 is as far as similar problems may be apart; those of ranks,
/// neighbors and messages, on which more depends, where a factor of 2 is. The distance is that of the feature that is
/// furthest apart: 1 is the limit.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

/// Problems that are further apart than this are not similar.
inline constexpr double similarity_limit = 1.0;

/// A distance of the application's own: \p names of the features that are numbers, and their values in the problem
/// that was met and in an earlier one. What is negative, not a number or above similarity_limit is: not similar.
using Similarity = std::function<double(const std::vector<std::string>& names, const std::vector<double>& here,
                                        const std::vector<double>& there)>;

/// The distance; infinity: not comparable. A \p similarity replaces the comparison of numbers, and only words must be
/// the same then. Feature values that are negative or no numbers make a problem comparable with none.
double distance(const Entry& one, const Entry& other, const Similarity& similarity = nullptr);

/// What is expected.
struct Advice {
  double distance = 0.0;            ///< of the nearest problem that it comes from
  std::string source;               ///< that problem's file, without the folder
  std::vector<double> relative;     ///< per candidate, as select::Guided takes it; empty: there is no advice
  std::vector<double> corrections;  ///< the same
};

/// The advice of the three nearest of \p known within the limit for the way of use \p mode, for \p candidates. A time
/// is the mean of the logarithms of what they took relative to the winner, the nearer ones counting more. A
/// candidate that they had and did not measure was ruled out, unless the search was over before it was worth trying:
/// then nothing is known of it but by how much its search came to correct what the library expects. Where they did not
/// try it on the advice of others, that advice is passed on, with the root of the ratio, since it comes from further
/// away: after some steps it is tried again.
Advice advice_for(const Entry& problem, const std::string& mode, const std::vector<std::string>& candidates,
                  std::span<const std::shared_ptr<const Entry>> known, const Similarity& similarity = nullptr);

}  // namespace adcl::history
