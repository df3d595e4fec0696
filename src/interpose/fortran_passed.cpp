// Interceptors for the Fortran routines of MPICH and derived libraries that do not call the functions of C that
// c_calls.cpp intercepts: routines of mpi_f08 without choice buffers, such as MPI_Barrier. They are counted and passed
// through.
#include <mpi.h>

#include <tuple>

#include "interpose/intercept.hpp"
#include "interpose/process.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::Next;

/// All arguments are addresses; an omitted IERROR is null.
template <Call call, typename... Arguments>
void passed_through(Next& next, Arguments... arguments) {
  if (!handles_calls()) {
    next(arguments...);
    return;
  }
  const auto native = [&]() -> int {
    next(arguments...);
    return MPI_SUCCESS;  // the routine has stored its code
  };
  run_passed(call, NativeCall(native));
}

}  // namespace
}  // namespace adcl::interpose

// NOLINTNEXTLINE(google-build-using-namespace): the functions below have the names of Fortran
using namespace adcl::interpose;

// Defines a routine; `next` is MPI's routine of the same name.
#define ADCL_ROUTINE(kind, id, symbol, count, choice, parameters, ...) \
  ADCL_EXPORT void symbol parameters;                                  \
  void symbol parameters {                                             \
    static constinit Next next(#symbol);                               \
    passed_through<Call::id>(next, __VA_ARGS__);                       \
  }

extern "C" {

#include "routines.def"

}  // extern "C"
