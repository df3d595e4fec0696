#include "search/duration.hpp"

#include <cmath>

#include "core/text.hpp"

namespace adcl::search {

std::string duration(double seconds) {
  struct Unit {
    double scale_s;
    const char* name;
  };
  static constexpr Unit units[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  if (!std::isfinite(seconds)) {
    return "no time";
  }
  std::ostringstream stream = plain_stream();
  stream.precision(3);
  for (const Unit& unit : units) {
    // 0.9996 ms reads "1 ms" and not "1e+03 us".
    if (seconds >= 0.9995 * unit.scale_s) {
      stream << seconds / unit.scale_s << ' ' << unit.name;
      return stream.str();
    }
  }
  stream << seconds / 1e-9 << " ns";
  return stream.str();
}

}  // namespace adcl::search
