/// \file write.hpp
/// Writes the profile of a rank.
#pragma once

namespace adcl::profile {

/// Sets the start of the reported time. Call it when MPI is initialized; later calls have no effect.
void begin_profile() noexcept;

/// Writes the file of this rank to the folder named by the environment variable ADCL_PROFILE, and creates the folder if
/// needed. Call it before MPI is finalized; later calls have no effect. Does nothing if the variable is not set or the
/// file cannot be written.
void write_profile() noexcept;

}  // namespace adcl::profile
