#include "profile/next.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

namespace adcl::profile {
namespace {

// Names of the loaded shared libraries. Allocated with malloc, because libadcl-profile does not use the C++ library.
struct Names {
  char** all = nullptr;
  std::size_t number = 0;
  std::size_t room = 0;
};

void* ignored_base = nullptr;

void* base_of(const void* address) noexcept {
  Dl_info library;
  return dladdr(address, &library) != 0 ? library.dli_fbase : nullptr;
}

bool is_ignored(void* address) noexcept {
  static const char anchor = 0;
  void* const base = base_of(address);
  return base == base_of(&anchor) || (ignored_base != nullptr && base == ignored_base);
}

int add_name(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& names = *static_cast<Names*>(data);
  if (names.number == names.room) {
    const std::size_t room = 2 * names.room + 64;
    void* const grown = std::realloc(static_cast<void*>(names.all), room * sizeof(char*));
    if (grown == nullptr) {
      return 1;
    }
    names.all = static_cast<char**>(grown);
    names.room = room;
  }
  char* const copy = strdup(object->dlpi_name);
  if (copy != nullptr) {
    names.all[names.number++] = copy;
  }
  return 0;
}

void* definition_in(const char* library, const char* name) noexcept {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    return nullptr;
  }
  void* const address = dlsym(handle, name);
  dlclose(handle);
  return address != nullptr && !is_ignored(address) ? address : nullptr;
}

// Looks into libraries with local symbols. The loop runs outside of dl_iterate_phdr, which holds a lock that another
// thread's dlopen may wait for.
void* find_local(const char* name) noexcept {
  Names names;
  dl_iterate_phdr(add_name, &names);
  void* found = nullptr;
  for (std::size_t i = 0; i < names.number; ++i) {
    if (found == nullptr) {
      found = definition_in(names.all[i], name);
    }
    std::free(names.all[i]);
  }
  std::free(static_cast<void*>(names.all));
  return found;
}

}  // namespace

void ignore_library_of(void* address) noexcept { ignored_base = base_of(address); }

void* find_next(const char* name) noexcept {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found != nullptr) {
    return found;
  }
  // A plug-in or a Python module loaded the MPI library with local symbols.
  return find_local(name);
}

}  // namespace adcl::profile
