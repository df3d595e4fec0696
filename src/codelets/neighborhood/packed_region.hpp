/// \file packed_region.hpp
/// A region as a plain sequence of bytes, for codelets that store data in memory with their own layout.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "codelets/neighborhood/halo_problem.hpp"
#include "core/pack.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// Packs and unpacks exactly region.count() * element.size_bytes() bytes. Elements with holes are packed by MPI_Pack,
/// so that the holes are not modified.
class PackedRegion {
 public:
  PackedRegion() = default;
  /// The region of \p transfer in its source or destination array.
  PackedRegion(const HaloProblem& problem, const Transfer& transfer, Way way);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void pack(const Buffers& buffers, void* buffer) const;
  void unpack(const void* buffer, const Buffers& buffers) const;

  /// Reason why the data of \p problem cannot be sent as plain bytes, or nothing: both sides must pack and unpack the
  /// same bytes.
  static std::optional<std::string> applicable(const HaloProblem& problem);

 private:
  int field_ = 0;
  Packer packer_;       ///< packs dense elements
  mpi::Datatype type_;  ///< the region, if elements are not dense
  std::size_t bytes_ = 0;
  bool dense_ = true;
};

}  // namespace adcl::codelets
