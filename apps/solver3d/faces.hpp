/// \file faces.hpp
/// MPI datatypes of the exchanged layers of an array.
#pragma once

#include <mpi.h>

#include <array>

#include "grid.hpp"

namespace solver3d {

/// A layer of the block, or of the adjacent halo: a box of the padded array.
struct Layer {
  Extents first;  ///< index in the padded array
  Extents extents;
};

/// The outermost layer of the block at a side (sent), and the adjacent halo layer (received).
Layer inner_layer(const Layout& layout, int dimension, Side side);
Layer halo_layer(const Layout& layout, int dimension, Side side);

/// Datatypes of the six layers sent and received, relative to the first element of an array.
class FaceTypes {
 public:
  explicit FaceTypes(const Layout& layout);
  FaceTypes(const FaceTypes&) = delete;
  FaceTypes& operator=(const FaceTypes&) = delete;
  ~FaceTypes();

  [[nodiscard]] MPI_Datatype sent(int dimension, Side side) const { return sent_[index(dimension, side)]; }
  [[nodiscard]] MPI_Datatype received(int dimension, Side side) const { return received_[index(dimension, side)]; }

 private:
  static std::size_t index(int dimension, Side side) { return 2 * static_cast<std::size_t>(dimension) + side; }

  std::array<MPI_Datatype, 6> sent_{};
  std::array<MPI_Datatype, 6> received_{};
};

/// Tag of a message that leaves its sender at this side. It distinguishes the two messages between the same two
/// processes.
constexpr int tag_of(int dimension, Side side) { return 2 * dimension + side; }
constexpr Side opposite(Side side) { return side == low ? high : low; }

}  // namespace solver3d
