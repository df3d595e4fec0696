/// \file preselected.hpp
/// Requests of ADCL in which one codelet is preselected.
#pragma once

#include <ADCL.h>

#include <functional>
#include <string>
#include <vector>

#include "function.hpp"

namespace adcl::bench {

/// How the codelets of a function set are measured.
struct Pattern {
  std::string set;
  std::string summary;
  std::size_t unit_bytes;
  bool has_block;
  std::function<OperationPointer(const Setting&, const std::string& set, const std::string& codelet)> make;
};

/// Throws MeasurementError with ADCL's own message when \p code is an error.
void check(int code);

/// The request that \p init makes for \p codelet alone, or where that is empty, for all of the set: it calls the
/// library, which is initialised first. Throws NotApplicable with the library's reason, MeasurementError for other
/// errors.
ADCL_Request preselected(const std::string& set, const std::string& codelet,
                         const std::function<int(ADCL_Request*)>& init);

/// The request behind an operation that collective_patterns() made; ADCL_REQUEST_NULL for others.
ADCL_Request request_of(const Operation& operation);

/// One for each collective operation.
std::vector<Pattern> collective_patterns();

}  // namespace adcl::bench
