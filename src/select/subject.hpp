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
  std::shared_ptr<const AttributeSet> attributes;  ///< of the function set, which it keeps alive; null: none
  std::vector<Candidate> candidates;
  /// Results have the bits of MPI's own calls: blocking modes admit blocking candidates only, the others nonblocking
  /// ones only.
  bool same_bits = false;
  /// Blocking candidates are also candidates of init and wait: FunctionSet::overlaps.
  bool overlaps = false;
  /// Codelets are user-defined functions, which may fail when they run.
  bool fallible = false;
  /// A rank may complete an operation before others begin it: Problem::runs_ahead.
  bool runs_ahead = false;
  /// The application's names for the requests that share the search; one list for all modes.
  std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
};

}  // namespace adcl::select
