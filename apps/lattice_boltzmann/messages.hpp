/// \file messages.hpp
/// A population as an array with a halo, and its exchange by the program's own messages.
#pragma once

#include <mpi.h>

#include <vector>

#include "block.hpp"

namespace lattice_boltzmann {

/// One population of all points of a block. If its velocity has a component along an axis, there is one layer of halo
/// on the side that it comes from.
class Field {
 public:
  Field(const Extents& block, const Extents& velocity);

  [[nodiscard]] const Extents& velocity() const noexcept { return velocity_; }
  [[nodiscard]] const Extents& extents() const noexcept { return extents_; }
  [[nodiscard]] double* data() noexcept { return values_.data(); }

  /// Address of point (x, y, z) of the block; -1 and the block's extent are the halo.
  [[nodiscard]] double* at(int x, int y, int z) noexcept { return values_.data() + offset(x, y, z); }
  [[nodiscard]] const double* at(int x, int y, int z) const noexcept { return values_.data() + offset(x, y, z); }

 private:
  [[nodiscard]] std::size_t offset(int x, int y, int z) const noexcept {
    const auto i = static_cast<std::size_t>(x + shift_[0]);
    const auto j = static_cast<std::size_t>(y + shift_[1]);
    const auto k = static_cast<std::size_t>(z + shift_[2]);
    return (i * static_cast<std::size_t>(extents_[1]) + j) * static_cast<std::size_t>(extents_[2]) + k;
  }

  Extents velocity_;
  Extents extents_;
  Extents shift_;  ///< index of the block's first point
  std::vector<double> values_;
};

/// Packs the populations that move to each of the 6 neighbors along axes and 12 along diagonals, with all fields
/// for a neighbor in one message or in separate messages.
class Messages {
 public:
  /// \p fields must outlive the messages.
  Messages(const Block& block, std::vector<Field>& fields);

  /// For app_exchange_plain; \p messages is a Messages.
  static void begin(void* messages, int first, int last);
  static void end(void* messages, int first, int last);

 private:
  struct Part {
    std::size_t field;
    Box sent;
    Box received;
    std::size_t size;
  };
  struct Direction {
    int to;
    int from;
    int tag;
    std::vector<Part> parts;
    std::vector<double> send_buffer;
    std::vector<double> receive_buffer;
  };

  void start(int first, int last);
  void finish(int first, int last);

  MPI_Comm comm_;
  std::vector<Field>& fields_;
  std::vector<Direction> directions_;
  std::vector<MPI_Request> requests_;
};

}  // namespace lattice_boltzmann
