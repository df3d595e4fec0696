// Interceptors for collective calls of C programs, and of MPI's Fortran interface if it uses the C interface.
#include <mpi.h>

#include "interpose/block_lists.hpp"
#include "interpose/intercept.hpp"
#include "interpose/persistent.hpp"
#include "interpose/process.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::Next;
using profile::Parameter;

template <Call call, typename Function, typename... Arguments>
int intercepted(Next& next, Function* linked, Arguments... arguments) {
  if (!handles_calls()) {
    return next.call(linked, arguments...);
  }
  const auto native = [&] { return next.call(linked, arguments...); };
  if constexpr (has_block_lists(call)) {
    const auto all = std::tuple(arguments...);
    constexpr std::size_t last = sizeof...(Arguments) - 1;
    const BlockLists lists = block_lists<call>(arguments...);
    int root = 0;
    if constexpr (has_root(call)) {
      root = std::get<last - 1>(all);
    }
    return run_searched(call, call_with<call>(lists, std::get<last>(all), root), NativeCall(native));
  } else if constexpr (call == Call::Reduce_scatter) {
    return [&native](const void* send, void* receive, auto counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
      return run_reduce_scatter(blocks_to_scatter(send, receive, type, op, comm), Numbers(counts), NativeCall(native));
    }(arguments...);
  } else if constexpr (is_searched(call)) {
    return run_searched(call, collective_call<call>(arguments...), NativeCall(native));
  } else if constexpr (is_searched_init(call)) {
    const auto all = std::tuple(arguments...);
    return run_init(call, init_call<call>(all), NativeCall(native), std::get<sizeof...(Arguments) - 1>(all));
  } else {
    return run_passed(call, NativeCall(native));
  }
}

}  // namespace
}  // namespace adcl::interpose

// NOLINTNEXTLINE(google-build-using-namespace): the functions below have the names of C or Fortran
using namespace adcl::interpose;

// One wrapper for each collective call of the table; the other kinds have none.
#define ADCL_WRAP_p2p(...)
#define ADCL_WRAP_wait(...)
#define ADCL_WRAP_one_sided(...)
#define ADCL_WRAP_collective(id, name, parameters, ...)            \
  ADCL_EXPORT int MPI_##name parameters {                          \
    static constinit Next next("MPI_" #name);                      \
    return intercepted<Call::id>(next, &PMPI_##name, __VA_ARGS__); \
  }
#define ADCL_CALL(...)
#define ADCL_FORTRAN(...)
#define ADCL_C(kind, id, name, traffic, parameters, ...) ADCL_WRAP_##kind(id, name, parameters, __VA_ARGS__)

extern "C" {

#include "calls.def"

}  // extern "C"
