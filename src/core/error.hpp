/// \file error.hpp
/// The exception type of the library, and the codes of ADCL.h that it maps to.
#pragma once

#include <stdexcept>
#include <string>

#include "core/text.hpp"

namespace adcl {

/// Same values as the ADCL_ERR_* macros of ADCL.h; capi/guard.cpp asserts that they stay equal.
enum class Code {
  success = 0,
  argument = 1,
  handle = 2,
  type = 3,
  state = 4,
  mismatch = 5,
  option = 6,
  memory = 7,
  mpi = 8,
  unsupported = 9,
  not_initialized = 10,
  file = 11,
  no_codelet = 12,
  internal = 13,
  callback = 14,
};

/// A short English text for a code; never null, even if \p code is not a valid code.
const char* describe(int code) noexcept;

/// An error; its message states the problem, the value, and the remedy. Control characters in the message, which may
/// come from names and files, are escaped; line breaks are kept.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message, bool elsewhere = false)
      : std::runtime_error(printable(message, true)), code_(code), elsewhere_(elsewhere) {}
  [[nodiscard]] Code code() const noexcept { return code_; }
  /// Whether not to print the error here: another rank reports it, or it was already shown.
  [[nodiscard]] bool elsewhere() const noexcept { return elsewhere_; }

 private:
  Code code_;
  bool elsewhere_;
};

/// Throws Error(code, text(parts...)) when \p condition is false.
template <typename... Parts>
void require(bool condition, Code code, const Parts&... parts) {
  if (!condition) [[unlikely]] {
    throw Error(code, text(parts...));
  }
}

}  // namespace adcl
