/// \file indices.hpp
/// Three ways to number codelets, as three types, so that the compiler detects mix-ups.
#pragma once

#include <cstddef>
#include <type_traits>

namespace adcl::runtime {

/// A row of a function set's table.
enum class Row : int {};

/// A candidate of a problem: an index into the applicable rows, in their order.
enum class Candidate : int {};

/// A candidate of a problem in one mode: an index into the candidates that the mode admits, in their order.
enum class ModeCandidate : int {};

inline constexpr Candidate no_candidate{-1};

/// The first codelet of the table that a mode admits.
inline constexpr ModeCandidate first_candidate{0};

/// Position of the entry of \p index in a vector with an entry for each index.
template <typename Index>
requires std::is_enum_v<Index>
constexpr std::size_t place(Index index) noexcept { return static_cast<std::size_t>(index); }

/// Index of the entry at position \p place.
template <typename Index>
constexpr Index index_at(std::size_t place) noexcept {
  return static_cast<Index>(static_cast<int>(place));
}

}  // namespace adcl::runtime
