/// \file make_problem.hpp
/// Creates a halo exchange from the application's arguments.
#pragma once

#include <memory>

#include "core/problem.hpp"

namespace adcl {

namespace data {
struct Parts;
}

namespace codelets {

/// FunctionSet::problem of the neighborhood: creates a HaloProblem. Local, after the first Context::machine(). Throws
/// Error(handle) if a vector or a vmap is missing, Error(argument) if vectors, vmaps and topology do not match.
std::unique_ptr<Problem> make_problem(const data::Parts& parts, mpi::Context& context);

}  // namespace codelets
}  // namespace adcl
