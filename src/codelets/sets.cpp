#include "codelets/sets.hpp"

#include <array>

namespace adcl::codelets {

std::span<const PredefinedSet> sets() {
  static const auto all = std::to_array<PredefinedSet>({
#define ADCL_FUNCTION_SET(constant, function, summary) {"ADCL_FNCTSET_" #constant, &(function)},
#include "codelets/sets.def"
#undef ADCL_FUNCTION_SET
  });
  return all;
}

}  // namespace adcl::codelets
