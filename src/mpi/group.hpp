/// \file group.hpp
/// Ownership of a process group.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

namespace adcl::mpi {

/// Owns a group. Everything is local.
class Group {
 public:
  Group() = default;
  /// The group of \p ranks of \p comm, which are ascending and distinct.
  Group(MPI_Comm comm, std::vector<int> ranks);
  Group(Group&& other) noexcept : group_(std::exchange(other.group_, MPI_GROUP_NULL)) {}
  Group& operator=(Group&& other) noexcept {
    std::swap(group_, other.group_);
    return *this;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();
  [[nodiscard]] MPI_Group get() const noexcept { return group_; }
  [[nodiscard]] bool empty() const noexcept { return group_ == MPI_GROUP_NULL || group_ == MPI_GROUP_EMPTY; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace adcl::mpi
