/// \file nearest.hpp
/// The name a user probably meant. Pure.
#pragma once

#include <span>
#include <string>

namespace adcl {

/// The entry of \p known with the smallest edit distance (insertions, deletions and replacements; upper and lower case
/// are the same) to \p word, the first of several; empty when \p known is empty.
std::string nearest(const std::string& word, std::span<const std::string> known);

/// \p word is not \p name, but probably meant: with other upper and lower case, or as many edits away as a third of
/// the name's letters at most.
bool is_misspelt(const std::string& word, const std::string& name);

}  // namespace adcl
