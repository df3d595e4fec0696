/// \file text.hpp
/// Texts with numbers in them, and numbers from texts. A program may set any locale, and another one on each rank:
/// nothing here depends on it, neither on C's nor on C++'s. Pure.
#pragma once

#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace adcl {

/// A stream that writes a point and no groups of digits, whatever the global locale is.
inline std::ostringstream plain_stream() {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  return stream;
}

/// Joins its arguments into one text.
template <typename... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream = plain_stream();
  (stream << ... << parts);
  return stream.str();
}

/// The number that the whole of \p word is, decimal, with a point; blanks and a plus sign may come first. Nothing when
/// it is none, not finite, or too large or too small for a double.
std::optional<double> to_number(std::string_view word);

}  // namespace adcl
