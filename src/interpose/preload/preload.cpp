// libadcl-interpose, which programs preload. It defines the functions that libadcl-interpose-engine intercepts, and
// loads the engine when the first of them is called and the program's MPI library is the engine's. It is not linked
// with an MPI library: a preloaded library must not choose the MPI library of a program, and not all programs have one.
// Otherwise it calls the next function. All arguments are passed on as registers, because handles are numbers in some
// MPI libraries and addresses in others.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "interpose/preload/missing.hpp"
#include "profile/next.hpp"

namespace adcl::interpose {
namespace {

using profile::find_next;

/// The largest MPI_MAX_LIBRARY_VERSION_STRING of all MPI libraries.
constexpr std::size_t longest_version = 8192;
constexpr std::size_t longest_path = 4096;

/// A function that is defined here. Its target is constant once it is known; until then, calls go to the next function.
struct Entry {
  const char* name;
  std::atomic<void*> target{nullptr};
  std::atomic<void*> next{nullptr};
};

void* next_of(Entry& entry) noexcept {
  void* known = entry.next.load(std::memory_order_acquire);
  if (known == nullptr) {
    known = find_next(entry.name);
    entry.next.store(known, std::memory_order_release);
  }
  return known;
}

enum class Engine { unknown, absent, loaded };
std::atomic<Engine> engine{Engine::unknown};
void* engine_handle = nullptr;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

template <typename Function>
Function* next_function(const char* name) noexcept {
  return reinterpret_cast<Function*>(find_next(name));
}

bool is_initialized() noexcept {
  static constinit Entry entry{"MPI_Initialized"};
  auto* const initialized = reinterpret_cast<int (*)(int*)>(next_of(entry));
  int flag = 0;
  return initialized != nullptr && initialized(&flag) == 0 && flag != 0;
}

bool is_off() noexcept {
  const char* const mode = std::getenv("ADCL_INTERPOSE");
  return mode != nullptr && std::strcmp(mode, "off") == 0;
}

#if !ADCL_MPI_STANDARD_ABI
/// Whether \p version begins with an identity: the text from \p begin to \p end, up to a library's first number. Blanks
/// are compared as in mpi/library.cpp.
bool begins_with(const char* version, const char* begin, const char* end) noexcept {
  const auto is_blank = [](char one) { return one == ' ' || one == '\t'; };
  for (; begin != end; ++begin, ++version) {
    while (is_blank(version[0]) && is_blank(version[1])) {
      ++version;
    }
    if (*begin != (is_blank(*version) ? ' ' : *version)) {
      return false;
    }
  }
  return *version < '0' || *version > '9';
}
#endif

/// Whether the program's MPI library is one that the engine supports, in the same major version.
bool has_library_of_build() noexcept {
#if ADCL_MPI_STANDARD_ABI
  auto* const get_abi = next_function<int(int*, int*)>("MPI_Abi_get_version");
  int major = -1;
  int minor = -1;
  return get_abi != nullptr && get_abi(&major, &minor) == 0 && major >= 1;
#else
  auto* const get_version = next_function<int(char*, int*)>("MPI_Get_library_version");
  static char version[longest_version + 1];
  int length = 0;
  if (get_version == nullptr || get_version(version, &length) != 0) {
    return false;
  }
  for (const char* identity = ADCL_MPI_IDENTITY; *identity != '\0';) {
    const char* const end = identity + std::strcspn(identity, "|");
    if (begins_with(version, identity, end)) {
      return true;
    }
    identity = *end == '|' ? end + 1 : end;
  }
  return false;
#endif
}

/// The engine is in the folder of this library.
void* load_engine() noexcept {
  Dl_info here;
  char path[longest_path];
  if (dladdr(reinterpret_cast<void*>(&engine), &here) == 0 || here.dli_fname == nullptr) {
    return nullptr;
  }
  const char* const slash = std::strrchr(here.dli_fname, '/');
  const std::size_t folder = slash != nullptr ? static_cast<std::size_t>(slash - here.dli_fname) + 1 : 0;
  const char* const file = "libadcl-interpose-engine.so";
  if (folder + std::strlen(file) + 1 > longest_path) {
    return nullptr;
  }
  std::memcpy(path, here.dli_fname, folder);
  std::memcpy(path + folder, file, std::strlen(file) + 1);
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

/// Decides once whether the engine runs. Before MPI is initialized, the decision remains open.
Engine begin() noexcept {
  if (is_off()) {
    return Engine::absent;
  }
  if (!is_initialized()) {
    return Engine::unknown;
  }
  void* const handle = has_library_of_build() ? load_engine() : nullptr;
  void* const start = handle != nullptr ? dlsym(handle, "adcl_interpose_begin") : nullptr;
  if (start == nullptr) {
    return Engine::absent;
  }
  engine_handle = handle;
  profile::ignore_library_of(start);
  reinterpret_cast<void (*)(void* (*)(const char*) noexcept)>(start)(&find_next);
  return Engine::loaded;
}

Engine state() noexcept {
  Engine known = engine.load(std::memory_order_acquire);
  if (known == Engine::unknown) {
    pthread_mutex_lock(&mutex);
    known = engine.load(std::memory_order_acquire);
    if (known == Engine::unknown) {
      known = begin();
      engine.store(known, std::memory_order_release);
    }
    pthread_mutex_unlock(&mutex);
  }
  return known;
}

/// The engine's function, or the next one; null if there is none.
void* resolve(Entry& entry) noexcept {
  const Engine known = state();
  void* target = known == Engine::loaded ? dlsym(engine_handle, entry.name) : nullptr;
  if (target == nullptr) {
    target = next_of(entry);
  }
  if (known != Engine::unknown) {
    entry.target.store(target, std::memory_order_release);
  }
  return target;
}

/// The error code of a missing function: the result in C, the last argument in Fortran.
template <typename Result, typename... Arguments>
Result fail(Arguments... arguments) noexcept {
  if constexpr (std::is_void_v<Result>) {
    void* const all[] = {arguments...};
    if (auto* const error = static_cast<int*>(all[sizeof...(arguments) - 1]); error != nullptr) {
      *error = missing_function();
    }
  } else {
    return missing_function();
  }
}

template <typename Result, typename... Arguments>
Result call(Entry& entry, Arguments... arguments) {
  void* target = entry.target.load(std::memory_order_acquire);
  if (target == nullptr) [[unlikely]] {
    target = resolve(entry);
    if (target == nullptr) {
      return fail<Result>(arguments...);
    }
  }
  return reinterpret_cast<Result (*)(Arguments...)>(target)(arguments...);
}

}  // namespace
}  // namespace adcl::interpose

// NOLINTNEXTLINE(google-build-using-namespace): the functions below have the names of C or Fortran
using namespace adcl::interpose;

#define ADCL_PRELOAD(result, symbol, parameters, ...) \
  ADCL_EXPORT result symbol parameters;               \
  result symbol parameters {                          \
    static constinit Entry entry{#symbol};            \
    return call<result>(entry, __VA_ARGS__);          \
  }

extern "C" {

#include "preload.def"

}  // extern "C"
