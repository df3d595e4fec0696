/// \file user_problem.hpp
/// The problems of requests with user-defined function sets, as far as the library can see.
#pragma once

#include <memory>

#include "core/codelet.hpp"
#include "core/problem.hpp"
#include "data/parts.hpp"

namespace adcl::runtime {

/// The problem of a request with the user-defined \p set. Local, after the first Context::machine().
std::unique_ptr<Problem> user_problem(const FunctionSet& set, const data::Parts& parts, mpi::Context& context);

}  // namespace adcl::runtime
