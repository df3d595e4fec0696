/// \file agreement.hpp
/// Agreement between ranks. Every decision of the library uses one of these functions (docs/agreement.md).
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "mpi/context.hpp"
#include "mpi/together.hpp"

namespace adcl::mpi {

/// A reduction with MAX that is posted at one start and awaited at a later start. It completes through MPI's own
/// progress. Ranks post the reductions of a communicator in the order of their starts.
class Agreement {
 public:
  Agreement() = default;
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement();

  [[nodiscard]] bool active() const noexcept { return active_; }
  /// Collective over \p context; does not block.
  void post(std::vector<double> numbers, Context& context);
  /// Returns the combined numbers. Waits for ranks that have not posted yet.
  std::span<const double> wait();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<double> local_;
  std::vector<double> reduced_;
  bool active_ = false;
};

/// Contributions of all ranks when an object is created, combined by one reduction of fixed size. Ranks that have not
/// failed add the same names in the same order.
class Ballot {
 public:
  static constexpr std::size_t max_codelets = 1024;

  /// Reports that this rank failed; it contributes nothing else.
  void fail();
  /// Adds a value for agreed().
  void same(const char* name, std::uint64_t value);
  /// Adds a value for largest().
  void largest(const char* name, std::uint64_t value) { same(name, value); }
  /// Adds a value for sum(), which computes modulo 2^64.
  void add(const char* name, std::uint64_t value);
  void set_mask(std::size_t bit) { votes_.masks.at(bit / 64) |= std::uint64_t{1} << (bit % 64); }

  /// For combined ballots: whether any rank failed. If so, the other results are undefined.
  [[nodiscard]] bool failed() const { return votes_.failed != 0; }
  /// For combined ballots: whether all ranks have the same value.
  [[nodiscard]] bool agreed(const char* name) const;
  [[nodiscard]] std::uint64_t largest(const char* name) const { return votes_.maxima.at(index(values_, name)); }
  [[nodiscard]] std::uint64_t sum(const char* name) const { return votes_.sums.at(index(sums_, name)); }
  [[nodiscard]] bool mask(std::size_t bit) const { return ((votes_.masks.at(bit / 64) >> (bit % 64)) & 1U) != 0; }

 private:
  static constexpr std::size_t max_values = 9;
  static constexpr std::size_t max_sums = 3;

  /// The data of the message.
  struct Votes {
    std::uint64_t failed = 0;                              ///< combined with MAX
    std::array<std::uint64_t, max_values> maxima{};        ///< combined with MAX
    std::array<std::uint64_t, max_values> complements{};   ///< combined with MAX, which gives the minima
    std::array<std::uint64_t, max_sums> sums{};            ///< combined with +
    std::array<std::uint64_t, max_codelets / 64> masks{};  ///< combined with bitwise or
  };
  friend class VotesReduction;
  friend Ballot combine(Context& context, const Ballot& local);

  static std::size_t index(std::span<const char* const> names, const char* name);

  std::vector<const char*> values_;  ///< names of maxima, in order
  std::vector<const char*> sums_;    ///< names of sums, in order
  Votes votes_;
};

/// Combines the ballots of all ranks. Collective. Throws the same error on all ranks, at the first call for \p context,
/// if a rank cannot create the reduction's datatype or operation.
Ballot combine(Context& context, const Ballot& local);

/// Returns for each index the text of the lowest rank whose text is not empty, prefixed with that rank; empty if no
/// rank has a text. All ranks pass the same number of texts. Collective.
std::vector<std::string> share_texts(Context& context, const std::vector<std::string>& own);

/// Returns rank 0's bytes on all ranks. The ranks may pass different numbers of bytes. Collective.
std::vector<std::byte> broadcast(Context& context, std::vector<std::byte> bytes);

/// Copies rank 0's bytes to all ranks, which pass the same number of bytes. Collective.
void broadcast(Context& context, std::span<std::byte> bytes);

}  // namespace adcl::mpi
