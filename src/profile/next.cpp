#include "profile/next.hpp"

#include <dlfcn.h>
#include <link.h>

namespace adcl::profile {
namespace {

struct Symbol {
  const char* name;
  void* address;
};

bool is_here(void* address) noexcept {
  Dl_info theirs;
  Dl_info ours;
  static const char anchor = 0;
  return dladdr(address, &theirs) != 0 && dladdr(&anchor, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

int look_into(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto* const symbol = static_cast<Symbol*>(data);
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    return 0;
  }
  void* const address = dlsym(handle, symbol->name);
  dlclose(handle);
  if (address == nullptr || is_here(address)) {
    return 0;
  }
  symbol->address = address;
  return 1;
}

}  // namespace

void* find_next(const char* name) noexcept {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found != nullptr) {
    return found;
  }
  // A plug-in loaded the MPI library with local symbols.
  Symbol symbol{name, nullptr};
  dl_iterate_phdr(look_into, &symbol);
  return symbol.address;
}

}  // namespace adcl::profile
