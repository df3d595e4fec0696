#include <algorithm>
#include <array>
#include <vector>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "measure/estimator.hpp"

namespace adcl::measure {

// Each is defined in the file of the same name.
Estimator none();
Estimator heuristic();
Estimator iqr();
Estimator cluster();
Estimator robust();

std::span<const Estimator> table() {
  static const std::array rows = {none(), heuristic(), iqr(), cluster(), robust()};
  return rows;
}

const Estimator& find(const std::string& name) {
  const auto rows = table();
  const auto found = std::find_if(rows.begin(), rows.end(), [&name](const auto& row) { return row.name == name; });
  if (found == rows.end()) {
    std::vector<std::string> known;
    std::transform(rows.begin(), rows.end(), std::back_inserter(known), [](const auto& row) { return row.name; });
    throw Error(Code::option,
                text("'", name, "' is not a statistical method; did you mean '", nearest(name, known), "'?"));
  }
  return *found;
}

}  // namespace adcl::measure
