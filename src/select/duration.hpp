/// \file duration.hpp
/// Times as texts for reports. Pure.
#pragma once

#include <string>

namespace adcl::select {

/// A time as people read it, three digits: "1.25 ms".
std::string duration(double seconds);

}  // namespace adcl::select
