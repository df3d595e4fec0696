/// \file agreement.hpp
/// How ranks come to the same conclusion. Every choice of the library goes through one of these (design rule 1).
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

/// A reduction with MAX that is posted at one start and awaited at a later one. Only MPI's own progress is needed for
/// it to complete, and ranks post the reductions of a communicator in the order of their starts.
class Agreement {
 public:
  Agreement() = default;
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement();

  [[nodiscard]] bool active() const noexcept { return active_; }
  /// Collective over \p context, not waiting for anybody.
  void post(std::vector<double> numbers, Context& context);
  /// The combined numbers. Waits for ranks that have not posted yet.
  std::span<const double> wait();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<double> local_;
  std::vector<double> reduced_;
  bool active_ = false;
};

/// agree_on_success over the context's communicator.
inline void agree_on_success(Context& context, const std::optional<Error>& local) {
  agree_on_success(context.comm(), local);
}

/// share_error over the context's communicator.
[[noreturn]] inline void share_error(Context& context, const std::optional<Error>& local) {
  share_error(context.comm(), local);
}

/// do_together over the context's communicator.
inline void do_together(Context& context, const std::function<void()>& action) { do_together(context.comm(), action); }

/// What all ranks contribute when something is created; combined by one reduction of fixed size. Ranks that have not
/// failed add the same names in the same order.
class Ballot {
 public:
  static constexpr std::size_t max_codelets = 1024;

  /// This rank has nothing to contribute but that it failed.
  void fail();
  /// A value that agreed() compares.
  void same(const char* name, std::uint64_t value);
  /// A value of which largest() is asked.
  void largest(const char* name, std::uint64_t value) { same(name, value); }
  /// A value of which sum() is asked, modulo 2^64.
  void add(const char* name, std::uint64_t value);
  void set_mask(std::size_t bit) { votes_.masks.at(bit / 64) |= std::uint64_t{1} << (bit % 64); }

  /// Of combined ballots: whether any rank failed. Nothing else may be asked then.
  [[nodiscard]] bool failed() const { return votes_.failed != 0; }
  /// Of combined ballots: whether all ranks have the same value.
  [[nodiscard]] bool agreed(const char* name) const;
  [[nodiscard]] std::uint64_t largest(const char* name) const { return votes_.maxima.at(place(values_, name)); }
  [[nodiscard]] std::uint64_t sum(const char* name) const { return votes_.sums.at(place(sums_, name)); }
  [[nodiscard]] bool mask(std::size_t bit) const { return ((votes_.masks.at(bit / 64) >> (bit % 64)) & 1U) != 0; }

 private:
  static constexpr std::size_t max_values = 9;
  static constexpr std::size_t max_sums = 3;

  /// What is sent.
  struct Votes {
    std::uint64_t failed = 0;                              ///< combined with MAX
    std::array<std::uint64_t, max_values> maxima{};        ///< combined with MAX
    std::array<std::uint64_t, max_values> complements{};   ///< combined with MAX, so that minima are known as well
    std::array<std::uint64_t, max_sums> sums{};            ///< combined with +
    std::array<std::uint64_t, max_codelets / 64> masks{};  ///< combined with or, bit by bit
  };
  friend class VotesReduction;
  friend Ballot combine(Context& context, const Ballot& local);

  static std::size_t place(std::span<const char* const> names, const char* name);

  std::vector<const char*> values_;  ///< names of maxima, in order
  std::vector<const char*> sums_;    ///< names of sums, in order
  Votes votes_;
};

/// Combines the ballots of all ranks. Collective. Throws the same error on all ranks, at the first call for \p context,
/// when a rank cannot make what the reduction needs.
Ballot combine(Context& context, const Ballot& local);

/// For each place the text of the lowest rank that has one there, which the text then names; empty where no rank has
/// one. All ranks bring equally many. Collective.
std::vector<std::string> share_texts(Context& context, const std::vector<std::string>& own);

/// Rank 0's bytes on all ranks, however many these are. Collective.
std::vector<std::byte> broadcast(Context& context, std::vector<std::byte> bytes);

/// Rank 0's bytes on all ranks, which bring equally many. Collective.
void broadcast(Context& context, std::span<std::byte> bytes);

}  // namespace adcl::mpi
