#include "select/duration.hpp"

#include <cmath>
#include <utility>

#include "core/text.hpp"

namespace adcl::select {

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) {
    return "no time";
  }
  std::pair<double, const char*> unit{1e-9, " ns"};
  for (const std::pair<double, const char*>& larger : {std::pair{1e-6, " us"}, {1e-3, " ms"}, {1.0, " s"}}) {
    // Three digits of 0.9996 ms are "1 ms", not "1e+03 us".
    unit = seconds >= 0.9995 * larger.first ? larger : unit;
  }
  std::string words;
  append_real(words, seconds / unit.first, 3);
  return words + unit.second;
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string result;
  for (const std::string& word : words) {
    result += (result.empty() ? "" : separator) + word;
  }
  return result;
}

}  // namespace adcl::select
