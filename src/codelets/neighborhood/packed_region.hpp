/// \file packed_region.hpp
/// A region as a plain sequence of bytes, for codelets that carry data in memory of their own layout.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "codelets/neighborhood/halo_problem.hpp"
#include "core/pack.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// Packs and unpacks exactly region.count() * element.size_bytes() bytes. Elements with holes go through MPI_Pack, so
/// that the holes stay as they are.
class PackedRegion {
 public:
  PackedRegion() = default;
  /// Of the array that \p transfer is taken from, or goes to.
  PackedRegion(const HaloProblem& problem, const Transfer& transfer, Way way);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void pack(const Buffers& buffers, void* buffer) const;
  void unpack(const void* buffer, const Buffers& buffers) const;

  /// Why the data of \p problem cannot be carried as plain bytes, or nothing: what is packed on one side must be what
  /// is unpacked on the other.
  static std::optional<std::string> applicable(const HaloProblem& problem);

 private:
  int field_ = 0;
  Packer packer_;       ///< dense elements
  mpi::Datatype type_;  ///< others: the region
  std::size_t bytes_ = 0;
  bool dense_ = true;
};

}  // namespace adcl::codelets
