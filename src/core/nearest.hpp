/// \file nearest.hpp
/// Names of rows, and suggestions for misspelled names. Pure.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace adcl {

/// The entry of \p known with the smallest edit distance to \p word (insertions, deletions and replacements;
/// case-insensitive); the first of several equally distant entries; empty if \p known is empty.
std::string nearest(const std::string& word, std::span<const std::string> known);

/// Whether \p word is probably a misspelling of \p name: it differs only in case, or by a number of edits of at most a
/// third of the name's length.
bool is_misspelled(const std::string& word, const std::string& name);

/// The names of the rows, in their order.
template <typename Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  std::ranges::transform(rows, std::back_inserter(names), [](const auto& row) { return row.name; });
  return names;
}

/// The row of a table with this name. \p kind describes the rows, such as "selection logic".
/// \throws Error(option) that suggests the most similar name.
template <typename Row>
const Row& find_row(std::span<const Row> rows, const std::string& name, const char* kind) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found == rows.end()) {
    throw Error(Code::option,
                text("'", name, "' is not a ", kind, "; did you mean '", nearest(name, names_of(rows)), "'?"));
  }
  return *found;
}

}  // namespace adcl
