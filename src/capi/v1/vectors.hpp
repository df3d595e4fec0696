/// \file vectors.hpp
/// The vectors of ADCL_v1.h, which include their vmap and their pointer array.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <vector>

#include "capi/v1/codes.hpp"
#include "data/vector.hpp"
#include "data/vmap.hpp"

namespace adcl::capi::v1 {

/// A vmap without a count: the whole vector, for one rank or divided into equal blocks for all ranks, with or without a
/// reduction.
struct WholeVmap final : data::Vmap {
  explicit WholeVmap(std::optional<MPI_Op> operation) : op(operation) {}
  std::optional<MPI_Op> op;
};

/// A vector of ADCL_v1.h.
struct V1Vector final : data::Vector {
  using Vector::Vector;
  std::shared_ptr<data::Vmap> vmap;
  std::vector<void*> pointers;  ///< pointer array over its memory, if it was allocated with several dimensions
};

}  // namespace adcl::capi::v1
