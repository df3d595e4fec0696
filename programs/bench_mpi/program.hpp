/// \file program.hpp
/// The whole of adcl-bench but for the table of what it measures.
#pragma once

#include <string>

#include "function.hpp"

namespace adcl::bench {

/// Starts and ends MPI. Returns the exit code, the same on all ranks; what is wrong is said by rank 0.
int run_program(int argc, char** argv, const std::string& name, const Functions& table);

}  // namespace adcl::bench
