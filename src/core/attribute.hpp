/// \file attribute.hpp
/// Characteristics of codelets, which the attribute-based selection logics use. Pure.
/// Source: paper section III; thesis section 3.3.1 and Table 3.1.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace adcl {

/// Value of an attribute that a codelet does not have. It is not compared with any value, not even with itself.
inline constexpr int not_applicable = -1;

struct AttributeValue {
  int value = 0;     ///< distinct within the attribute, >= 0
  std::string name;  ///< as shown to users
  /// Values of one class behave so similarly that one representative can rule all of them out (paper section V). Empty:
  /// the value has its own class.
  std::string value_class;
  int level = 0;  ///< group in a two-level factorial design, 0 or 1 (thesis chapter 7)
};

struct Attribute {
  std::string name;
  std::vector<AttributeValue> values;

  /// Returns the entry of \p value, or nullptr.
  [[nodiscard]] const AttributeValue* find(int value) const noexcept {
    const auto found = std::ranges::find(values, value, &AttributeValue::value);
    return found == values.end() ? nullptr : &*found;
  }
};

using AttributeSet = std::vector<Attribute>;

}  // namespace adcl
