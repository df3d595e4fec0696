/// \file failures.hpp
/// Reports failed calls as the option ADCL_ERRORS requests.
#pragma once

#include <string>

namespace adcl::runtime {

/// Writes \p message to the file \p destination, or to stderr if \p destination is "off" or "stderr" or cannot be
/// written. Writes each message once per process, and at most twenty messages. If it \p aborts, then calls MPI_Abort
/// with \p code if MPI is running. Local.
void show_failure(const std::string& destination, const std::string& message, int code, bool aborts);

}  // namespace adcl::runtime
