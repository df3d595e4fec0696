/// \file clock.hpp
/// A processor tick counter with little overhead. MPI_Wtime at both ends of the run calibrates its rate.
#pragma once

#include <mpi.h>

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace adcl::profile {

#if defined(__x86_64__)
inline std::uint64_t ticks() noexcept { return __rdtsc(); }
#elif defined(__aarch64__)
inline std::uint64_t ticks() noexcept {
  std::uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
#else
inline std::uint64_t ticks() noexcept { return static_cast<std::uint64_t>(PMPI_Wtime() * 1e9); }
#endif

}  // namespace adcl::profile
