/// \file calls.hpp
/// The MPI calls that are counted, and their kinds. Pure.
#pragma once

#include <cstddef>

namespace adcl::profile {

/// Category of a call. Starting a nonblocking operation counts as the operation, completing it as a wait.
enum class CallKind { p2p, collective, one_sided, wait };
inline constexpr std::size_t kind_count = 4;
inline constexpr const char* kind_names[kind_count] = {"p2p", "collective", "one_sided", "wait"};

#define ADCL_C(...)
#define ADCL_FORTRAN(...)
#define ADCL_CALL(kind, name) name,
enum class Call {
#ifndef DOXYGEN  // the build generates calls.def from calls.txt
#include "calls.def"
#endif
  end
};
#undef ADCL_CALL

struct CallInfo {
  const char* name;
  CallKind kind;
};
inline constexpr std::size_t call_count = static_cast<std::size_t>(Call::end);
#define ADCL_CALL(kind, name) {"MPI_" #name, CallKind::kind},
inline constexpr CallInfo call_table[call_count] = {
#ifndef DOXYGEN
#include "calls.def"
#endif
};
#undef ADCL_CALL
#undef ADCL_C
#undef ADCL_FORTRAN

/// How a call affects the count of point-to-point messages.
enum class Traffic { none, send, send_init, partitioned_init, start, startall, request_free };

}  // namespace adcl::profile
