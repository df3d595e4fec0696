/// \file faces.hpp
/// The parts of a block that a halo exchange moves, and hand-written loops that copy them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

namespace twins {

/// Fields of doubles on an n-dimensional block with one halo layer, in C order, on a Cartesian communicator. One to
/// three dimensions.
struct Block {
  MPI_Comm cart = MPI_COMM_NULL;
  std::vector<int> dims;  ///< halo included
  std::vector<double*> fields;
  bool corners = false;  ///< exchange edges and corners too

  [[nodiscard]] std::size_t points() const;
};

/// A box within a block; extents in dimensions that the block does not have are 1. The last dimension is contiguous.
struct Box {
  std::array<int, 3> start;
  std::array<std::size_t, 3> extent;
  std::array<std::size_t, 3> stride;  ///< in doubles

  [[nodiscard]] std::size_t count() const { return extent[0] * extent[1] * extent[2]; }
  [[nodiscard]] std::size_t offset() const;
};

/// Packs a box, or unpacks it; returns the end of the packed data.
double* pack(const Box& box, const double* array, double* buffer);
const double* unpack(const Box& box, const double* buffer, double* array);
/// Copies a box to a box of the same extents.
void copy(const Box& from, const double* source, const Box& to, double* target);

/// Adds one to each cell of a box.
void increment(const Box& box, double* array);

/// One direction: the box to send and the box to receive.
struct Side {
  int peer = MPI_PROC_NULL;
  int send_tag = 0;
  int receive_tag = 0;
  Box send;
  Box receive;
  Box sent_by_peer;  ///< received data, within the peer's block
};

/// The sides of a block that have a neighbor. A received side has the tag of the peer's sending side, which
/// distinguishes two messages between the same ranks.
std::vector<Side> sides_of(const Block& block);

}  // namespace twins
