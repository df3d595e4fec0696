#include "core/attribute.hpp"

#include <algorithm>

namespace adcl {

const AttributeValue* Attribute::find(int value) const noexcept {
  const auto found =
      std::find_if(values.begin(), values.end(), [value](const auto& entry) { return entry.value == value; });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace adcl
