/// \file preselected.hpp
/// Requests of ADCL with a single preselected codelet.
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

/// Throws MeasurementError with ADCL's message if \p code is an error.
void check(int code);

/// Creates a request with \p init, with \p codelet as the only candidate; empty: all codelets of the set. Initializes
/// the library first. Throws NotApplicable with the library's reason, MeasurementError for other errors.
ADCL_Request preselected(const std::string& set, const std::string& codelet,
                         const std::function<int(ADCL_Request*)>& init);

/// The request of an operation from collective_patterns(); ADCL_REQUEST_NULL for others.
ADCL_Request request_of(const Operation& operation);

/// One pattern for each collective operation.
std::vector<Pattern> collective_patterns();

}  // namespace adcl::bench
