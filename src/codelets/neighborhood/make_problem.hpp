/// \file make_problem.hpp
/// From what the application has put together to a halo exchange.
#pragma once

#include <memory>

#include "core/problem.hpp"

namespace adcl {

namespace data {
struct Parts;
}

namespace codelets {

/// FunctionSet::problem of the neighborhood: a HaloProblem. Local, after the first Context::machine(). Throws
/// Error(handle) where a vector or a vmap is missing, Error(argument) where they, the topology and each other do not
/// fit.
std::unique_ptr<Problem> make_problem(const data::Parts& parts, mpi::Context& context);

}  // namespace codelets
}  // namespace adcl
