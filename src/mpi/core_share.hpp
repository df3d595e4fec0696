/// \file core_share.hpp
/// Yields a core that several processes use.
#pragma once

namespace adcl::mpi {

/// Yields this process's core to other processes; returns the seconds until this process ran again. Local.
double yield_core_s();

}  // namespace adcl::mpi
