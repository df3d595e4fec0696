/// \file failures.hpp
/// Reports failed calls as the option ADCL_ERRORS requests.
#pragma once

#include <string>

namespace adcl::runtime {

enum class ErrorMode {
  give_back,  ///< the call returns the error code
  report,     ///< the message is also written
  abort       ///< the message is written, and the job is aborted
};

/// The mode with this name in the option table; `report` for an unknown name, so that the user sees the error.
ErrorMode error_mode(const std::string& name);

/// Writes \p message to the file \p destination, or to stderr if \p destination is "off" or "stderr" or cannot be
/// written. Writes each message once per process, and at most twenty messages. With ErrorMode::abort, then calls
/// MPI_Abort if MPI is running. Local.
void show_failure(ErrorMode mode, const std::string& destination, const std::string& message, int code);

}  // namespace adcl::runtime
