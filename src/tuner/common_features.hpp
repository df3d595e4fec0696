/// \file common_features.hpp
/// The features of a problem, as all ranks know them: searches that are remembered are compared by these.
#pragma once

#include <cstdint>

#include "core/problem.hpp"
#include "mpi/context.hpp"

namespace adcl::runtime {

/// Of names and values; never 0. Local.
std::uint64_t hash_of(const Features& features);

/// Rank 0's. \p own are this rank's; \p alike: all ranks have the same, and the same value of it; nobody needs to be
/// told then. Collective where they are not alike.
Features common_features(mpi::Context& context, Features own, bool alike);

}  // namespace adcl::runtime
