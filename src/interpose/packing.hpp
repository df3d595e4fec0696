/// \file packing.hpp
/// Copies blocks of data between the program's datatypes and contiguous memory.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace adcl::interpose {

/// A block of data in the program's memory.
struct Block {
  std::byte* address = nullptr;
  std::int64_t count = 0;  ///< entries
  MPI_Datatype type = MPI_BYTE;
  std::int64_t bytes = 0;  ///< size of the type signature
  bool dense = false;      ///< same memory layout as packed data
};

/// MPI_Irecv and MPI_Isend of a block, with large counts if the MPI library has them. Return MPI's code.
int post_receive(const Block& block, int peer, int tag, MPI_Comm comm, MPI_Request* request);
int post_send(const Block& block, int peer, int tag, MPI_Comm comm, MPI_Request* request);

/// Packs and unpacks blocks with MPI_Pack and MPI_Unpack. Instead sends messages to this rank itself where MPICH 4.0
/// fails: it packs only a part of some contiguous datatypes, and rejects the null pointer, which is its MPI_BOTTOM.
/// Never waits for another rank.
class Packing {
 public:
  /// \p tag: the tag of the messages, which no other communication on \p comm uses.
  Packing(MPI_Comm comm, int rank, int tag) noexcept : comm_(comm), rank_(rank), tag_(tag) {}

  /// Throws Error.
  void pack(const Block& block, std::byte* into) const;
  /// Throws Error.
  void unpack(const std::byte* from, const Block& block) const;
  /// Copies a block by a message. Throws Error.
  void send_to_self(const Block& from, const Block& to) const;

 private:
  MPI_Comm comm_;
  int rank_;
  int tag_;
};

}  // namespace adcl::interpose
