/// \file counters.hpp
/// Counters of calls and messages. Every thread has its own, without locks or atomic read-modify-write; they are summed
/// at the end.
#pragma once

#include <mpi.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "profile/calls.hpp"

namespace adcl::profile {

/// A processor tick counter with little overhead. MPI_Wtime at both ends of the run calibrates its rate.
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

/// Size classes of messages: class 0 is for 0 and 1 byte, class k for more than 2^(k-1) and up to 2^k bytes.
inline constexpr std::size_t size_classes = 64;
/// Messages "near the eager limit": from 1 KB to 64 KB inclusive, as in A. Sikora et al. (SEM4HPC 2016).
inline constexpr std::uint64_t near_limit_low = 1024;
inline constexpr std::uint64_t near_limit_high = 65536;

constexpr std::size_t size_class(std::uint64_t bytes) noexcept {
  return bytes == 0 ? 0 : static_cast<std::size_t>(std::bit_width(bytes - 1));
}

/// A counter that one thread increments; the thread that writes the file reads it.
class Counter {
 public:
  void add(std::uint64_t amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct Counters {
  int depth = 0;  ///< nesting depth of MPI calls: only the outermost call is counted
  Counter calls[call_count];
  Counter call_ticks[call_count];
  Counter messages[size_classes];
  Counter bytes[size_classes];
  Counter near_limit_messages;
  Counter near_limit_bytes;
  Counters* next = nullptr;       ///< next in the list of all sets
  Counters* next_free = nullptr;  ///< next in the list of sets whose thread has ended

  void message(std::uint64_t size) noexcept {
    messages[size_class(size)].add(1);
    bytes[size_class(size)].add(size);
    if (size >= near_limit_low && size <= near_limit_high) {
      near_limit_messages.add(1);
      near_limit_bytes.add(size);
    }
  }
};

extern thread_local Counters* counters_of_thread __attribute__((tls_model("initial-exec")));

/// Slow path: returns a set of counters for a thread that has none; null if memory is exhausted, in which case the
/// thread is not counted.
Counters* claim_counters() noexcept;

/// The set of counters of this thread, or null.
inline Counters* counters() noexcept {
  Counters* const mine = counters_of_thread;
  return mine != nullptr ? mine : claim_counters();
}

/// Head of the list of all sets of counters.
const Counters* all_counters() noexcept;

/// The duration of one call. MPI may call itself, for example in Fortran interfaces: only the outermost call is
/// counted.
class Scope {
 public:
  explicit Scope(Call call) noexcept : counters_(counters()), call_(static_cast<std::size_t>(call)) {
    if (counters_ != nullptr && counters_->depth++ == 0) {
      outermost_ = true;
      begin_ = ticks();
    }
  }
  ~Scope() {
    if (outermost_) {
      const std::uint64_t end = ticks();
      counters_->call_ticks[call_].add(end > begin_ ? end - begin_ : 0);
      counters_->calls[call_].add(1);
    }
    if (counters_ != nullptr) {
      --counters_->depth;
    }
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  [[nodiscard]] bool outermost() const noexcept { return outermost_; }
  [[nodiscard]] Counters& target() const noexcept { return *counters_; }

 private:
  Counters* counters_;
  std::size_t call_;
  std::uint64_t begin_ = 0;
  bool outermost_ = false;
};

}  // namespace adcl::profile
