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

/// Converts \p index to a position in a vector or an array.
template <typename Index>
requires std::is_enum_v<Index>
constexpr std::size_t index_of(Index index) noexcept { return static_cast<std::size_t>(index); }

/// Converts a position to an index.
template <typename Index>
constexpr Index from_index(std::size_t position) noexcept {
  return static_cast<Index>(static_cast<int>(position));
}

}  // namespace adcl::runtime
