#include <array>

#include "core/nearest.hpp"
#include "select/search.hpp"

namespace adcl::select {

// Each function is defined in the file of the same name.
Logic brute_force();
Logic hypothesis();
Logic factorial();
Logic model();

std::span<const Logic> table() {
  static const std::array rows = {brute_force(), hypothesis(), factorial(), model()};
  return rows;
}

const Logic& find(const std::string& name) { return find_row(table(), name, "selection logic"); }

}  // namespace adcl::select
