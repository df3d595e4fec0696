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

std::string trimmed(std::string_view word) {
  constexpr const char* blanks = " \t\r\n";
  word.remove_prefix(std::min(word.find_first_not_of(blanks), word.size()));
  return std::string(word.substr(0, word.find_last_not_of(blanks) + 1));
}

std::string lower_case(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : ", ") + word;
  }
  return line;
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
