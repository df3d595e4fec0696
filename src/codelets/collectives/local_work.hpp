/// \file local_work.hpp
/// Copying and combining entries in this rank's own memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codelets/collectives/schedule.hpp"
#include "core/address.hpp"

namespace adcl::codelets {

/// Number of entries, or of packed bytes, as an int. Throws Error(unsupported) beyond INT_MAX.
int count_of(const Piece& piece);

/// The datatype in which a piece is sent: MPI_PACKED if it is packed, which matches every other datatype.
inline MPI_Datatype type_of(const Piece& piece) { return piece.type != nullptr ? piece.type->type() : MPI_PACKED; }

/// A prepared copy.
class LocalCopy {
 public:
  LocalCopy(const Piece& from, const Piece& to);
  void run(const std::byte* from, std::byte* to);

 private:
  void pack(const std::byte* from, std::byte* packed) const;
  void unpack(const std::byte* packed, std::byte* to) const;

  Piece from_;
  Piece to_;
  bool from_is_packed_;  ///< true for packed data or dense entries, which have the same layout
  bool to_is_packed_;
  std::vector<std::byte> buffer_;  ///< intermediate buffer, if neither side is packed
};

/// Computes \p to = \p from \p op \p to. Throws Error(mpi).
void combine(const std::byte* from, std::byte* to, int count, MPI_Datatype type, MPI_Op op);

}  // namespace adcl::codelets
