/// \file address.hpp
/// Addresses relative to a base that may be null, such as MPI_BOTTOM.
#pragma once

#include <cstdint>

namespace adcl {

/// The address \p offset bytes after \p base. \p base may be null, and the result may lie outside its array.
template <typename Byte>
Byte* address(Byte* base, std::int64_t offset) noexcept {
  static_assert(sizeof(Byte) == 1);
  const auto sum = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
  return reinterpret_cast<Byte*>(sum);  // NOLINT(performance-no-int-to-ptr): a null pointer has no arithmetic
}

}  // namespace adcl
