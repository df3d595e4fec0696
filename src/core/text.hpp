/// \file text.hpp
/// Conversion between texts and numbers, independent of the C and C++ locales: a program may set any locale, and a
/// different locale on each rank. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace adcl {

/// Appends a number as a C++ stream would write it; real numbers with the given number of significant digits.
void append_integer(std::string& text, long long number);
void append_unsigned(std::string& text, unsigned long long number);
void append_real(std::string& text, double number, int digits = 6);

/// Appends a number, a character or a text; bool as 1 or 0.
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
  std::string all;
  (append(all, parts), ...);
  return all;
}

/// Returns \p raw with control characters escaped as in C, such as \\n, \\x00 or \\x1b; with \p lines, line breaks are
/// kept.
std::string printable(std::string_view raw, bool lines = false);

/// Returns \p word without blanks and line breaks at both ends.
std::string trimmed(std::string_view word);

/// Returns \p word with a to z for A to Z.
std::string lower_case(std::string_view word);

/// Returns \p words, separated by ", ".
std::string joined(const std::vector<std::string>& words);

/// Parses all of \p word as a decimal number with a decimal point; a leading plus sign is accepted, blanks are not.
/// Returns nothing if it is not a number, not finite, or out of the range of double.
std::optional<double> to_number(std::string_view word);

}  // namespace adcl
