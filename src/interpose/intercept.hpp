/// \file intercept.hpp
/// Runs an intercepted call. Calls that the MPI library makes inside of it, such as those of C functions by its Fortran
/// interface, are passed through.
#pragma once

#include "interpose/block_lists.hpp"
#include "interpose/collective_call.hpp"
#include "interpose/search.hpp"

namespace adcl::interpose {

/// Runs a call by its search, or passes it through if there is none. Returns MPI's code.
int run_searched(Call function, const CollectiveCall& call, const NativeCall& native);

/// Runs MPI_Reduce_scatter with \p call, whose sides have no count. With the same count for all ranks it is
/// MPI_Reduce_scatter_block, and other calls are passed through. MPI requires the same \p counts on all ranks.
int run_reduce_scatter(CollectiveCall call, const Numbers& counts, const NativeCall& native);

/// Passes a call through and counts it. Returns MPI's code.
int run_passed(Call function, const NativeCall& native);

}  // namespace adcl::interpose
