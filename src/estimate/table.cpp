#include <algorithm>
#include <array>
#include <vector>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "estimate/estimator.hpp"
#include "estimate/methods.hpp"

namespace adcl::estimate {

std::span<const Estimator> table() {
  static const std::array rows = {
      Estimator{"none", "the mean of all measurements", "thesis section 5.2, eq. 5.2", none::summarise, none::judge},
      Estimator{"heuristic",
                "the mean without measurements above ADCL_OUTLIER_BOUND times the smallest one, unless these are more "
                "than the fraction ADCL_OUTLIER_FRACTION on some rank",
                "thesis section 5.2.1, paper section II-A", heuristic::summarise, heuristic::judge},
  };
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

}  // namespace adcl::estimate
