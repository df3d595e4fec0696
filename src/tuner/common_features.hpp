/// \file common_features.hpp
/// The features of a problem that all ranks know. Stored searches are compared by them.
#pragma once

#include <cstdint>

#include "core/problem.hpp"
#include "mpi/context.hpp"

namespace adcl::runtime {

/// Hash of names and values; never 0. Local.
std::uint64_t hash_of(const Features& features);

/// Returns rank 0's features. \p own: this rank's features; \p alike: all ranks have equal features, and pass the same
/// value here. Collective unless \p alike.
Features common_features(mpi::Context& context, Features own, bool alike);

}  // namespace adcl::runtime
