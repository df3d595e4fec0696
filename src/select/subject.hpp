/// \file subject.hpp
/// What a search decides about.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "select/search.hpp"

namespace adcl::select {

/// What a search decides about, and what reports say of it.
struct Subject {
  std::int64_t id = 0;  ///< the same on all ranks of the communicator
  std::string function_set;
  std::string problem;
  std::shared_ptr<const AttributeSet> attributes;  ///< of the function set, which is kept alive; null: none
  std::vector<Candidate> candidates;
  /// Blocking ways of use have blocking candidates only, the others non-blocking ones: the bits of MPI's own calls.
  bool same_bits = false;
  /// Blocking candidates are ones of init and wait as well: FunctionSet::overlaps.
  bool overlaps = false;
  /// Codelets are functions of the application's own, which may fail when they run.
  bool fallible = false;
  /// A rank may be done before others have begun: Problem::runs_ahead.
  bool runs_ahead = false;
  /// What the application calls the requests that share the search; one list for all ways of use.
  std::shared_ptr<std::vector<std::string>> names = std::make_shared<std::vector<std::string>>();
};

}  // namespace adcl::select
