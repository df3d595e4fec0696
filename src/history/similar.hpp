/// \file similar.hpp
/// Advice from the stored results of similar problems. Pure. Source: thesis section 3.3.3.
///
/// Two problems are comparable if they have the same function set, processor, and kind of timing, the same text
/// features (pattern, datatype, topology, MPI library and version), the same numbers of dimensions, fields and nodes,
/// and zeros in the same features. Other numbers are compared by their ratio. The limit is a factor of 16 for bytes and
/// points along a dimension, and a factor of 2 for ranks, neighbors and messages, which affect times more. The distance
/// of two problems is the largest logarithmic distance of any feature, in units of its limit.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

/// Largest distance at which two problems are similar.
inline constexpr double similarity_limit = 1.0;

/// An application-defined distance. \p names are the numeric features; \p here and \p there are their values in the
/// current and in an earlier problem. A result that is negative, NaN, or above similarity_limit means not similar.
using Similarity = std::function<double(const std::vector<std::string>& names, const std::vector<double>& here,
                                        const std::vector<double>& there)>;

/// Returns the distance; infinity: not comparable. \p similarity replaces the comparison of numbers; then only text
/// features must be equal. A problem with a negative or non-finite feature is not comparable with any problem.
double distance(const Entry& one, const Entry& other, const Similarity& similarity = nullptr);

struct Advice {
  double distance = 0.0;            ///< distance of the nearest similar problem
  std::string source;               ///< file name of that problem
  std::vector<double> relative;     ///< per candidate, for select::Guided; empty: no advice
  std::vector<double> corrections;  ///< per candidate, for select::Guided
};

/// Returns advice about \p candidates in \p mode from the three nearest entries of \p known within the limit.
///
/// A relative time is the geometric mean of the candidate's times relative to the winner, weighted by 1 / distance². If
/// a search had the candidate but did not measure it, the candidate counts as ruled out (infinity). If its trial was
/// not worth its cost (Decision::untried), its relative time is unknown, and only its correction of the prior is used.
/// If a search excluded a candidate on advice, the square root of that ratio is used, since the advice comes from a
/// more distant problem. Repeated advice therefore weakens, and after some steps the candidate is tried again.
Advice advice_for(const Entry& problem, const std::string& mode, const std::vector<std::string>& candidates,
                  std::span<const std::shared_ptr<const Entry>> known, const Similarity& similarity = nullptr);

}  // namespace adcl::history
