/// \file subproblem.hpp
/// Part of an exchange, for codelets that treat some neighbors differently.
#pragma once

#include <algorithm>
#include <iterator>

#include "codelets/neighborhood/halo_problem.hpp"

namespace adcl::codelets {

/// Copies to \p part the transfers of \p whole for which \p wanted(transfer) is true.
template <typename Predicate>
void take_transfers(HaloProblem& part, const HaloProblem& whole, Predicate wanted) {
  static_cast<HaloSetting&>(part) = static_cast<const HaloSetting&>(whole);
  std::copy_if(whole.sends.begin(), whole.sends.end(), std::back_inserter(part.sends), wanted);
  std::copy_if(whole.receives.begin(), whole.receives.end(), std::back_inserter(part.receives), wanted);
}

}  // namespace adcl::codelets
