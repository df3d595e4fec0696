/// \file comparison.hpp
/// Finds sets of codelets that differ in one attribute only, so that their comparison shows its effect (paper section
/// III). Pure.
///
/// *Not applicable* is not equal to any value, not even to itself: a codelet without attribute i may do anything else
/// instead, so it is not compared. Nested attributes are the exception. If *no* candidate with value v of attribute e
/// has attribute i, lacking i is a consequence of v. For example, no candidate with the primitive MPI_Sendrecv has a
/// completion mode. Precisely: a codelet d that has attribute j fits the values k of the other attributes if, for each
/// attribute i other than j,
///   - d has i, and its value is k_i; or
///   - d lacks i, as a consequence of its value of some attribute e, which may be j.
/// A codelet is in at most one set per attribute, so that its measurements count once. If it fits the values of several
/// candidates, it belongs to the candidate with the most attributes, and among these to the first in the table. So
/// MPI_Sendrecv is compared with the first codelet that differs in the primitive only, for any completion mode.
#pragma once

#include <cstddef>
#include <vector>

namespace adcl::select {

class ComparisonTable {
 public:
  using Values = std::vector<int>;
  using Set = std::vector<int>;

  /// \param values one value per attribute for each candidate; negative: not applicable
  explicit ComparisonTable(std::vector<Values> values);

  [[nodiscard]] std::size_t attributes() const noexcept { return sets_.size(); }

  /// Sets of candidates, in ascending order, that have at least two values of \p attribute and do not differ in other
  /// attributes. The sets are disjoint and ordered by their first members.
  [[nodiscard]] const std::vector<Set>& sets(std::size_t attribute) const { return sets_[attribute]; }

  [[nodiscard]] int value(int candidate, std::size_t attribute) const {
    return values_[static_cast<std::size_t>(candidate)][attribute];
  }

  /// Whether the candidate is in a set of any attribute.
  [[nodiscard]] bool has_partner(int candidate) const { return has_partner_[static_cast<std::size_t>(candidate)]; }

 private:
  std::vector<Values> values_;
  std::vector<std::vector<Set>> sets_;  ///< per attribute
  std::vector<bool> has_partner_;       ///< per candidate
};

}  // namespace adcl::select
