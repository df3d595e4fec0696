/// \file record.hpp
/// Writes one line of JSON (schema 1) per function, message size and run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "context.hpp"
#include "function.hpp"
#include "measure.hpp"
#include "options.hpp"

namespace adcl::bench {

using Json = nlohmann::ordered_json;

/// The clock synchronization with which the ranks start together.
struct Synchronization {
  std::string clocks;    ///< hca3, global or none
  double error_s = 0.0;  ///< largest difference from rank 0's clock right after the synchronization
};

Json record_of(const Function& function, const Setting& setting, const Samples& samples, const Machine& machine,
               const Synchronization& synchronization, const Options& options);

}  // namespace adcl::bench
