/// \file blocks.hpp
/// Data that the ranks of a collective send, and the data that they must receive; the same for all kinds of calls.
/// Every function uses equal counts on all ranks, because the benchmark compares how one message size scales.
#pragma once

#include <mpi.h>

#include <vector>

#include "function.hpp"
#include "transfer.hpp"

namespace adcl::bench {

/// Counts, displacements and types of a block for each rank, one after the other.
struct Layout {
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;

  Layout(const Setting& setting, MPI_Datatype type, int count);
  /// Blocks of bytes.
  explicit Layout(const Setting& setting);
};

/// Elements of a message.
int bytes_of(const Setting& setting);
int doubles_of(const Setting& setting);

/// The root's message, in the receive buffer of every rank.
Transfer::Data from_root_to_all(const Setting& setting);
/// The root has a block for each rank.
Transfer::Data from_root(const Setting& setting);
/// The root receives a block of each rank.
Transfer::Data to_root(const Setting& setting);
/// Every rank receives the same block of each rank.
Transfer::Data to_all(const Setting& setting);
/// Every rank has a block for each rank.
Transfer::Data between_all(const Setting& setting);
/// The sum of all ranks' messages, at the root and on all ranks.
Transfer::Data sum_at_root(const Setting& setting);
Transfer::Data sum_of_all(const Setting& setting);
/// Each rank contributes a vector for all ranks and keeps the sum of its own part.
Transfer::Data scattered_sum(const Setting& setting);
/// The sum over the first \p ranks ranks; with 0 ranks, the result is not defined.
Transfer::Data prefix_sum(const Setting& setting, int ranks);

}  // namespace adcl::bench
