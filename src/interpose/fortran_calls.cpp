// Interceptors for collective calls of Fortran programs with Open MPI, whose Fortran interface does not call the
// functions of C that c_calls.cpp intercepts. The Fortran interfaces of other MPI libraries call these functions of C.
// All arguments are addresses; an omitted IERROR of mpi_f08 is null. Open MPI 6 passes choice buffers as descriptors.
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "interpose/block_lists.hpp"
#include "interpose/fortran_section.hpp"
#include "interpose/intercept.hpp"
#include "interpose/process.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::Next;

/// Addresses of the constants of Fortran. Libraries with local symbols may each have their own.
struct Constants {
  std::vector<const void*> in_place;
  std::vector<const void*> bottom;
};

void add_definitions(std::vector<const void*>& addresses, void* library, const char* name) {
  const void* const address = dlsym(library, name);
  if (address != nullptr && std::ranges::find(addresses, address) == addresses.end()) {
    addresses.push_back(address);
  }
}

int add_name(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  static_cast<std::vector<std::string>*>(data)->emplace_back(object->dlpi_name);
  return 0;
}

Constants find_constants() {
  Constants all;
  const auto add = [&all](void* library) {
    for (const char* const name :
         {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"}) {
      add_definitions(all.in_place, library, name);
    }
    for (const char* const name :
         {"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"}) {
      add_definitions(all.bottom, library, name);
    }
  };
  add(RTLD_DEFAULT);
  std::vector<std::string> libraries;
  dl_iterate_phdr(add_name, &libraries);
  for (const std::string& library : libraries) {
    if (void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD); handle != nullptr) {
      add(handle);
      dlclose(handle);
    }
  }
  return all;
}

std::atomic<const Constants*> known_constants{nullptr};

const Constants& constants() { return *known_constants.load(std::memory_order_acquire); }

/// Called at the first call of each routine: a library of a Fortran interface may have been loaded. Former objects are
/// not deleted, because other threads may use them.
void update_constants() noexcept {
  try {
    known_constants.store(new Constants(find_constants()), std::memory_order_release);
  } catch (const std::bad_alloc&) {
    static const Constants none;
    known_constants.store(&none, std::memory_order_release);
  }
}

bool is(const void* address, const std::vector<const void*>& addresses) {
  return std::ranges::find(addresses, address) != addresses.end();
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

const MPI_Fint* integers(const void* address) { return static_cast<const MPI_Fint*>(address); }

Types types(const void* address) {
  return {address, [](const void* list, std::size_t i) { return MPI_Type_f2c(integers(list)[i]); }};
}

/// The blocks of a call with the arguments of the Fortran routine.
template <Call call, typename Arguments>
BlockLists converted_blocks(const Arguments& a) {
  using std::get;
  if constexpr (call == Call::Neighbor_allgather || call == Call::Neighbor_alltoall) {
    return block_lists<call>(buffer(get<0>(a)), integer(get<1>(a)), type(get<2>(a)), buffer(get<3>(a)),
                             integer(get<4>(a)), type(get<5>(a)));
  } else if constexpr (call == Call::Scatterv) {
    return block_lists<call>(buffer(get<0>(a)), integers(get<1>(a)), integers(get<2>(a)), type(get<3>(a)),
                             buffer(get<4>(a)), integer(get<5>(a)), type(get<6>(a)));
  } else if constexpr (operation_of(call) == Operation::allgatherv || call == Call::Gatherv) {
    return block_lists<call>(buffer(get<0>(a)), integer(get<1>(a)), type(get<2>(a)), buffer(get<3>(a)),
                             integers(get<4>(a)), integers(get<5>(a)), type(get<6>(a)));
  } else if constexpr (operation_of(call) == Operation::alltoallv) {
    return block_lists<call>(buffer(get<0>(a)), integers(get<1>(a)), integers(get<2>(a)), type(get<3>(a)),
                             buffer(get<4>(a)), integers(get<5>(a)), integers(get<6>(a)), type(get<7>(a)));
  } else {
    using Displacement = std::conditional_t<call == Call::Neighbor_alltoallw, MPI_Aint, MPI_Fint>;
    const auto displacements = [](const void* address) { return static_cast<const Displacement*>(address); };
    return block_lists<call>(buffer(get<0>(a)), integers(get<1>(a)), displacements(get<2>(a)), types(get<3>(a)),
                             buffer(get<4>(a)), integers(get<5>(a)), displacements(get<6>(a)), types(get<7>(a)));
  }
}

/// Runs a call with the arguments of the Fortran routine.
template <Call call, typename Arguments>
int run_with_blocks(const Arguments& a, const NativeCall& native) {
  constexpr std::size_t place_of_comm = std::tuple_size_v<Arguments> - 2;
  const BlockLists lists = converted_blocks<call>(a);
  int root = 0;
  if constexpr (has_root(call)) {
    root = integer(std::get<place_of_comm - 1>(a));
  }
  return run_searched(call, call_with<call>(lists, comm(std::get<place_of_comm>(a)), root), native);
}

/// Runs MPI_Reduce_scatter with the arguments of the Fortran routine.
template <typename Arguments>
int run_blocks_to_scatter(const Arguments& a, const NativeCall& native) {
  using std::get;
  return run_reduce_scatter(
      blocks_to_scatter(buffer(get<0>(a)), buffer(get<1>(a)), type(get<3>(a)), op(get<4>(a)), comm(get<5>(a))),
      Numbers(integers(get<2>(a))), native);
}

/// Positions of the choice buffers among the arguments; the receive buffer is the last. Empty for routines whose
/// descriptors and large counts are not converted.
struct ChoiceBuffers {
  std::size_t first;
  std::size_t last;
};
constexpr std::optional<ChoiceBuffers> choice_buffers(Call call) {
  switch (call) {
    case Call::Bcast:
      return ChoiceBuffers{0, 0};
    case Call::Reduce:
    case Call::Allreduce:
    case Call::Reduce_scatter_block:
    case Call::Scan:
    case Call::Exscan:
      return ChoiceBuffers{0, 1};
    case Call::Allgather:
    case Call::Alltoall:
    case Call::Gather:
    case Call::Scatter:
      return ChoiceBuffers{0, 3};
    default:
      return std::nullopt;
  }
}

/// How a routine passes its arguments.
enum class Choice { address, descriptor };

/// The call with the arguments of the Fortran routine; \p a begins with the buffers.
template <Call call, typename Count, typename Arguments>
CollectiveCall converted(const Arguments& a) {
  using std::get;
  const auto count = [](const void* address) { return *static_cast<const Count*>(address); };
  if constexpr (call == Call::Bcast) {
    return collective_call<call>(buffer(get<0>(a)), count(get<1>(a)), type(get<2>(a)), integer(get<3>(a)),
                                 comm(get<4>(a)));
  } else if constexpr (call == Call::Reduce) {
    return collective_call<call>(buffer(get<0>(a)), buffer(get<1>(a)), count(get<2>(a)), type(get<3>(a)), op(get<4>(a)),
                                 integer(get<5>(a)), comm(get<6>(a)));
  } else if constexpr (call == Call::Allreduce || call == Call::Reduce_scatter_block || is_prefix(call)) {
    return collective_call<call>(buffer(get<0>(a)), buffer(get<1>(a)), count(get<2>(a)), type(get<3>(a)), op(get<4>(a)),
                                 comm(get<5>(a)));
  } else if constexpr (call == Call::Gather || call == Call::Scatter) {
    return collective_call<call>(buffer(get<0>(a)), count(get<1>(a)), type(get<2>(a)), buffer(get<3>(a)),
                                 count(get<4>(a)), type(get<5>(a)), integer(get<6>(a)), comm(get<7>(a)));
  } else {
    return collective_call<call>(buffer(get<0>(a)), count(get<1>(a)), type(get<2>(a)), buffer(get<3>(a)),
                                 count(get<4>(a)), type(get<5>(a)), comm(get<6>(a)));
  }
}

/// Runs a searched call of a routine that passes descriptors. Codelets receive the addresses of arrays without gaps.
template <Call call, typename Count, typename Arguments, typename Native>
int run_with_descriptors(const Arguments& all, const Native& native) {
  constexpr ChoiceBuffers places = *choice_buffers(call);
  Section sent(std::get<places.first>(all));
  Section received(std::get<places.last>(all));
  auto given = all;
  std::get<places.first>(given) = sent.address();
  std::get<places.last>(given) = received.address();
  bool is_native = false;  // it writes into the program's memory
  const auto noted = [&] {
    is_native = true;
    return native();
  };
  const int code = run_searched(call, converted<call, Count>(given), NativeCall(noted));
  if (!is_native) {
    received.write_back();
  }
  return code;
}

template <Call call, typename Count, Choice choice, typename... Arguments>
void intercepted(Next& next, Arguments... arguments) {
  const auto all = std::tuple(arguments...);
  constexpr std::size_t last = sizeof...(Arguments) - 1;
  if (!handles_calls()) {
    next(arguments...);
    return;
  }
  if (!next.is_known() || known_constants.load(std::memory_order_relaxed) == nullptr) [[unlikely]] {
    update_constants();
  }
  MPI_Fint omitted = MPI_SUCCESS;
  auto* const error = static_cast<MPI_Fint*>(std::get<last>(all));
  const auto native = [&] {
    auto given = all;
    std::get<last>(given) = error != nullptr ? error : &omitted;
    std::apply([&next](auto... each) { next(each...); }, given);
    return static_cast<int>(*static_cast<MPI_Fint*>(std::get<last>(given)));
  };
  constexpr bool is_simple = choice == Choice::address && std::is_same_v<Count, MPI_Fint>;
  int code = MPI_SUCCESS;
  if constexpr (has_block_lists(call) && is_simple) {
    const bool understood = !constants().in_place.empty() && !constants().bottom.empty();
    code = understood ? run_with_blocks<call>(all, NativeCall(native)) : run_passed(call, NativeCall(native));
  } else if constexpr (call == Call::Reduce_scatter && is_simple) {
    const bool understood = !constants().in_place.empty() && !constants().bottom.empty();
    code = understood ? run_blocks_to_scatter(all, NativeCall(native)) : run_passed(call, NativeCall(native));
  } else if constexpr (is_searched(call) && (is_simple || choice_buffers(call).has_value())) {
    if (constants().in_place.empty() || constants().bottom.empty()) {
      code = run_passed(call, NativeCall(native));
    } else if constexpr (choice == Choice::descriptor) {
      code = run_with_descriptors<call, Count>(all, native);
    } else {
      code = run_searched(call, converted<call, Count>(all), NativeCall(native));
    }
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
#define ADCL_DEFINE(id, symbol, count, choice, parameters, ...)      \
  ADCL_EXPORT void symbol parameters;                                \
  void symbol parameters {                                           \
    static constinit Next next(#symbol);                             \
    intercepted<Call::id, count, Choice::choice>(next, __VA_ARGS__); \
  }

// Collective calls have routines here; the other kinds have none.
#define ADCL_WRAP_p2p(...)
#define ADCL_WRAP_wait(...)
#define ADCL_WRAP_one_sided(...)
#define ADCL_WRAP_collective(...) ADCL_DEFINE(__VA_ARGS__)
#define ADCL_ROUTINE(kind, ...) ADCL_WRAP_##kind(__VA_ARGS__)

extern "C" {

#include "routines.def"

}  // extern "C"
