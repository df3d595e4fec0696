/// \file next.hpp
/// Finds the function that a preloaded library's wrapper replaces: the next definition of its name.
#pragma once

#include <atomic>
#include <cstddef>
#include <tuple>

/// Marks the definitions that replace MPI's symbols.
#define ADCL_EXPORT __attribute__((visibility("default")))

namespace adcl::profile {

/// Address of the next definition of \p name behind this shared library, or null. Also searches libraries that were
/// loaded with local symbols, as Python extensions load the MPI library.
void* find_next(const char* name) noexcept;

/// Makes find_next skip definitions in the shared library that contains \p address.
void ignore_library_of(void* address) noexcept;

/// A function that is looked up at its first call, and until it is found. It need not be linked: C programs do not load
/// MPI's Fortran library.
class Next {
 public:
  constexpr explicit Next(const char* name) noexcept : name_(name) {}

  /// The address, or null if there is no such function.
  [[nodiscard]] void* address() noexcept {
    void* known = address_.load(std::memory_order_relaxed);
    if (known == nullptr) {
      known = find_next(name_);
      address_.store(known, std::memory_order_relaxed);
    }
    return known;
  }

  /// Whether the address was found by an earlier call.
  [[nodiscard]] bool is_known() const noexcept { return address_.load(std::memory_order_relaxed) != nullptr; }

  /// Calls the C function, or \p linked if there is no next one.
  template <typename Result, typename... Types, typename... Arguments>
  Result call(Result (*linked)(Types...), Arguments... arguments) {
    void* const found = address();
    return (found != nullptr ? reinterpret_cast<Result (*)(Types...)>(found) : linked)(arguments...);
  }

  /// Calls a routine of MPI's Fortran interface, which exists because a program calls it.
  template <typename... Arguments>
  void operator()(Arguments... arguments) {
    reinterpret_cast<void (*)(Arguments...)>(address())(arguments...);
  }

 private:
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

template <typename Function, std::size_t index>
struct ParameterOf;
template <typename... Types, std::size_t index>
struct ParameterOf<int(Types...), index> {
  using Type = std::tuple_element_t<index, std::tuple<Types...>>;
};
/// Type of a parameter of a C function, counted from 0.
template <typename Function, std::size_t index>
using Parameter = typename ParameterOf<Function, index>::Type;

}  // namespace adcl::profile
