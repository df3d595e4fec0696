/// \file duration.hpp
/// Times as texts for reports. Pure.
#pragma once

#include <string>

namespace adcl::search {

/// A time as people read it, three digits: "1.25 ms".
std::string duration(double seconds);

}  // namespace adcl::search
