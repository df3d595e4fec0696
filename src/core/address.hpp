/// \file address.hpp
/// Addresses relative to a base that may be null, as MPI_BOTTOM is.
#pragma once

#include <cstdint>

namespace adcl {

/// The address \p offset bytes behind \p base, which may be null and need not lie in the same array.
template <typename Byte>
Byte* address(Byte* base, std::int64_t offset) noexcept {
  static_assert(sizeof(Byte) == 1);
  const auto sum = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
  return reinterpret_cast<Byte*>(sum);  // NOLINT(performance-no-int-to-ptr): a null pointer has no arithmetic
}

}  // namespace adcl
