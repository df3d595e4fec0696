/// \file request_problem.hpp
/// What a request is to do, from what it was created with. Local.
#pragma once

#include <memory>

#include "core/codelet.hpp"
#include "core/halo_problem.hpp"
#include "runtime/request.hpp"

namespace adcl::runtime {

/// The halo exchange of a request of the neighbourhood. Throws Error(handle) for what is missing, Error(argument) for
/// what does not fit together.
std::unique_ptr<HaloProblem> halo_problem(const RequestParts& parts);

/// The problem of a user-defined set: what is known of it is its name and the shape of its data.
std::unique_ptr<Problem> user_problem(const FunctionSet& set, const RequestParts& parts, int ranks);

}  // namespace adcl::runtime
