#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace adcl {

std::optional<double> to_number(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
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
