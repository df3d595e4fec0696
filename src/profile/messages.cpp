#include "profile/messages.hpp"

#include <pthread.h>

#include <cstdlib>
#include <type_traits>

namespace adcl::profile {
namespace {

// A hash table of persistent send requests.
struct Persistent {
  std::uint64_t request;
  std::uint64_t bytes;
  Persistent* next;
};
constexpr std::size_t buckets = 1024;
Persistent* table[buckets];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

template <typename Request>
std::uint64_t as_number(Request request) noexcept {
  // MPI_Request is a pointer in some MPI libraries, and a number in all other libraries.
  if constexpr (std::is_pointer_v<Request>) {
    return reinterpret_cast<std::uintptr_t>(request);
  } else {
    return static_cast<std::uint64_t>(request);
  }
}

Persistent*& bucket_of(std::uint64_t number) noexcept { return table[(number * 0x9e3779b97f4a7c15ULL) >> 54U]; }
static_assert(buckets == 1U << 10U);

// Returns the link to the entry of a request, or to the end of its bucket. Call it with the mutex locked.
Persistent** find(std::uint64_t number) noexcept {
  Persistent** link = &bucket_of(number);
  while (*link != nullptr && (*link)->request != number) {
    link = &(*link)->next;
  }
  return link;
}

std::uint64_t size_of(MPI_Datatype type) noexcept {
  int size = 0;
  if (PMPI_Type_size(type, &size) == MPI_SUCCESS && size != MPI_UNDEFINED) {
    return static_cast<std::uint64_t>(size);
  }
  MPI_Count large = 0;
  return PMPI_Type_size_x(type, &large) == MPI_SUCCESS && large > 0 ? static_cast<std::uint64_t>(large) : 0;
}

}  // namespace

void count_message(Counters& counters, long long count, MPI_Datatype type, int destination) noexcept {
  // Let MPI handle invalid arguments: querying the size of MPI_DATATYPE_NULL would cause a different error.
  if (destination != MPI_PROC_NULL && count >= 0 && type != MPI_DATATYPE_NULL) {
    counters.message(static_cast<std::uint64_t>(count) * size_of(type));
  }
}

void remember_persistent(MPI_Request request, long long count, MPI_Datatype type, int destination) noexcept {
  if (destination == MPI_PROC_NULL || count < 0) {
    forget_persistent(request);
    return;
  }
  const std::uint64_t number = as_number(request);
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(type);
  pthread_mutex_lock(&mutex);
  Persistent*& entry = *find(number);
  if (entry == nullptr) {
    if (auto* const made = static_cast<Persistent*>(std::malloc(sizeof(Persistent))); made != nullptr) {
      *made = {number, bytes, nullptr};
      entry = made;
    }
  } else {
    entry->bytes = bytes;
  }
  pthread_mutex_unlock(&mutex);
}

void forget_persistent(MPI_Request request) noexcept {
  pthread_mutex_lock(&mutex);
  Persistent** const link = find(as_number(request));
  if (Persistent* const entry = *link; entry != nullptr) {
    *link = entry->next;
    std::free(entry);
  }
  pthread_mutex_unlock(&mutex);
}

void count_start(Counters& counters, MPI_Request request) noexcept {
  pthread_mutex_lock(&mutex);
  const Persistent* const entry = *find(as_number(request));
  const bool known = entry != nullptr;
  const std::uint64_t bytes = known ? entry->bytes : 0;
  pthread_mutex_unlock(&mutex);
  if (known) {
    counters.message(bytes);
  }
}

}  // namespace adcl::profile
