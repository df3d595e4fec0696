/// \file filters.hpp
/// Excludes programs and hosts from tuning. Does not use MPI.
#pragma once

#include <span>
#include <string>

namespace adcl::interpose {

/// Returns whether a list of patterns such as "solver*,!*_debug" admits a program or host with several \p names. A
/// pattern matches if it matches one of the names, as file names match in a shell. A pattern after '!' denies, and
/// takes precedence. If the list has other patterns, one of them must match.
bool admits(const std::string& patterns, std::span<const std::string> names);

/// Whether ADCL_INTERPOSE_PROGRAMS or ADCL_INTERPOSE_HOSTS denies this process.
bool is_denied();

}  // namespace adcl::interpose
