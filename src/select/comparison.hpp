/// \file comparison.hpp
/// Which codelets may be compared to learn about one attribute: those that differ in nothing else (paper section III).
/// Pure.
///
/// *Not applicable is equal to nothing, not even to itself.* That a codelet has no value of attribute i may mean
/// anything about what it does instead, so it is in general not "the same but for attribute j" as any other one, not
/// even as another one without i. Such a codelet is not compared. The exception are nested attributes: when
/// *no* candidate with value v of attribute e has attribute i (no candidate whose primitive is MPI_Sendrecv has a
/// completion mode), lacking i is a consequence of v, and says nothing beyond it. Precisely: a codelet d with a value
/// of j fits the values k of the other attributes when, for each attribute i other than j,
///   - d has i, and its value is k_i; or
///   - d lacks i, and its value of some attribute e, which may be j, explains it.
/// A codelet is in one set per attribute at most, since its measurements are evidence only once: among the values of
/// other candidates that it fits those with the most attributes, of these the first in the table. (MPI_Sendrecv is
/// thus compared with the first codelet that is the same but for the primitive, whatever its completion mode.)
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace adcl::select {

class ComparisonTable {
 public:
  /// \param values per candidate one value per attribute; negative: not applicable
  explicit ComparisonTable(std::vector<std::vector<int>> values);

  [[nodiscard]] std::size_t attributes() const noexcept { return sets_.size(); }

  /// Each set: candidates in ascending order that have at least two values of \p attribute and differ in nothing else.
  /// Sets of one attribute are disjoint and ordered by their first members.
  [[nodiscard]] const std::vector<std::vector<int>>& sets(std::size_t attribute) const { return sets_[attribute]; }

  [[nodiscard]] int value(int candidate, std::size_t attribute) const {
    return values_[static_cast<std::size_t>(candidate)][attribute];
  }

  /// The sets that \p candidate is in, one per attribute at most: attribute and index into sets(attribute).
  [[nodiscard]] const std::vector<std::pair<std::size_t, std::size_t>>& memberships(int candidate) const {
    return memberships_[static_cast<std::size_t>(candidate)];
  }

  /// It is in some set: comparisons on attributes say something about it.
  [[nodiscard]] bool has_partner(int candidate) const { return !memberships(candidate).empty(); }

 private:
  std::vector<std::vector<int>> values_;
  std::vector<std::vector<std::vector<int>>> sets_;                            ///< per attribute
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> memberships_;  ///< per candidate
};

}  // namespace adcl::select
