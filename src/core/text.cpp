#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace adcl {

namespace {

constexpr std::size_t longest_number = 64;

template <typename... Arguments>
void append_number(std::string& text, Arguments... arguments) {
  std::array<char, longest_number> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), arguments...);
  text.append(digits.data(), error == std::errc() ? static_cast<std::size_t>(end - digits.data()) : 0);
}

}  // namespace

void append_integer(std::string& text, long long number) { append_number(text, number); }

void append_unsigned(std::string& text, unsigned long long number) { append_number(text, number); }

void append_real(std::string& text, double number, int digits) {
  append_number(text, number, std::chars_format::general, std::min(digits, 17));
}

std::string printable(std::string_view raw, bool lines) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(raw.size());
  for (const char character : raw) {
    const auto code = static_cast<unsigned char>(character);
    if ((code >= 0x20 && code != 0x7f) || (lines && character == '\n')) {
      result += character;
    } else if (character == '\n') {
      result += "\\n";
    } else if (character == '\t') {
      result += "\\t";
    } else {
      result += {'\\', 'x', digits[code / 16], digits[code % 16]};
    }
  }
  return result;
}

std::optional<double> to_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) {
    word.remove_prefix(1);
  }
  double number = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace adcl
