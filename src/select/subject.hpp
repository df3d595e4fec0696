/// \file subject.hpp
/// The problem and the candidates of a search.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// The subject of a search, and its description in reports.
struct Subject {
  std::int64_t id = 0;  ///< the same on all ranks of the communicator
  std::string function_set;
  std::string problem;
  std::shared_ptr<const AttributeSet> attributes =
      std::make_shared<const AttributeSet>();  ///< keeps the function set alive
  std::vector<Candidate> candidates;
  /// Results are bitwise equal to the results of MPI's own calls: blocking modes use only blocking candidates, other
  /// modes only nonblocking candidates.
  bool same_bits = false;
  /// FunctionSet::overlaps: init and wait also use blocking candidates.
  bool overlaps = false;
  /// Codelets are user-defined functions, which may fail during execution.
  bool fallible = false;
  /// Problem::runs_ahead: a rank may complete an operation before others begin it.
  bool runs_ahead = false;
  /// The application's names of the requests that share the search; one list for all modes.
  std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
};

}  // namespace adcl::select
