// Interceptors for calls of C programs, and of MPI's Fortran interface if it uses the C interface.
#include <mpi.h>

#include <tuple>

#include "profile/messages.hpp"

namespace adcl::profile {
namespace {

template <typename Function, std::size_t index>
struct ParameterOf;
template <typename... Types, std::size_t index>
struct ParameterOf<int(Types...), index> {
  using Type = std::tuple_element_t<index, std::tuple<Types...>>;
};
template <typename Function, std::size_t index>
using Parameter = typename ParameterOf<Function, index>::Type;

template <std::size_t index, typename... Arguments>
auto argument(Arguments... arguments) {
  return std::get<index>(std::tuple(arguments...));
}

/// Counts what is known before the call, since the call may free its request.
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

/// Counts what is known after the call has succeeded, since it may have created a request.
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

template <Call call, Traffic traffic, typename... Types, typename... Arguments>
int counted(int (*next)(Types...), Arguments... arguments) {
  const Scope scope(call);
  if (!scope.outermost()) {
    return next(arguments...);
  }
  before<traffic>(scope.target(), arguments...);
  const int code = next(arguments...);
  if (code == MPI_SUCCESS) {
    after<traffic>(arguments...);
  }
  return code;
}

}  // namespace
}  // namespace adcl::profile

#define ADCL_P(f, i) adcl::profile::Parameter<decltype(f), i> a##i
#define ADCL_P1(f) ADCL_P(f, 0)
#define ADCL_P2(f) ADCL_P1(f), ADCL_P(f, 1)
#define ADCL_P3(f) ADCL_P2(f), ADCL_P(f, 2)
#define ADCL_P4(f) ADCL_P3(f), ADCL_P(f, 3)
#define ADCL_P5(f) ADCL_P4(f), ADCL_P(f, 4)
#define ADCL_P6(f) ADCL_P5(f), ADCL_P(f, 5)
#define ADCL_P7(f) ADCL_P6(f), ADCL_P(f, 6)
#define ADCL_P8(f) ADCL_P7(f), ADCL_P(f, 7)
#define ADCL_P9(f) ADCL_P8(f), ADCL_P(f, 8)
#define ADCL_P10(f) ADCL_P9(f), ADCL_P(f, 9)
#define ADCL_P11(f) ADCL_P10(f), ADCL_P(f, 10)
#define ADCL_P12(f) ADCL_P11(f), ADCL_P(f, 11)
#define ADCL_P13(f) ADCL_P12(f), ADCL_P(f, 12)
#define ADCL_A1 a0
#define ADCL_A2 ADCL_A1, a1
#define ADCL_A3 ADCL_A2, a2
#define ADCL_A4 ADCL_A3, a3
#define ADCL_A5 ADCL_A4, a4
#define ADCL_A6 ADCL_A5, a5
#define ADCL_A7 ADCL_A6, a6
#define ADCL_A8 ADCL_A7, a7
#define ADCL_A9 ADCL_A8, a8
#define ADCL_A10 ADCL_A9, a9
#define ADCL_A11 ADCL_A10, a10
#define ADCL_A12 ADCL_A11, a11
#define ADCL_A13 ADCL_A12, a12

#define ADCL_CALL(...)
#define ADCL_FORTRAN(...)
#define ADCL_C(id, name, parameters, traffic)                                    \
  ADCL_EXPORT int MPI_##name(ADCL_P##parameters(PMPI_##name)) {                  \
    using namespace adcl::profile;                                               \
    return counted<Call::id, Traffic::traffic>(PMPI_##name, ADCL_A##parameters); \
  }

extern "C" {
#include "calls.def"
}
