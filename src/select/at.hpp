/// \file at.hpp
/// Candidates are counted in int, and what is known of them is kept in vectors.
#pragma once

#include <cstddef>

namespace adcl::select {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace adcl::select
