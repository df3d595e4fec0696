// Interceptors for collective calls of C programs, and of MPI's Fortran interface if it uses the C interface.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "interpose/communicator.hpp"
#include "interpose/process.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::Next;
using profile::Parameter;

/// A cached lookup: the search for the arguments of a call. Entries contain only predefined datatypes and operations,
/// because MPI may reuse other handles after they are freed. Freeing a communicator changes the generation.
struct Known {
  std::uint64_t generation = 0;  ///< 0: empty
  CollectiveCall call;           ///< of the buffers, only MPI_IN_PLACE is significant
  Place place;
  Search* search = nullptr;  ///< null: passed through
};

constexpr std::size_t known_entries = 64;
thread_local std::array<Known, known_entries> known_calls __attribute__((tls_model("initial-exec")));

template <typename Handle>
std::uint64_t number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint64_t>(handle);
  }
}

Known& entry_of(const CollectiveCall& call) {
  const std::uint64_t mixed =
      number_of(call.comm) + 31 * static_cast<std::uint64_t>(call.send.count + 3 * call.receive.count) +
      127 * static_cast<std::uint64_t>(call.root) + 8191 * static_cast<std::uint64_t>(call.operation);
  return known_calls[(mixed * 0x9e3779b97f4a7c15ULL) >> 58U];
}
static_assert(known_entries == 1U << 6U);

bool same_side(const Side& known, const Side& side) {
  return known.same_shape(side) && known.in_place() == side.in_place();
}

bool matches(const Known& known, const CollectiveCall& call) {
  return known.generation == generation.load(std::memory_order_relaxed) && known.call.comm == call.comm &&
         known.call.operation == call.operation && known.call.op == call.op && known.call.root == call.root &&
         same_side(known.call.send, call.send) && same_side(known.call.receive, call.receive);
}

/// Sets `dense` of a side. Returns whether its datatype is predefined.
bool describe(Side& side) {
  if (side.type == MPI_DATATYPE_NULL) {
    return true;
  }
  const auto shape = shape_of(side.type);
  side.dense = shape.has_value() && shape->dense;
  return shape.has_value() && shape->named;
}

/// A call and its search; null: the call is passed through.
struct Found {
  CollectiveCall call;
  Search* search = nullptr;
};

/// Looks up a call that is not in the thread's cache, and stores it there if its handles cannot be reused.
Found look_up(const CollectiveCall& given, Known& entry) {
  Communicator* const comm = given.comm != MPI_COMM_NULL ? Communicator::of(given.comm) : nullptr;
  if (comm == nullptr) {
    return {};
  }
  Found found{significant(given, comm->place()), nullptr};
  const auto key = key_of(found.call, comm->place());
  if (!key.has_value()) {
    return {};
  }
  const bool send_named = describe(found.call.send);
  const bool receive_named = describe(found.call.receive);
  found.search = comm->search(*key);
  if (send_named && receive_named) {
    entry = {generation.load(), given, comm->place(), found.search};
    entry.call.send.dense = found.call.send.dense;
    entry.call.receive.dense = found.call.receive.dense;
  }
  return found;
}

Found find(const CollectiveCall& call) {
  Known& entry = entry_of(call);
  if (!matches(entry, call)) [[unlikely]] {
    return look_up(call, entry);
  }
  Found found{significant(call, entry.place), entry.search};
  found.call.send.dense = entry.call.send.dense;
  found.call.receive.dense = entry.call.receive.dense;
  return found;
}

/// Calls the next function of the same name.
template <typename Function, typename... Arguments>
int call_next(Next& next, Function* linked, Arguments... arguments) {
  void* const found = next.address();
  return (found != nullptr ? reinterpret_cast<Function*>(found) : linked)(arguments...);
}

template <Call call, typename Function, typename... Arguments>
int intercepted(Next& next, Function* linked, Arguments... arguments) {
  if (!handles_calls()) {
    return call_next(next, linked, arguments...);
  }
  if constexpr (is_searched(call)) {
    const CollectiveCall given = collective_call<call>(arguments...);
    const auto native = [&] {
      const mpi::ApplicationCalls application;
      return call_next(next, linked, arguments...);
    };
    try {
      const mpi::OwnCalls own;
      if (const Found found = find(given); found.search != nullptr) {
        return found.search->run(found.call, NativeCall(native));
      }
    } catch (...) {
      return raise_error(given.comm);
    }
  }
  passed[static_cast<std::size_t>(call)].fetch_add(1, std::memory_order_relaxed);
  return call_next(next, linked, arguments...);
}

}  // namespace
}  // namespace adcl::interpose

using namespace adcl::interpose;

// One wrapper for each collective call of the table; calls of other kinds are not intercepted.
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
