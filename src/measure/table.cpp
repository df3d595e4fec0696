#include <array>

#include "core/nearest.hpp"
#include "measure/estimator.hpp"

namespace adcl::measure {

// Each function is defined in the file of the same name.
Estimator none();
Estimator heuristic();
Estimator iqr();
Estimator cluster();
Estimator robust();

std::span<const Estimator> table() {
  static const std::array rows = {none(), heuristic(), iqr(), cluster(), robust()};
  return rows;
}

const Estimator& find(const std::string& name) { return find_row(table(), name, "statistical method"); }

}  // namespace adcl::measure
