/// \file adcl_requests.hpp
/// Queries of ADCL requests by the programs.
#pragma once

#include <ADCL.h>

#include <span>

#include "common/tuning.hpp"

namespace apps {

/// Throws std::runtime_error with ADCL's message unless \p code is ADCL_SUCCESS.
void check(int code);

bool is_searching(ADCL_Request request);

/// Winner and candidates of the first request; in production if all requests are. Leaves the number of starts at 0.
/// Local.
Tuning tuning_of(std::span<const ADCL_Request> requests);

}  // namespace apps
