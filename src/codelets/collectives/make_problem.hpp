/// \file make_problem.hpp
/// Creates the problem of a collective operation from vectors, vmaps and a topology.
#pragma once

#include <memory>

#include "codelets/collectives/collective_problem.hpp"
#include "data/parts.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

/// Local. Throws Error(handle) or Error(argument) for errors that this rank finds.
std::unique_ptr<Problem> make_collective_problem(Operation operation, const data::Parts& parts, mpi::Context& context);

/// FunctionSet::problem of an operation.
template <Operation operation>
std::unique_ptr<Problem> make_collective(const data::Parts& parts, mpi::Context& context) {
  return make_collective_problem(operation, parts, context);
}

}  // namespace adcl::codelets
