/// \file together.hpp
/// How ranks fail together: a failure of one is known to all before any of them enters a collective call that the
/// others would wait in.
///
/// All agreements of this file are one reduction of the same form. A rank that fails in between meets the next
/// agreement of the others with its own, wherever that is.
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

/// An error that all ranks of the communicator throw: there is nothing left to agree on.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// The error that \p action throws, or nothing. Any exception becomes an Error.
std::optional<Error> error_of(const std::function<void()>& action);

/// What an action gave, or the error that it threw.
template <typename Result>
using Attempt = std::variant<Result, Error>;

/// What \p action gives, or the error that it throws.
template <typename Action>
Attempt<std::invoke_result_t<Action>> attempt(const Action& action) {
  std::optional<std::invoke_result_t<Action>> result;
  const auto error = error_of([&] { result = action(); });
  if (error.has_value()) {
    return *error;
  }
  return std::move(*result);
}

/// The same AgreedError on all ranks when any rank brings an error: that of the lowest such rank, prefixed with it.
/// Returns on all ranks otherwise. Collective over \p comm.
void agree_on_success(MPI_Comm comm, const std::optional<Error>& local);

/// Like agree_on_success when it is already known that some rank brings an error. Collective; always throws.
[[noreturn]] void share_error(MPI_Comm comm, const std::optional<Error>& local);

/// Does \p work and throws the same AgreedError on all ranks when it throws on one. Work that agrees on \p comm itself
/// may be part of it. Work that calls MPI collectively may be all of it: what only some ranks have got then must not be
/// freed collectively. Collective over \p comm.
void do_together(MPI_Comm comm, const std::function<void()>& work);

/// The largest of each of the \p values of all ranks. Collective over \p comm; throws where another rank failed.
std::array<int, 2> maxima(MPI_Comm comm, const std::array<int, 2>& values);

/// The largest \p value of all ranks. Collective over \p comm; throws where another rank failed.
int maximum(MPI_Comm comm, int value);

}  // namespace adcl::mpi
