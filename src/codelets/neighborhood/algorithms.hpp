/// \file algorithms.hpp
/// The external symbols of the codelets' files, for table.cpp.
#pragma once

#include "core/codelet.hpp"

namespace adcl::codelets {

extern const Algorithm IsIr_aao;
extern const Algorithm IsIr_aao_pack;

}  // namespace adcl::codelets
