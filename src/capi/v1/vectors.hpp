/// \file vectors.hpp
/// The vectors of ADCL_v1.h, which carry their vmap, and their arrays of pointers.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "capi/v1/codes.hpp"
#include "data/vmap.hpp"

namespace adcl::capi::v1 {

/// A vmap without a count: all of the vector, for one rank or in equal blocks for all, combined or not.
class WholeVmap final : public data::Vmap {
 public:
  explicit WholeVmap(std::optional<MPI_Op> op) : op_(op) {}
  [[nodiscard]] const std::optional<MPI_Op>& op() const noexcept { return op_; }

 private:
  std::optional<MPI_Op> op_;
};

/// What a vector has besides what ADCL.h's have.
struct Attachment {
  std::shared_ptr<data::Vmap> vmap;
  std::vector<void*> pointers;  ///< over its memory, where it was allocated with several dimensions
};

/// The attachments of all vectors, by handle.
class Attachments {
 public:
  void put(ADCL_Vector vector, Attachment attachment);
  void drop(ADCL_Vector vector);
  void drop_all();
  /// The vmap, or null: the vector was not made through ADCL_v1.h.
  [[nodiscard]] std::shared_ptr<data::Vmap> vmap_of(ADCL_Vector vector) const;

 private:
  mutable std::mutex mutex_;
  std::map<ADCL_Vector, Attachment> entries_;
};

Attachments& attachments();

}  // namespace adcl::capi::v1
