/// \file text.hpp
/// Texts with numbers in them, and numbers from texts. A program may set any locale, and another one on each rank:
/// nothing here depends on it, neither on C's nor on C++'s. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace adcl {

/// Appends a number as a C++ stream would write it: a real number with so many significant digits.
void append_integer(std::string& text, long long number);
void append_unsigned(std::string& text, unsigned long long number);
void append_real(std::string& text, double number, int digits = 6);

/// Appends a number, a character or a text; true and false as 1 and 0.
template <typename Part>
void append(std::string& text, const Part& part) {
  if constexpr (std::is_same_v<Part, char>) {
    text += part;
  } else if constexpr (std::is_floating_point_v<Part>) {
    append_real(text, static_cast<double>(part));
  } else if constexpr (std::is_unsigned_v<Part>) {
    append_unsigned(text, part);
  } else if constexpr (std::is_integral_v<Part>) {
    append_integer(text, part);
  } else {
    text += std::string_view(part);
  }
}

/// Joins its arguments into one text.
template <typename... Parts>
std::string text(const Parts&... parts) {
  std::string joined;
  (append(joined, parts), ...);
  return joined;
}

/// \p raw with each control character as in C, such as \\n, \\x00 or \\x1b; with \p lines line breaks stay.
std::string printable(std::string_view raw, bool lines = false);

/// The number that the whole of \p word is, decimal, with a point; a plus sign may come first, blanks may not. Nothing
/// when it is none, not finite, or too large or too small for a double.
std::optional<double> to_number(std::string_view word);

}  // namespace adcl
