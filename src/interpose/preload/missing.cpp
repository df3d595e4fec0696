#include "interpose/preload/missing.hpp"

#include <mpi.h>

namespace adcl::interpose {

int missing_function() noexcept { return MPI_ERR_OTHER; }

}  // namespace adcl::interpose
