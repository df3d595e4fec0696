/// \file fortran_next.hpp
/// MPI's own Fortran routine of a name. Not linked: a program in C does not load MPI's Fortran library.
#pragma once

#include <atomic>

namespace adcl::profile {

class Next {
 public:
  constexpr explicit Next(const char* name) noexcept : name_(name) {}

  /// Of type void(void*...); never null: only a program that has the routine comes here.
  [[nodiscard]] void* address() noexcept {
    void* const known = address_.load(std::memory_order_relaxed);
    return known != nullptr ? known : look_up();
  }

 private:
  void* look_up() noexcept;

  const char* name_;
  std::atomic<void*> address_{nullptr};
};

}  // namespace adcl::profile
