#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "select/search.hpp"

namespace adcl::select {

// Each is defined in the file of its name.
Logic brute_force();
Logic hypothesis();
Logic factorial();
Logic model();

std::span<const Logic> table() {
  static const std::array rows = {brute_force(), hypothesis(), factorial(), model()};
  return rows;
}

const Logic& find(const std::string& name) {
  const auto rows = table();
  const auto found = std::find_if(rows.begin(), rows.end(), [&name](const auto& row) { return row.name == name; });
  if (found == rows.end()) {
    std::vector<std::string> known;
    std::transform(rows.begin(), rows.end(), std::back_inserter(known), [](const auto& row) { return row.name; });
    throw Error(Code::option,
                text("'", name, "' is not a selection logic; did you mean '", nearest(name, known), "'?"));
  }
  return *found;
}

}  // namespace adcl::select
