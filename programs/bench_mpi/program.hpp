/// \file program.hpp
/// The program adcl-bench, without the table of functions that it measures.
#pragma once

#include <string>

#include "function.hpp"

namespace adcl::bench {

/// Initializes and finalizes MPI. Returns the exit code, the same on all ranks; rank 0 prints errors.
int run_program(int argc, char** argv, const std::string& name, const Functions& table);

}  // namespace adcl::bench
