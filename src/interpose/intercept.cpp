#include "interpose/intercept.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "interpose/communicator.hpp"
#include "interpose/process.hpp"

namespace adcl::interpose {
namespace {

/// The search that belongs to the arguments of a call. Entries have predefined datatypes and operations only: MPI may
/// reuse the handles of other datatypes and operations after they are freed. Freed communicators change the generation.
struct Known {
  std::uint64_t generation = 0;  ///< 0: empty
  CollectiveCall call;           ///< a buffer only indicates whether its side is in place
  Place place;
  Search* search = nullptr;  ///< null only in an empty entry
};

constexpr unsigned known_bits = 10;

/// A thread's entries. The entries are not thread-local themselves, because thread-local memory of a preloaded library
/// takes part of the stack of each thread, including threads without MPI calls.
using KnownCalls = std::array<Known, 1U << known_bits>;
thread_local KnownCalls* known_calls __attribute__((tls_model("initial-exec"))) = nullptr;

/// Frees the entries when the thread ends.
struct KnownCallsOwner {
  KnownCallsOwner() noexcept = default;
  KnownCallsOwner(const KnownCallsOwner&) = delete;
  KnownCallsOwner& operator=(const KnownCallsOwner&) = delete;
  ~KnownCallsOwner() {
    delete known_calls;
    known_calls = nullptr;
  }
};

KnownCalls& create_known_calls() {
  static thread_local const KnownCallsOwner owner;
  known_calls = new KnownCalls();
  return *known_calls;
}

template <typename Handle>
std::uint64_t number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint64_t>(handle);
  }
}

/// The position of a call's entry. The position that differs only in the last bit is an alternative.
std::size_t position_of(const CollectiveCall& call) {
  const std::uint64_t mixed = number_of(call.comm) +
                              31 * static_cast<std::uint64_t>(call.send.count + 3 * call.receive.count) +
                              127 * static_cast<std::uint64_t>(call.root) +
                              8191 * static_cast<std::uint64_t>(call.operation) + (call.neighborhood ? 65537 : 0);
  return (mixed * 0x9e3779b97f4a7c15ULL) >> (64U - known_bits);
}

bool same_side(const Side& known, const Side& side) {
  return known.same_shape(side) && known.in_place() == side.in_place();
}

bool matches(const Known& known, const CollectiveCall& call) {
  return known.generation == generation.load(std::memory_order_relaxed) && known.call.comm == call.comm &&
         known.call.operation == call.operation && known.call.op == call.op && known.call.root == call.root &&
         known.call.neighborhood == call.neighborhood && same_side(known.call.send, call.send) &&
         same_side(known.call.receive, call.receive);
}

/// Sets the layout of a side. Returns whether its datatype is predefined.
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

/// Looks up the search of a call that matches no entry of the thread. Stores it in \p entry unless MPI may reuse the
/// handles of the call.
Found look_up(const CollectiveCall& given, Known& entry) {
  Communicator* const comm = given.comm != MPI_COMM_NULL ? Communicator::of(given.comm) : nullptr;
  if (comm == nullptr) {
    return {};
  }
  Found found{significant(given, comm->place()), nullptr};
  const auto key = key_of(found.call, comm->place());
  if (!key.has_value() || !comm->blocks(*key).has_value()) {
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

/// The entry that matches a call; otherwise the entry that look_up() overwrites, with `known` false.
struct Position {
  Known& entry;
  bool known = false;
};

Position find(const CollectiveCall& call) {
  KnownCalls& all = known_calls != nullptr ? *known_calls : create_known_calls();
  const std::size_t position = position_of(call);
  Known& entry = all[position];
  if (matches(entry, call)) [[likely]] {
    return {entry, true};
  }
  Known& alternative = all[position ^ 1U];
  if (matches(alternative, call)) {
    return {alternative, true};
  }
  return {entry.generation == generation.load(std::memory_order_relaxed) ? alternative : entry};
}

Found found_in(const Known& entry, const CollectiveCall& call) {
  Found found{significant(call, entry.place), entry.search};
  found.call.send.dense = entry.call.send.dense;
  found.call.receive.dense = entry.call.receive.dense;
  return found;
}

/// The number of entries that each rank receives; empty if the ranks' numbers differ, or the communicator has no
/// searches.
std::optional<std::int64_t> equal_count(const Numbers& counts, MPI_Comm comm) {
  const mpi::OwnCalls own;
  const Communicator* const known = comm != MPI_COMM_NULL && counts.present() ? Communicator::of(comm) : nullptr;
  if (known == nullptr) {
    return std::nullopt;
  }
  const std::int64_t first = counts[0];
  for (int rank = 1; rank < known->place().size; ++rank) {
    if (counts[static_cast<std::size_t>(rank)] != first) {
      return std::nullopt;
    }
  }
  return first;
}

}  // namespace

int run_searched(Call function, const CollectiveCall& call, const NativeCall& native) {
  try {
    const mpi::OwnCalls own;
    const Position position = find(call);
    const bool is_simple = position.known && call.blocks == nullptr;
    if (is_simple && position.entry.search->takes_native_turn()) {
      return native();
    }
    const Found found = position.known ? found_in(position.entry, call) : look_up(call, position.entry);
    if (found.search != nullptr && (call.blocks == nullptr || found.search->accepts(call))) {
      return found.search->run(found.call, native);
    }
  } catch (...) {
    return raise_error(call.comm);
  }
  return run_passed(function, native);
}

int run_reduce_scatter(CollectiveCall call, const Numbers& counts, const NativeCall& native) {
  std::optional<std::int64_t> count;
  try {
    count = equal_count(counts, call.comm);
  } catch (...) {
    return raise_error(call.comm);
  }
  if (!count.has_value()) {
    return run_passed(Call::Reduce_scatter, native);
  }
  call.send.count = *count;
  call.receive.count = *count;
  return run_searched(Call::Reduce_scatter, call, native);
}

int run_passed(Call function, const NativeCall& native) {
  const mpi::OwnCalls own;
  passed[static_cast<std::size_t>(function)].fetch_add(1, std::memory_order_relaxed);
  return native();
}

}  // namespace adcl::interpose
