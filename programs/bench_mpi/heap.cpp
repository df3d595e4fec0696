#include "heap.hpp"

#ifdef ADCL_BENCH_COUNTS_HEAP

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

// glibc's internal names of its allocator, which remain available when a program defines malloc.
extern "C" {
void* __libc_malloc(std::size_t bytes);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t bytes);        // NOLINT
void* __libc_realloc(void* block, std::size_t bytes);             // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t bytes);  // NOLINT
void __libc_free(void* block);                                    // NOLINT
}

namespace {

constinit std::atomic<std::int64_t> live{0};
constexpr std::size_t page = 4096;

void* counted(void* block) {
  if (block != nullptr) {
    live.fetch_add(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  }
  return block;
}

void uncount(void* block) {
  if (block != nullptr) {
    live.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
  }
}

bool is_power_of_two(std::size_t number) { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

#define ADCL_INTERPOSED extern "C" __attribute__((visibility("default")))

ADCL_INTERPOSED void* malloc(std::size_t bytes) { return counted(__libc_malloc(bytes)); }

ADCL_INTERPOSED void* calloc(std::size_t count, std::size_t bytes) { return counted(__libc_calloc(count, bytes)); }

ADCL_INTERPOSED void free(void* block) {
  uncount(block);
  __libc_free(block);
}

ADCL_INTERPOSED void* realloc(void* block, std::size_t bytes) {
  const std::size_t before = block != nullptr ? malloc_usable_size(block) : 0;
  void* const moved = __libc_realloc(block, bytes);
  // If no memory is left, the old block stays; a size of 0 bytes frees it.
  if (moved != nullptr || bytes == 0) {
    live.fetch_sub(static_cast<std::int64_t>(before), std::memory_order_relaxed);
  }
  return counted(moved);
}

ADCL_INTERPOSED void* memalign(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}

ADCL_INTERPOSED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return counted(__libc_memalign(alignment, bytes));
}

ADCL_INTERPOSED int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) {
    return EINVAL;
  }
  void* const made = counted(__libc_memalign(alignment, bytes));
  if (made == nullptr) {
    return ENOMEM;
  }
  *block = made;
  return 0;
}

ADCL_INTERPOSED void* valloc(std::size_t bytes) { return counted(__libc_memalign(page, bytes)); }

ADCL_INTERPOSED void* pvalloc(std::size_t bytes) {
  return counted(__libc_memalign(page, (bytes + page - 1) / page * page));
}

namespace adcl::bench::heap {

bool is_counted() { return true; }
std::int64_t live_bytes() { return live.load(std::memory_order_relaxed); }
void trim() { malloc_trim(0); }

}  // namespace adcl::bench::heap

#else

namespace adcl::bench::heap {

bool is_counted() { return false; }
std::int64_t live_bytes() { return 0; }
void trim() {}

}  // namespace adcl::bench::heap

#endif
