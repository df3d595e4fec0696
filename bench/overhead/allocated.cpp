#include "overhead/allocated.hpp"

#ifndef ADCL_SIMULATED

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long long> allocated{0};

/// The requested size is stored in front of the returned memory: malloc's actual size depends on memory freed before.
/// \p front is a multiple of all requested alignments.
void* allocate(std::size_t bytes, std::size_t front) {
  void* memory = std::aligned_alloc(front, (front + bytes + front - 1) / front * front);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  std::memcpy(memory, &bytes, sizeof bytes);
  allocated += static_cast<long long>(bytes);
  return static_cast<std::byte*>(memory) + front;
}

void release(void* memory, std::size_t front) noexcept {
  if (memory == nullptr) {
    return;
  }
  void* whole = static_cast<std::byte*>(memory) - front;
  std::size_t bytes = 0;
  std::memcpy(&bytes, whole, sizeof bytes);
  allocated -= static_cast<long long>(bytes);
  std::free(whole);
}

constexpr std::size_t plain = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

std::size_t front_of(std::align_val_t alignment) { return std::max(plain, static_cast<std::size_t>(alignment)); }

}  // namespace

// The array operators and the operators that do not throw call these operators.
void* operator new(std::size_t bytes) { return allocate(bytes, plain); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate(bytes, front_of(alignment)); }
void operator delete(void* memory) noexcept { release(memory, plain); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { release(memory, plain); }
void operator delete(void* memory, std::align_val_t alignment) noexcept { release(memory, front_of(alignment)); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t alignment) noexcept {
  release(memory, front_of(alignment));
}

namespace bench {

double allocated_bytes() { return static_cast<double>(allocated.load()); }

}  // namespace bench

#else

// SMPI replaces these functions with macros.
#undef malloc
#undef calloc
#undef realloc
#undef free
#include <malloc.h>

namespace bench {

double allocated_bytes() { return static_cast<double>(mallinfo2().uordblks); }

}  // namespace bench

#endif
