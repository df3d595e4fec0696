#include "procedures.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "shim.hpp"

namespace adcl::fortran {
namespace {

struct Slot {
  Address procedure;
  Caller caller;
};

std::array<Slot, max_procedures> slots;
int slots_used = 0;
std::mutex slots_mutex;

// The library passes only the request to a work function, so each Fortran procedure needs its own C function. A slot is
// complete before its function is returned, and does not change afterward.
template <std::size_t Index>
void run_slot(ADCL_Request request) {
  const int value = integer(request);
  slots[Index].caller(slots[Index].procedure, &value);
}

template <std::size_t... Indices>
constexpr std::array<ADCL_work_fnct_ptr*, sizeof...(Indices)> functions_of(std::index_sequence<Indices...> /*all*/) {
  return {&run_slot<Indices>...};
}

constexpr auto functions = functions_of(std::make_index_sequence<max_procedures>());

}  // namespace

ADCL_work_fnct_ptr* as_work_function(Address procedure, Caller caller) {
  const std::lock_guard<std::mutex> lock(slots_mutex);
  for (int i = 0; i < slots_used; ++i) {
    const auto& slot = slots[static_cast<std::size_t>(i)];
    if (slot.procedure == procedure && slot.caller == caller) {
      return functions[static_cast<std::size_t>(i)];
    }
  }
  if (slots_used == max_procedures) {
    throw Error(ADCL_ERR_UNSUPPORTED, "more than " + std::to_string(max_procedures) +
                                          " different Fortran procedures were passed as work functions; use "
                                          "fewer procedures, for example one for several attribute values");
  }
  const int i = slots_used++;
  slots[static_cast<std::size_t>(i)] = {procedure, caller};
  return functions[static_cast<std::size_t>(i)];
}

}  // namespace adcl::fortran
