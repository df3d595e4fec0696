// Interceptors for calls of Fortran programs. All arguments are addresses, and none of these routines has character
// arguments, so the interceptors forward the arguments unchanged. Names: four manglings for mpif.h and module mpi, and
// _fts in Open MPI 6; for mpi_f08, _f08 without and _f08ts with descriptors for choice buffers. Routines for large
// counts end with _c_f08 or _c_f08ts, before MPICH 4.2 with _f08ts_large.
#include <mpi.h>

#include <tuple>

#include "profile/messages.hpp"
#include "profile/next.hpp"
#include "profile/write.hpp"

namespace adcl::profile {
namespace {

template <std::size_t index, typename Value, typename... Arguments>
Value value(Arguments... arguments) {
  return *static_cast<const Value*>(std::get<index>(std::tuple(arguments...)));
}

template <std::size_t index, typename... Arguments>
MPI_Request request(Arguments... arguments) {
  return PMPI_Request_f2c((value<index, MPI_Fint>(arguments...)));
}

template <Traffic traffic, typename Count, typename... Arguments>
void before(Counters& counters, Arguments... arguments) {
  if constexpr (traffic == Traffic::send) {
    count_message(counters, static_cast<long long>(value<1, Count>(arguments...)),
                  PMPI_Type_f2c((value<2, MPI_Fint>(arguments...))), value<3, MPI_Fint>(arguments...));
  } else if constexpr (traffic == Traffic::start) {
    count_start(counters, request<0>(arguments...));
  } else if constexpr (traffic == Traffic::startall) {
    const auto* const requests = static_cast<const MPI_Fint*>(std::get<1>(std::tuple(arguments...)));
    for (MPI_Fint i = 0; i < value<0, MPI_Fint>(arguments...); ++i) {
      count_start(counters, PMPI_Request_f2c(requests[i]));
    }
  } else if constexpr (traffic == Traffic::request_free) {
    forget_persistent(request<0>(arguments...));
  }
}

template <Traffic traffic, typename Count, typename... Arguments>
void after(Arguments... arguments) {
  if constexpr (traffic == Traffic::send_init) {
    remember_persistent(request<6>(arguments...), static_cast<long long>(value<1, Count>(arguments...)),
                        PMPI_Type_f2c((value<2, MPI_Fint>(arguments...))), value<3, MPI_Fint>(arguments...));
  } else if constexpr (traffic == Traffic::partitioned_init) {
    // The number of elements in a partition is of kind MPI_COUNT_KIND.
    remember_persistent(request<8>(arguments...),
                        value<1, MPI_Fint>(arguments...) * static_cast<long long>(value<2, MPI_Count>(arguments...)),
                        PMPI_Type_f2c((value<3, MPI_Fint>(arguments...))), value<4, MPI_Fint>(arguments...));
  }
}

template <Call call, Traffic traffic, typename Count, typename... Arguments>
void counted(Next& next, Arguments... arguments) {
  const Scope scope(call);
  if (!scope.outermost()) {
    next(arguments...);
    return;
  }
  before<traffic, Count>(scope.target(), arguments...);
  next(arguments...);
  after<traffic, Count>(arguments...);
}

}  // namespace
}  // namespace adcl::profile

using namespace adcl::profile;

// Defines a routine; `next` is MPI's routine of the same name.
#define ADCL_DEFINE(symbol, parameters, ...) \
  ADCL_EXPORT void symbol parameters;        \
  void symbol parameters {                   \
    static constinit Next next(#symbol);     \
    __VA_ARGS__;                             \
  }

// Defines a routine under the names that every Fortran interface of MPI has.
#define ADCL_NAMES(lower, upper, parameters, ...)       \
  ADCL_DEFINE(mpi_##lower##_, parameters, __VA_ARGS__)  \
  ADCL_DEFINE(mpi_##lower##__, parameters, __VA_ARGS__) \
  ADCL_DEFINE(mpi_##lower, parameters, __VA_ARGS__)     \
  ADCL_DEFINE(MPI_##upper, parameters, __VA_ARGS__)     \
  ADCL_DEFINE(mpi_##lower##_f08_, parameters, __VA_ARGS__)

#define ADCL_COUNTED(id, traffic, Count, ...) counted<Call::id, Traffic::traffic, Count>(next, __VA_ARGS__)

#define ADCL_CALL(...)
#define ADCL_C(...)
#define ADCL_FORTRAN(kind, id, lower, upper, traffic, parameters, ...)                               \
  ADCL_NAMES(lower, upper, parameters, ADCL_COUNTED(id, traffic, MPI_Fint, __VA_ARGS__))             \
  ADCL_DEFINE(mpi_##lower##_fts_, parameters, ADCL_COUNTED(id, traffic, MPI_Fint, __VA_ARGS__))      \
  ADCL_DEFINE(mpi_##lower##_f08ts_, parameters, ADCL_COUNTED(id, traffic, MPI_Fint, __VA_ARGS__))    \
  ADCL_DEFINE(mpi_##lower##_c_f08_, parameters, ADCL_COUNTED(id, traffic, MPI_Count, __VA_ARGS__))   \
  ADCL_DEFINE(mpi_##lower##_c_f08ts_, parameters, ADCL_COUNTED(id, traffic, MPI_Count, __VA_ARGS__)) \
  ADCL_DEFINE(mpi_##lower##_f08ts_large_, parameters, ADCL_COUNTED(id, traffic, MPI_Count, __VA_ARGS__))

extern "C" {

#include "calls.def"

ADCL_NAMES(init, INIT, (void* ierror), next(ierror); begin_profile())
ADCL_NAMES(init_thread, INIT_THREAD, (void* required, void* provided, void* ierror), next(required, provided, ierror);
           begin_profile())
ADCL_NAMES(finalize, FINALIZE, (void* ierror), write_profile(); next(ierror))

}  // extern "C"
