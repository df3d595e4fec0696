#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "search/logics.hpp"

namespace adcl::search {

std::span<const Logic> table() {
  static const std::array rows = {
      Logic{"brute_force", "measures every codelet", "paper section II-A, thesis section 3.3.2", make_brute_force},
      Logic{
          "hypothesis",
          "finds the best value of each attribute by comparing codelets that differ in nothing else, and measures only "
          "codelets that have these values",
          "paper section III, thesis section 3.3.3", make_hypothesis},
      Logic{
          "factorial",
          "measures one codelet for each combination of two groups of values per attribute, keeps the faster group of "
          "each attribute that matters, and measures the codelets left",
          "thesis chapter 7; Jain, The Art of Computer Systems Performance Analysis, chapter 17", make_factorial},
      Logic{"racing",
            "lets all codelets run in short blocks side by side, takes out those that fall behind, and replaces the "
            "first "
            "codelet of the table on evidence only",
            "Karnin, Koren and Somekh 2013 (halving), Maron and Moore 1993 (races), paper section V (classes)",
            make_racing},
  };
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

}  // namespace adcl::search
