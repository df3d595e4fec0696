/// \file preselected.hpp
/// Requests of ADCL in which one codelet is preselected.
#pragma once

#include <ADCL.h>

#include <functional>
#include <string>
#include <vector>

#include "function.hpp"

namespace adcl::bench {

/// A function set and the operation that measures its codelets.
struct Pattern {
  std::string set;
  std::string summary;
  std::size_t unit_bytes;
  bool has_block;
  std::function<OperationPointer(const Setting&, const std::string& set, const std::string& codelet)> make;
};

/// Throws MeasurementError with ADCL's own message when \p code is an error.
void check(int code);

/// Makes a request with \p init: for \p codelet alone, or if that is empty, for the whole set. Initializes the library
/// first. Throws NotApplicable with the library's reason, MeasurementError for other errors.
ADCL_Request preselected(const std::string& set, const std::string& codelet,
                         const std::function<int(ADCL_Request*)>& init);

/// The request of an operation from collective_patterns(); ADCL_REQUEST_NULL for others.
ADCL_Request request_of(const Operation& operation);

/// One pattern for each collective operation.
std::vector<Pattern> collective_patterns();

}  // namespace adcl::bench
