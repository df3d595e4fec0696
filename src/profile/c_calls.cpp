// Interceptors for calls of C programs, and of MPI's Fortran interface if it uses the C interface.
#include <mpi.h>

#include <tuple>

#include "profile/messages.hpp"
#include "profile/next.hpp"
#include "profile/write.hpp"

namespace adcl::profile {
namespace {

template <std::size_t index, typename... Arguments>
auto argument(Arguments... arguments) {
  return std::get<index>(std::tuple(arguments...));
}

/// Counts messages that are known before the call, since the call may free its request.
template <Traffic traffic, typename... Arguments>
void before(Counters& counters, Arguments... arguments) {
  if constexpr (traffic == Traffic::send) {
    count_message(counters, static_cast<long long>(argument<1>(arguments...)), argument<2>(arguments...),
                  argument<3>(arguments...));
  } else if constexpr (traffic == Traffic::start) {
    count_start(counters, *argument<0>(arguments...));
  } else if constexpr (traffic == Traffic::startall) {
    for (int i = 0; i < argument<0>(arguments...); ++i) {
      count_start(counters, argument<1>(arguments...)[i]);
    }
  } else if constexpr (traffic == Traffic::request_free) {
    forget_persistent(*argument<0>(arguments...));
  }
}

/// Called after a successful call. Stores the message size of a persistent request that the call created.
template <Traffic traffic, typename... Arguments>
void after(Arguments... arguments) {
  if constexpr (traffic == Traffic::send_init) {
    remember_persistent(*argument<6>(arguments...), static_cast<long long>(argument<1>(arguments...)),
                        argument<2>(arguments...), argument<3>(arguments...));
  } else if constexpr (traffic == Traffic::partitioned_init) {
    remember_persistent(*argument<8>(arguments...),
                        argument<1>(arguments...) * static_cast<long long>(argument<2>(arguments...)),
                        argument<3>(arguments...), argument<4>(arguments...));
  }
}

/// Calls the next function of the same name, which may belong to another preloaded tool; without one the MPI library's.
template <Call call, Traffic traffic, typename Function, typename... Arguments>
int counted(Next& next, Function* linked, Arguments... arguments) {
  const Scope scope(call);
  if (!scope.outermost()) {
    return next.call(linked, arguments...);
  }
  before<traffic>(scope.target(), arguments...);
  const int code = next.call(linked, arguments...);
  if (code == MPI_SUCCESS) {
    after<traffic>(arguments...);
  }
  return code;
}

}  // namespace
}  // namespace adcl::profile

using namespace adcl::profile;

#define ADCL_CALL(...)
#define ADCL_FORTRAN(...)
#define ADCL_C(kind, id, name, traffic, parameters, ...)                         \
  ADCL_EXPORT int MPI_##name parameters {                                        \
    static constinit Next next("MPI_" #name);                                    \
    return counted<Call::id, Traffic::traffic>(next, &PMPI_##name, __VA_ARGS__); \
  }

extern "C" {

#include "calls.def"

ADCL_EXPORT int MPI_Init(int* argc, char*** argv) {
  static constinit Next next("MPI_Init");
  const int code = next.call(&PMPI_Init, argc, argv);
  begin_profile();
  return code;
}

ADCL_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static constinit Next next("MPI_Init_thread");
  const int code = next.call(&PMPI_Init_thread, argc, argv, required, provided);
  begin_profile();
  return code;
}

ADCL_EXPORT int MPI_Finalize(void) {
  static constinit Next next("MPI_Finalize");
  write_profile();
  return next.call(&PMPI_Finalize);
}

}  // extern "C"
