// Interceptors for calls of Fortran programs, under all names that compilers and the modules mpi and mpi_f08 use. All
// arguments are addresses, and none of these routines has text arguments, so the arguments are passed on unchanged. The
// names are those of mpif.h and of the module mpi (four manglings), and of mpi_f08: _f08 without and _f08ts with
// descriptors for choice buffers.
#include <mpi.h>

#include <tuple>

#include "profile/fortran_next.hpp"
#include "profile/messages.hpp"

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
  auto* const function = reinterpret_cast<void (*)(Arguments...)>(next.address());
  const Scope scope(call);
  if (!scope.outermost()) {
    function(arguments...);
    return;
  }
  before<traffic, Count>(scope.target(), arguments...);
  function(arguments...);
  after<traffic, Count>(arguments...);
}

}  // namespace
}  // namespace adcl::profile

#define ADCL_P2 void *a0, void *a1
#define ADCL_P3 ADCL_P2, void* a2
#define ADCL_P4 ADCL_P3, void* a3
#define ADCL_P5 ADCL_P4, void* a4
#define ADCL_P6 ADCL_P5, void* a5
#define ADCL_P7 ADCL_P6, void* a6
#define ADCL_P8 ADCL_P7, void* a7
#define ADCL_P9 ADCL_P8, void* a8
#define ADCL_P10 ADCL_P9, void* a9
#define ADCL_P11 ADCL_P10, void* a10
#define ADCL_P12 ADCL_P11, void* a11
#define ADCL_P13 ADCL_P12, void* a12
#define ADCL_P14 ADCL_P13, void* a13
#define ADCL_A2 a0, a1
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
#define ADCL_A14 ADCL_A13, a13

#define ADCL_ROUTINE(id, symbol, parameters, traffic, Count)              \
  ADCL_EXPORT void symbol(ADCL_P##parameters);                            \
  void symbol(ADCL_P##parameters) {                                       \
    using namespace adcl::profile;                                        \
    static constinit Next next(#symbol);                                  \
    counted<Call::id, Traffic::traffic, Count>(next, ADCL_A##parameters); \
  }

#define ADCL_CALL(...)
#define ADCL_C(...)
#define ADCL_FORTRAN(id, lower, upper, parameters, traffic)             \
  ADCL_ROUTINE(id, mpi_##lower##_, parameters, traffic, MPI_Fint)       \
  ADCL_ROUTINE(id, mpi_##lower##__, parameters, traffic, MPI_Fint)      \
  ADCL_ROUTINE(id, mpi_##lower, parameters, traffic, MPI_Fint)          \
  ADCL_ROUTINE(id, MPI_##upper, parameters, traffic, MPI_Fint)          \
  ADCL_ROUTINE(id, mpi_##lower##_f08_, parameters, traffic, MPI_Fint)   \
  ADCL_ROUTINE(id, mpi_##lower##_f08ts_, parameters, traffic, MPI_Fint) \
  ADCL_ROUTINE(id, mpi_##lower##_f08ts_large_, parameters, traffic, MPI_Count)

extern "C" {
#include "calls.def"
}
