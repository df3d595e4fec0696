/// \file nearest.hpp
/// Suggestions for misspelled names. Pure.
#pragma once

#include <span>
#include <string>

namespace adcl {

/// The entry of \p known with the smallest edit distance to \p word (insertions, deletions and replacements;
/// case-insensitive), the first one of several; empty if \p known is empty.
std::string nearest(const std::string& word, std::span<const std::string> known);

/// Whether \p word differs from \p name, but probably means it: only in case, or by at most as many edits as a third of
/// the name's letters.
bool is_misspelt(const std::string& word, const std::string& name);

}  // namespace adcl
