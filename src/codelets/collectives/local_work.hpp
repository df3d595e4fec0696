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

/// Number of entries, or of packed bytes, as MPI takes it. Throws Error(unsupported) beyond INT_MAX.
int count_of(const Piece& piece);

/// The datatype with which a piece travels: MPI_PACKED where it is packed, which matches every other one.
inline MPI_Datatype type_of(const Piece& piece) { return piece.type != nullptr ? piece.type->type() : MPI_PACKED; }

/// One copy, prepared.
class LocalCopy {
 public:
  LocalCopy(const Piece& from, const Piece& to);
  void run(const std::byte* from, std::byte* to);

 private:
  void pack(const std::byte* from, std::byte* packed) const;
  void unpack(const std::byte* packed, std::byte* to) const;

  Piece from_;
  Piece to_;
  bool from_is_packed_;  ///< or dense, which is the same memory
  bool to_is_packed_;
  std::vector<std::byte> buffer_;  ///< between two that are not
};

/// \p to becomes \p from \p op \p to. Throws Error(mpi).
void combine(const std::byte* from, std::byte* to, int count, MPI_Datatype type, MPI_Op op);

}  // namespace adcl::codelets
