/// \file datatype.hpp
/// Derived datatypes: ownership, properties of a user's type, and the types of regions.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "core/region.hpp"

namespace adcl::mpi {

/// Owns a committed datatype.
class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype type) : type_(type) {}
  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype();
  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// One grid point of a vector: nc entries of the user's datatype, one after the other.
class Element {
 public:
  /// \p nc = 0 is one entry. Throws Error(type) when \p type is null or not committed.
  Element(MPI_Datatype type, int nc);

  /// The datatype for messages. A predefined datatype is used unchanged: reductions accept it, and MPI libraries are
  /// faster with it.
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }
  /// The handle that the application passed, if a point is one entry; user-defined operations receive it. It stays
  /// valid after the application frees the datatype.
  [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }
  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_bytes_; }      ///< bytes of data in a point
  [[nodiscard]] std::int64_t extent_bytes() const noexcept { return extent_bytes_; }  ///< distance of two points
  /// First byte of a point's data, relative to its address, and the number of bytes up to its last byte.
  [[nodiscard]] std::int64_t true_lower_bound() const noexcept { return true_lower_bound_; }
  [[nodiscard]] std::int64_t true_extent() const noexcept { return true_extent_; }
  /// True when a point is `extent_bytes` bytes without holes: it may be moved as bytes.
  [[nodiscard]] bool dense() const noexcept { return dense_; }
  /// True when the datatype is MPI_PACKED, which matches every other datatype.
  [[nodiscard]] bool packed() const noexcept { return packed_; }
  /// True when the basic datatypes differ in size, such as the int and the double of a structure.
  [[nodiscard]] bool mixed() const noexcept { return mixed_; }
  /// Hash of memory layout and signature; the same on all ranks of machines with equal type sizes.
  [[nodiscard]] std::uint64_t layout_hash() const noexcept { return layout_hash_; }
  /// The basic datatypes of a point, in the order of the message; equal for sender and receiver.
  [[nodiscard]] const SequenceHash& signature() const noexcept { return signature_; }
  /// Name for messages and the history, such as "MPI_DOUBLE x 3" or "derived datatype of 40 bytes".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  void keep_handle(MPI_Datatype type);

  Datatype owned_;      ///< null if the type is predefined
  Datatype reference_;  ///< keeps handle_ alive, or null
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  std::string name_;
  std::int64_t size_bytes_ = 0;
  std::int64_t extent_bytes_ = 0;
  std::int64_t true_lower_bound_ = 0;
  std::int64_t true_extent_ = 0;
  std::uint64_t layout_hash_ = 0;
  SequenceHash signature_;
  bool dense_ = false;
  bool packed_ = false;
  bool mixed_ = false;
};

/// The committed datatype of a region relative to the address of the array's first point; one instance of it is the
/// whole region. An empty region gives a type of size 0, which every MPI library accepts with count 1.
Datatype region_type(const Region& region, const Grid& grid, const Element& element);

/// One committed datatype for all \p parts, each at its displacement in bytes.
Datatype joined_type(std::vector<Datatype> parts, const std::vector<MPI_Aint>& displacements);

}  // namespace adcl::mpi
