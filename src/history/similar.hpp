/// \file similar.hpp
/// Advice from the stored results of similar problems. Pure. Source: thesis section 3.3.3.
///
/// Two problems are comparable if these are equal: function set, processor, kind of timing, all features that are words
/// (pattern, datatype, topology, MPI library and its version), the number of dimensions, fields and nodes, and which
/// numbers are zero. Numbers are compared by their ratio. The limit is a factor of 16 for bytes and points along a
/// dimension, and a factor of 2 for ranks, neighbors and messages, which matter more. The distance of two problems
/// is the largest of their features' logarithmic distances; 1 is the limit.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "history/entry.hpp"

namespace adcl::history {

/// Similar problems have at most this distance.
inline constexpr double similarity_limit = 1.0;

/// A distance that the application defines: \p names of the features that are numbers, and their values in the current
/// and in an earlier problem. Negative, not a number, or above similarity_limit: not similar.
using Similarity = std::function<double(const std::vector<std::string>& names, const std::vector<double>& here,
                                        const std::vector<double>& there)>;

/// The distance; infinity: not comparable. A \p similarity replaces the comparison of numbers; then only words must be
/// equal. A problem with a feature that is negative or not a number is not comparable with any.
double distance(const Entry& one, const Entry& other, const Similarity& similarity = nullptr);

struct Advice {
  double distance = 0.0;            ///< of the nearest similar problem
  std::string source;               ///< that problem's file, without the folder
  std::vector<double> relative;     ///< per candidate, for select::Guided; empty: there is no advice
  std::vector<double> corrections;  ///< per candidate, for select::Guided
};

/// Advice about \p candidates in \p mode from the three nearest of \p known within the limit. A relative time is the
/// mean of the logarithms of the candidate's times relative to the winner, weighted by nearness. A candidate that a
/// search had and did not measure was ruled out, unless the search ended before a trial was worth its cost: then only
/// the search's correction of the library's expectation is known. If a search left a candidate out on advice, that
/// advice is passed on as the root of the ratio, since it comes from further away: after some steps, the candidate is
/// tried again.
Advice advice_for(const Entry& problem, const std::string& mode, const std::vector<std::string>& candidates,
                  std::span<const std::shared_ptr<const Entry>> known, const Similarity& similarity = nullptr);

}  // namespace adcl::history
