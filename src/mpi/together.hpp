/// \file together.hpp
/// Collective error handling: the ranks agree on a failure before any rank enters a collective call in which it would
/// wait for the failed rank.
///
/// All agreements in this file use the same reduction. A rank that fails between two agreements enters this reduction
/// with its failure. It thereby takes part in the next agreement of the other ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"

namespace adcl::mpi {

/// An error that all ranks of the communicator throw, so no further agreement is needed.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// Returns the error that \p action throws, or nothing. Converts any exception to an Error.
std::optional<Error> error_of(const std::function<void()>& action);

/// Result of an action, or the error that it threw.
template <typename Result>
using Attempt = std::variant<Result, Error>;

/// Returns the result of \p action, or the error that it throws.
template <typename Action>
Attempt<std::invoke_result_t<Action>> attempt(const Action& action) {
  std::optional<std::invoke_result_t<Action>> result;
  const auto error = error_of([&] { result = action(); });
  if (error.has_value()) {
    return *error;
  }
  return std::move(*result);
}

/// Throws the same AgreedError on all ranks if any rank passes an error: the error of the lowest such rank, prefixed
/// with that rank. Otherwise returns on all ranks. Collective over \p comm.
void agree_on_success(MPI_Comm comm, const std::optional<Error>& local);

/// Like agree_on_success, after the ranks have agreed that a rank has an error. Collective; always throws.
[[noreturn]] void share_error(MPI_Comm comm, const std::optional<Error>& local);

/// Runs \p work, and throws the same AgreedError on all ranks if it throws on one. Part of \p work may itself agree on
/// \p comm. Collective MPI calls are allowed if \p work consists only of them; objects that then exist only on some
/// ranks must not be freed collectively. Collective over \p comm.
void run_collectively(MPI_Comm comm, const std::function<void()>& work);

/// Element-wise maximum of \p values over all ranks. Collective over \p comm; throws if another rank failed.
std::array<int, 2> maxima(MPI_Comm comm, const std::array<int, 2>& values);

/// Maximum of \p value over all ranks. Collective over \p comm; throws if another rank failed.
int maximum(MPI_Comm comm, int value);

}  // namespace adcl::mpi
