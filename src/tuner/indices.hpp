/// \file indices.hpp
/// The three ways in which codelets are numbered, as three types: none is taken for another.
#pragma once

#include <cstddef>
#include <type_traits>

namespace adcl::runtime {

/// A row of a function set's table.
enum class Row : int {};

/// A candidate of a problem: one of the rows that can do it, in their order.
enum class Candidate : int {};

/// A candidate of a problem in one way of use, which has only some of them, in their order.
enum class ModeCandidate : int {};

inline constexpr Candidate no_candidate{-1};

/// The first codelet of the table among those of a way of use.
inline constexpr ModeCandidate first_candidate{0};

/// Where the entry of \p index is in a list of all of them.
template <typename Index>
requires std::is_enum_v<Index>
constexpr std::size_t place(Index index) noexcept { return static_cast<std::size_t>(index); }

/// The index of the entry at \p place.
template <typename Index>
constexpr Index index_at(std::size_t place) noexcept {
  return static_cast<Index>(static_cast<int>(place));
}

}  // namespace adcl::runtime
