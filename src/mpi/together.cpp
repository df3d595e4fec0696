#include "mpi/together.hpp"

#include <exception>
#include <new>
#include <string>

#include "mpi/check.hpp"

namespace adcl::mpi {
namespace {

constexpr std::size_t failed = 0;
constexpr std::size_t first_value = 1;
/// Failure flag, and two numbers.
using Ballot = std::array<int, 3>;

Ballot combined(MPI_Comm comm, Ballot ballot) {
  check(MPI_Allreduce(MPI_IN_PLACE, ballot.data(), static_cast<int>(ballot.size()), MPI_INT, MPI_MAX, comm),
        "MPI_Allreduce");
  return ballot;
}

}  // namespace

std::optional<Error> error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Code::memory, "out of memory");
  } catch (const std::exception& error) {
    return Error(Code::internal, error.what());
  } catch (...) {  // only functions of the application throw other types
    return Error(Code::callback, "a function of the application threw an exception that is not a std::exception");
  }
  return std::nullopt;
}

void share_error(MPI_Comm comm, const std::optional<Error>& local) {
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  int owner = local.has_value() ? rank : size;
  check(MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  require(owner < size, Code::internal, "the ranks disagree on whether there is an error");
  std::string message = local.has_value() ? local->what() : "";
  std::array<int, 2> head{local.has_value() ? static_cast<int>(local->code()) : 0, static_cast<int>(message.size())};
  check(MPI_Bcast(head.data(), 2, MPI_INT, owner, comm), "MPI_Bcast");
  message.resize(static_cast<std::size_t>(head[1]));
  check(MPI_Bcast(message.data(), head[1], MPI_CHAR, owner, comm), "MPI_Bcast");
  throw AgreedError(static_cast<Code>(head[0]), size > 1 ? text("rank ", owner, ": ", message) : message,
                    owner != rank);
}

void agree_on_success(MPI_Comm comm, const std::optional<Error>& local) {
  if (combined(comm, {local.has_value() ? 1 : 0, 0, 0})[failed] != 0) {
    share_error(comm, local);
  }
}

void run_collectively(MPI_Comm comm, const std::function<void()>& work) {
  std::exception_ptr agreed;
  const auto failure = error_of([&] {
    try {
      work();
    } catch (const AgreedError&) {
      agreed = std::current_exception();
    }
  });
  if (agreed != nullptr) {
    std::rethrow_exception(agreed);
  }
  agree_on_success(comm, failure);
}

std::array<int, 2> maxima(MPI_Comm comm, const std::array<int, 2>& values) {
  const Ballot most = combined(comm, {0, values[0], values[1]});
  if (most[failed] != 0) {
    share_error(comm, std::nullopt);
  }
  return {most[first_value], most[first_value + 1]};
}

int maximum(MPI_Comm comm, int value) { return maxima(comm, {value, 0})[0]; }

}  // namespace adcl::mpi
