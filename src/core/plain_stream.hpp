/// \file plain_stream.hpp
/// A stream for tables that do not depend on the locale. Pure; for single texts core/text.hpp is cheaper.
#pragma once

#include <locale>
#include <sstream>

namespace adcl {

/// A stream with a decimal point and no digit grouping, whatever the global locale is.
inline std::ostringstream plain_stream() {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  return stream;
}

}  // namespace adcl
