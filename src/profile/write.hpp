/// \file write.hpp
/// The file of a rank.
#pragma once

namespace adcl::profile {

/// Called where MPI starts: sets the beginning of the time that is reported. Later calls change nothing.
void begin_profile() noexcept;

/// Called where MPI ends, while it can still be asked: writes the file of this rank into the folder that the
/// environment variable ADCL_PROFILE names, which is made where it is missing. Without the variable, or when the file
/// cannot be written, nothing happens. Later calls do nothing.
void write_profile() noexcept;

}  // namespace adcl::profile
