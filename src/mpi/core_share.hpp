/// \file core_share.hpp
/// Cores that several processes use.
#pragma once

namespace adcl::mpi {

/// Gives this process's core to whoever else wants it; returns for how many seconds it was away. Local.
double give_core_away_s();

}  // namespace adcl::mpi
