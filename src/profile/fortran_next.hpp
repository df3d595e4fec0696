/// \file fortran_next.hpp
/// Looks up MPI's own Fortran routine by name. It is not linked, so that C programs do not load MPI's Fortran library.
#pragma once

#include <atomic>

namespace adcl::profile {

class Next {
 public:
  constexpr explicit Next(const char* name) noexcept : name_(name) {}

  /// Address of a function of type void(void*...). Never null: only programs that have the routine call this.
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
