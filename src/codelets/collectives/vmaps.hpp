/// \file vmaps.hpp
/// The vmaps of collectives (thesis Tables 4.2 and 4.3).
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

#include "data/vmap.hpp"

namespace adcl::codelets {

/// An equal number of entries for each rank; for a broadcast, the total number of entries.
class AllVmap final : public data::Vmap {
 public:
  explicit AllVmap(int count) : count_(count) {}
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  int count_;
};

/// Entries that are combined by an operation.
class ReduceVmap final : public data::Vmap {
 public:
  ReduceVmap(int count, MPI_Op op) : count_(count), op_(op) {}
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] MPI_Op op() const noexcept { return op_; }

 private:
  int count_;
  MPI_Op op_;
};

/// Entries of each rank: counts and displacements, in entries.
class ListVmap final : public data::Vmap {
 public:
  ListVmap(std::vector<int> counts, std::vector<int> displs) : counts_(std::move(counts)), displs_(std::move(displs)) {}
  [[nodiscard]] const std::vector<int>& counts() const noexcept { return counts_; }
  [[nodiscard]] const std::vector<int>& displs() const noexcept { return displs_; }

 private:
  std::vector<int> counts_;
  std::vector<int> displs_;
};

/// Entries of each rank, with a datatype and a displacement in bytes for each rank.
class ListwVmap final : public data::Vmap {
 public:
  ListwVmap(std::vector<int> counts, std::vector<int> displs, std::vector<MPI_Datatype> types)
      : counts_(std::move(counts)), displs_(std::move(displs)), types_(std::move(types)) {}
  [[nodiscard]] const std::vector<int>& counts() const noexcept { return counts_; }
  [[nodiscard]] const std::vector<int>& displs() const noexcept { return displs_; }
  [[nodiscard]] const std::vector<MPI_Datatype>& types() const noexcept { return types_; }

 private:
  std::vector<int> counts_;
  std::vector<int> displs_;
  std::vector<MPI_Datatype> types_;
};

/// The data to send are in the receive array, or vice versa (MPI_IN_PLACE).
class InplaceVmap final : public data::Vmap {};

/// Entries sent to and received from each rank.
class AlltoallVmap final : public data::Vmap {
 public:
  AlltoallVmap(int scount, int rcount) : scount_(scount), rcount_(rcount) {}
  [[nodiscard]] int scount() const noexcept { return scount_; }
  [[nodiscard]] int rcount() const noexcept { return rcount_; }

 private:
  int scount_;
  int rcount_;
};

/// Entries that are combined, and the number of result entries of each rank.
class RedscatterVmap final : public data::Vmap {
 public:
  RedscatterVmap(std::vector<int> counts, MPI_Op op) : counts_(std::move(counts)), op_(op) {}
  [[nodiscard]] const std::vector<int>& counts() const noexcept { return counts_; }
  [[nodiscard]] MPI_Op op() const noexcept { return op_; }

 private:
  std::vector<int> counts_;
  MPI_Op op_;
};

}  // namespace adcl::codelets
