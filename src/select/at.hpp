/// \file at.hpp
/// Converts indices of candidates, which are int, to positions in vectors.
#pragma once

#include <cstddef>

namespace adcl::select {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace adcl::select
