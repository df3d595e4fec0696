/// \file failures.hpp
/// What becomes of a failed call besides its code: the option ADCL_ERRORS.
#pragma once

#include <string>

namespace adcl::runtime {

enum class ErrorMode {
  give_back,  ///< the code is all
  report,     ///< it is written down as well
  abort       ///< it is written down, and the job ends
};

/// The mode of that name in the table of options; `report` for any other name: whoever misspelt it wants to see errors.
ErrorMode error_mode(const std::string& name);

/// Writes \p message to \p destination, a file, or to stderr when it is "off" or "stderr" or cannot be written. A
/// message is written once per process, and no more than twenty of them. With ErrorMode::abort MPI_Abort follows, where
/// MPI runs. Local.
void show_failure(ErrorMode mode, const std::string& destination, const std::string& message, int code);

}  // namespace adcl::runtime
