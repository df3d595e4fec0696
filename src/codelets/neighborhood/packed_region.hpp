/// \file packed_region.hpp
/// A region as a plain sequence of bytes, for codelets that carry data in memory of their own layout.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/halo_problem.hpp"
#include "core/pack.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// Packs and unpacks exactly region.count() * element.size_bytes() bytes. Elements with holes go through MPI_Pack, so
/// that the holes stay as they are.
class PackedRegion {
 public:
  PackedRegion() = default;
  PackedRegion(const Region& region, const Grid& grid, const mpi::Element& element);

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void pack(const void* array, void* buffer) const;
  void unpack(const void* buffer, void* array) const;

  /// Why the data of \p problem cannot be carried as plain bytes, or nothing: what is packed on one side must be what
  /// is unpacked on the other.
  static std::optional<std::string> applicable(const HaloProblem& problem);

 private:
  Packer packer_;       ///< dense elements
  mpi::Datatype type_;  ///< others: the region
  std::size_t bytes_ = 0;
  bool dense_ = true;
};

}  // namespace adcl::codelets
