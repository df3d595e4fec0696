/// \file engine.hpp
/// The entry of libadcl-interpose-engine, which libadcl-interpose loads.
#pragma once

namespace adcl::interpose {

/// An address in libadcl-interpose, the library that the program preloads.
void* preloaded_library() noexcept;

}  // namespace adcl::interpose
