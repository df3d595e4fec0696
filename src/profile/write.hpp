/// \file write.hpp
/// Writes the profile of a rank.
#pragma once

namespace adcl::profile {

/// Call it when MPI is initialized: sets the start of the reported time. Later calls have no effect.
void begin_profile() noexcept;

/// Call it before MPI is finalized: writes the file of this rank to the folder named by the environment variable
/// ADCL_PROFILE, and creates the folder if needed. Does nothing if the variable is not set or the file cannot be
/// written. Later calls have no effect.
void write_profile() noexcept;

}  // namespace adcl::profile
