/// \file plain_stream.hpp
/// Tables of texts and numbers that do not depend on the locale. Pure; for single texts core/text.hpp costs less.
#pragma once

#include <locale>
#include <sstream>

namespace adcl {

/// A stream that writes a point and no groups of digits, whatever the global locale is.
inline std::ostringstream plain_stream() {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  return stream;
}

}  // namespace adcl
