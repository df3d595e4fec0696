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

/// What all ranks contribute when something is created; combined by one reduction of fixed size.
struct Ballot {
  static constexpr std::size_t max_codelets = 1024;

  /// Combined with MAX. A value that must be equal everywhere goes in with its complement.
  std::array<std::uint64_t, 14> maxima{};
  /// Combined with +, modulo 2^64.
  std::array<std::uint64_t, 4> sums{};
  /// Combined with or, bit by bit.
  std::array<std::uint64_t, max_codelets / 64> masks{};

  void set_mask(std::size_t bit) { masks.at(bit / 64) |= std::uint64_t{1} << (bit % 64); }
  [[nodiscard]] bool mask(std::size_t bit) const { return ((masks.at(bit / 64) >> (bit % 64)) & 1U) != 0; }
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
