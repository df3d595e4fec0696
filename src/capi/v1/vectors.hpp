/// \file vectors.hpp
/// The vectors of ADCL_v1.h, which include their vmap, and their pointer arrays.
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

/// A vmap without a count: the whole vector, for one rank or divided into equal blocks for all ranks, with or without a
/// reduction.
class WholeVmap final : public data::Vmap {
 public:
  explicit WholeVmap(std::optional<MPI_Op> op) : op_(op) {}
  [[nodiscard]] const std::optional<MPI_Op>& op() const noexcept { return op_; }

 private:
  std::optional<MPI_Op> op_;
};

/// Data that a vector of ADCL_v1.h has in addition to a vector of ADCL.h.
struct Attachment {
  std::shared_ptr<data::Vmap> vmap;
  std::vector<void*> pointers;  ///< pointer array over its memory, if it was allocated with several dimensions
};

/// The attachments of all vectors, by handle.
class Attachments {
 public:
  void put(ADCL_Vector vector, Attachment attachment) {
    const std::scoped_lock lock(mutex_);
    entries_[vector] = std::move(attachment);
  }
  void drop(ADCL_Vector vector) {
    const std::scoped_lock lock(mutex_);
    entries_.erase(vector);
  }
  void drop_all() {
    const std::scoped_lock lock(mutex_);
    entries_.clear();
  }
  /// Returns the vmap; null if the vector was not created through ADCL_v1.h.
  [[nodiscard]] std::shared_ptr<data::Vmap> vmap_of(ADCL_Vector vector) const {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(vector);
    return entry != entries_.end() ? entry->second.vmap : nullptr;
  }

 private:
  mutable std::mutex mutex_;
  std::map<ADCL_Vector, Attachment> entries_;
};

Attachments& attachments();

}  // namespace adcl::capi::v1
