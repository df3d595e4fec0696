/// \file missing.hpp
#pragma once

namespace adcl::interpose {

/// The code of a function that the program's MPI library lacks.
int missing_function() noexcept;

}  // namespace adcl::interpose
