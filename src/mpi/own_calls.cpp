#include "mpi/own_calls.hpp"

namespace adcl::mpi {

constinit thread_local int own_calls_depth = 0;

}  // namespace adcl::mpi
