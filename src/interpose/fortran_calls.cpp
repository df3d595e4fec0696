// Interceptors for collective calls of Fortran programs with Open MPI, whose Fortran interface does not call the
// functions of C that c_calls.cpp intercepts. Other MPI libraries' interfaces call these. All arguments are addresses;
// an omitted IERROR of mpi_f08 is null.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "interpose/intercept.hpp"
#include "interpose/process.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::Next;

/// Addresses of a constant of Fortran, one for each mangling of its name; null: not known.
using Constant = std::array<void*, 4>;

struct Constants {
  Constant in_place;
  Constant bottom;
};

/// The program may define them, so the first definition counts.
const Constants& constants() {
  const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  static const Constants all{{find("mpi_fortran_in_place_"), find("mpi_fortran_in_place"),
                              find("mpi_fortran_in_place__"), find("MPI_FORTRAN_IN_PLACE")},
                             {find("mpi_fortran_bottom_"), find("mpi_fortran_bottom"), find("mpi_fortran_bottom__"),
                              find("MPI_FORTRAN_BOTTOM")}};
  return all;
}

bool is_known(const Constant& constant) {
  return std::ranges::any_of(constant, [](const void* address) { return address != nullptr; });
}

bool is(const void* address, const Constant& constant) {
  return address != nullptr && std::ranges::find(constant, address) != constant.end();
}

void* buffer(void* address) {
  if (is(address, constants().in_place)) {
    return MPI_IN_PLACE;
  }
  return is(address, constants().bottom) ? MPI_BOTTOM : address;
}

int integer(const void* address) { return *static_cast<const MPI_Fint*>(address); }
MPI_Datatype type(const void* address) { return MPI_Type_f2c(integer(address)); }
MPI_Op op(const void* address) { return MPI_Op_f2c(integer(address)); }
MPI_Comm comm(const void* address) { return MPI_Comm_f2c(integer(address)); }

/// The call with the arguments of the Fortran routine; \p a begins with the buffers.
template <Call call, typename Arguments>
CollectiveCall converted(const Arguments& a) {
  using std::get;
  if constexpr (call == Call::Bcast) {
    return collective_call<call>(buffer(get<0>(a)), integer(get<1>(a)), type(get<2>(a)), integer(get<3>(a)),
                                 comm(get<4>(a)));
  } else if constexpr (call == Call::Reduce) {
    return collective_call<call>(buffer(get<0>(a)), buffer(get<1>(a)), integer(get<2>(a)), type(get<3>(a)),
                                 op(get<4>(a)), integer(get<5>(a)), comm(get<6>(a)));
  } else if constexpr (call == Call::Allreduce || call == Call::Reduce_scatter_block) {
    return collective_call<call>(buffer(get<0>(a)), buffer(get<1>(a)), integer(get<2>(a)), type(get<3>(a)),
                                 op(get<4>(a)), comm(get<5>(a)));
  } else if constexpr (call == Call::Gather || call == Call::Scatter) {
    return collective_call<call>(buffer(get<0>(a)), integer(get<1>(a)), type(get<2>(a)), buffer(get<3>(a)),
                                 integer(get<4>(a)), type(get<5>(a)), integer(get<6>(a)), comm(get<7>(a)));
  } else {
    return collective_call<call>(buffer(get<0>(a)), integer(get<1>(a)), type(get<2>(a)), buffer(get<3>(a)),
                                 integer(get<4>(a)), type(get<5>(a)), comm(get<6>(a)));
  }
}

template <Call call, typename... Arguments>
void intercepted(Next& next, Arguments... arguments) {
  const auto all = std::tuple(arguments...);
  constexpr std::size_t last = sizeof...(Arguments) - 1;
  if (!handles_calls()) {
    next(arguments...);
    return;
  }
  MPI_Fint omitted = MPI_SUCCESS;
  auto* const error = static_cast<MPI_Fint*>(std::get<last>(all));
  const auto native = [&] {
    auto given = all;
    std::get<last>(given) = error != nullptr ? error : &omitted;
    std::apply([&next](auto... each) { next(each...); }, given);
    return static_cast<int>(*static_cast<MPI_Fint*>(std::get<last>(given)));
  };
  int code = MPI_SUCCESS;
  if constexpr (is_searched(call)) {
    const bool understood = is_known(constants().in_place) && is_known(constants().bottom);
    code = understood ? run_searched(call, converted<call>(all), NativeCall(native))
                      : run_passed(call, NativeCall(native));
  } else {
    code = run_passed(call, NativeCall(native));
  }
  if (error != nullptr) {
    *error = code;
  }
}

}  // namespace
}  // namespace adcl::interpose

// NOLINTNEXTLINE(google-build-using-namespace): the functions below have the names of C or Fortran
using namespace adcl::interpose;

// Defines a routine; `next` is MPI's routine of the same name.
#define ADCL_DEFINE(symbol, id, parameters, ...) \
  ADCL_EXPORT void symbol parameters;            \
  void symbol parameters {                       \
    static constinit Next next(#symbol);         \
    intercepted<Call::id>(next, __VA_ARGS__);    \
  }

#define ADCL_WRAP_p2p(...)
#define ADCL_WRAP_wait(...)
#define ADCL_WRAP_one_sided(...)
#define ADCL_WRAP_collective(id, lower, upper, parameters, ...) \
  ADCL_DEFINE(mpi_##lower##_, id, parameters, __VA_ARGS__)      \
  ADCL_DEFINE(mpi_##lower##__, id, parameters, __VA_ARGS__)     \
  ADCL_DEFINE(mpi_##lower, id, parameters, __VA_ARGS__)         \
  ADCL_DEFINE(MPI_##upper, id, parameters, __VA_ARGS__)         \
  ADCL_DEFINE(mpi_##lower##_f08_, id, parameters, __VA_ARGS__)
#define ADCL_CALL(...)
#define ADCL_C(...)
#define ADCL_FORTRAN(kind, id, lower, upper, traffic, parameters, ...) \
  ADCL_WRAP_##kind(id, lower, upper, parameters, __VA_ARGS__)

extern "C" {

#include "calls.def"

}  // extern "C"
