/// \file adcl_requests.hpp
/// What the programs ask ADCL about their requests.
#pragma once

#include <ADCL.h>

#include <span>

#include "common/tuning.hpp"

namespace apps {

/// Throws std::runtime_error with ADCL's message unless \p code is ADCL_SUCCESS.
void check(int code);

bool is_searching(ADCL_Request request);

/// Winner and candidates of the first request; in production when all are. The starts are left at 0. Local.
Tuning tuning_of(std::span<const ADCL_Request> requests);

}  // namespace apps
