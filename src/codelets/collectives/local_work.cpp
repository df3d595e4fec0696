#include "codelets/collectives/local_work.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/packing.hpp"

namespace adcl::codelets {
namespace {

bool is_bytes(const Piece& piece) { return piece.type == nullptr || piece.type->dense(); }

}  // namespace

int count_of(const Piece& piece) {
  require(piece.count <= std::numeric_limits<int>::max(), Code::unsupported, "a message has ", piece.count,
          piece.type != nullptr ? " entries" : " bytes", ", which is more than an int can hold");
  return static_cast<int>(piece.count);
}

LocalCopy::LocalCopy(const Piece& from, const Piece& to)
    : from_(from), to_(to), from_is_packed_(is_bytes(from)), to_is_packed_(is_bytes(to)) {
  if (!from_is_packed_ && !to_is_packed_) {
    buffer_.resize(static_cast<std::size_t>(from.bytes()));
  }
}

void LocalCopy::pack(const std::byte* from, std::byte* packed) const {
  mpi::pack_entries(from, from_.count, *from_.type, packed);
}

void LocalCopy::unpack(const std::byte* packed, std::byte* to) const {
  mpi::unpack_entries(packed, to, to_.count, *to_.type);
}

void LocalCopy::run(const std::byte* from, std::byte* to) {
  if (from_is_packed_ && to_is_packed_) {
    std::memcpy(to, from, static_cast<std::size_t>(from_.bytes()));
  } else if (from_is_packed_) {
    unpack(from, to);
  } else if (to_is_packed_) {
    pack(from, to);
  } else {
    pack(from, buffer_.data());
    unpack(buffer_.data(), to);
  }
}

void combine(const std::byte* from, std::byte* to, int count, MPI_Datatype type, MPI_Op op) {
  mpi::check(MPI_Reduce_local(from, to, count, type, op), "MPI_Reduce_local");
}

}  // namespace adcl::codelets
