/// \file comparison.hpp
/// Finds codelets whose comparison shows the effect of one attribute: they differ in nothing else (paper section III).
/// Pure.
///
/// *Not applicable is equal to nothing, not even to itself.* A codelet without a value of attribute i may do anything
/// instead. So in general it is not "the same but for attribute j" as another codelet, not even as another one without
/// i, and it is not compared. Nested attributes are the exception: if *no* candidate with value v of attribute e has
/// attribute i (no candidate whose primitive is MPI_Sendrecv has a completion mode), lacking i is a consequence of v,
/// and has no other meaning. Precisely: a codelet d with a value of j fits the values k of the other attributes if, for
/// each attribute i other than j,
///   - d has i, and its value is k_i; or
///   - d lacks i, and its value of some attribute e, which may be j, explains it.
/// A codelet is in at most one set per attribute, since its measurements are evidence only once. Of the values of other
/// candidates that it fits, it belongs to those with the most attributes, and among these to the first in the table.
/// (So MPI_Sendrecv is compared with the first codelet that differs in the primitive only, whatever its completion
/// mode.)
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

  /// Each set: candidates in ascending order that have at least two values of \p attribute and differ in nothing else.
  /// Sets of one attribute are disjoint and ordered by their first members.
  [[nodiscard]] const std::vector<Set>& sets(std::size_t attribute) const { return sets_[attribute]; }

  [[nodiscard]] int value(int candidate, std::size_t attribute) const {
    return values_[static_cast<std::size_t>(candidate)][attribute];
  }

  /// It is in some set, so comparisons of attributes apply to it.
  [[nodiscard]] bool has_partner(int candidate) const { return has_partner_[static_cast<std::size_t>(candidate)]; }

 private:
  std::vector<Values> values_;
  std::vector<std::vector<Set>> sets_;  ///< per attribute
  std::vector<bool> has_partner_;       ///< per candidate
};

}  // namespace adcl::select
