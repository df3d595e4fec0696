/// \file problem.hpp
/// What is to be communicated, from the point of view of one rank. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace adcl {

/// Where the data of one field are. Both addresses are the same when a vector is sent from and received into.
struct FieldBuffers {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// Where the data of one operation are, field by field. What it refers to stays until the operation is complete.
using Buffers = std::span<const FieldBuffers>;

/// Base of the problems of all patterns; a codelet knows which pattern its table serves.
class Problem {
 public:
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  /// Hash of everything that makes two problems of this rank the same: pattern, topology and its shape, counts,
  /// datatype, halo widths, MPI library. Buffers and tags are not part of it.
  [[nodiscard]] virtual std::uint64_t signature() const = 0;

  /// One line for traces and reports, such as "halo 3-D 34x34x34 doubles, width 1, 6 neighbours".
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace adcl
