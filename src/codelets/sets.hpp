/// \file sets.hpp
/// The predefined function sets.
#pragma once

#include <span>
#include <string_view>

#include "core/codelet.hpp"

namespace adcl::codelets {

/// A predefined function set, and its name in programs.
struct PredefinedSet {
  std::string_view constant;  ///< "ADCL_FNCTSET_NEIGHBORHOOD"
  const FunctionSet& (*set)();
};

/// All sets of sets.def, in the order of their handles, which begin with 1.
std::span<const PredefinedSet> sets();

// Declares the functions of sets.def: const FunctionSet& neighborhood(), for instance.
#define ADCL_FUNCTION_SET(constant, function, summary) const FunctionSet& function();
#include "codelets/sets.def"
#undef ADCL_FUNCTION_SET

}  // namespace adcl::codelets
