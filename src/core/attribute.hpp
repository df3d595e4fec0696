/// \file attribute.hpp
/// Characteriztics of codelets, on which the attribute-based selection logics reason. Pure.
/// Source: paper section III; thesis section 3.3.1 and Table 3.1.
#pragma once

#include <string>
#include <vector>

namespace adcl {

/// The value of an attribute that a codelet does not have. Never compared with anything, not even with itself.
inline constexpr int not_applicable = -1;

struct AttributeValue {
  int value = 0;     ///< distinct within the attribute, >= 0
  std::string name;  ///< as shown to users
  /// Values of the same class behave alike enough for one representative to rule all of them out (paper section V);
  /// empty: a class of its own.
  std::string value_class;
  int level = 0;  ///< 0 or 1: the group in a two-level factorial design (thesis chapter 7)
};

struct Attribute {
  std::string name;
  std::vector<AttributeValue> values;

  /// The entry of \p value, or nullptr.
  [[nodiscard]] const AttributeValue* find(int value) const noexcept;
};

using AttributeSet = std::vector<Attribute>;

}  // namespace adcl
