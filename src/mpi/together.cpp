#include "mpi/together.hpp"

#include <array>
#include <new>
#include <optional>

#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::mpi {

void do_together(MPI_Comm comm, const std::function<void()>& work) {
  std::optional<Error> failure;
  try {
    work();
  } catch (const Error& error) {
    failure = error;
  } catch (const std::bad_alloc&) {
    failure = Error(Code::memory, "there is not enough memory for the plan of a codelet");
  }
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::array<int, 2> worst{failure.has_value() ? static_cast<int>(failure->code()) : 0, rank};
  check(MPI_Allreduce(MPI_IN_PLACE, worst.data(), 1, MPI_2INT, MPI_MAXLOC, comm), "MPI_Allreduce");
  if (failure.has_value()) {
    throw Error(*failure);
  }
  require(worst[0] == 0, static_cast<Code>(worst[0]), "rank ", worst[1], " failed: ", describe(worst[0]),
          "; its own message says more");
}

bool all_of(MPI_Comm comm, bool value) { return maximum(comm, value ? 0 : 1) == 0; }

int maximum(MPI_Comm comm, int value) {
  check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return value;
}

}  // namespace adcl::mpi
