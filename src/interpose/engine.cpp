#include "interpose/engine.hpp"

#include "profile/next.hpp"

namespace {

void* (*finder)(const char*) noexcept = nullptr;

}  // namespace

namespace adcl::profile {

/// The next function behind libadcl-interpose.
void* find_next(const char* name) noexcept { return finder != nullptr ? finder(name) : nullptr; }

}  // namespace adcl::profile

namespace adcl::interpose {

void* preloaded_library() noexcept { return reinterpret_cast<void*>(finder); }

}  // namespace adcl::interpose

/// Called once, before all other functions.
extern "C" ADCL_EXPORT void adcl_interpose_begin(void* (*find_next)(const char*) noexcept) { finder = find_next; }
