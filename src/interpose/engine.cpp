// The entry of libadcl-interpose-engine, which libadcl-interpose loads.
#include "profile/next.hpp"

namespace {

void* (*finder)(const char*) noexcept = nullptr;

}  // namespace

namespace adcl::profile {

/// The next function behind libadcl-interpose.
void* find_next(const char* name) noexcept { return finder != nullptr ? finder(name) : nullptr; }

}  // namespace adcl::profile

/// Called once, before all other functions.
extern "C" ADCL_EXPORT void adcl_interpose_begin(void* (*find_next)(const char*) noexcept) { finder = find_next; }
