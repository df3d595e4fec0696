#include "select/duration.hpp"

#include <cmath>

#include "core/text.hpp"

namespace adcl::select {

std::string duration(double seconds) {
  struct Unit {
    double scale_s;
    const char* name;
  };
  static constexpr Unit units[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  if (!std::isfinite(seconds)) {
    return "no time";
  }
  const auto in = [seconds](const Unit& unit) {
    std::string words;
    append_real(words, seconds / unit.scale_s, 3);
    return words + ' ' + unit.name;
  };
  for (const Unit& unit : units) {
    // 0.9996 ms reads "1 ms" and not "1e+03 us".
    if (seconds >= 0.9995 * unit.scale_s) {
      return in(unit);
    }
  }
  return in({1e-9, "ns"});
}

}  // namespace adcl::select
