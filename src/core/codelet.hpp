/// \file codelet.hpp
/// A codelet: one implementation of a communication pattern, as one row of its pattern's table. Pure.
/// Help texts, `adcl info`, selectable names and the conformance tests all read these rows.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attribute.hpp"
#include "core/expectation.hpp"
#include "core/plan.hpp"
#include "core/problem.hpp"

namespace adcl {

namespace mpi {
class Context;
}

namespace data {
struct Parts;
}

/// A progress depth that no call reaches: ADCL_Request_progress does nothing for the codelet.
inline constexpr int no_progress = std::numeric_limits<int>::max();

struct Capabilities {
  bool nonblocking = false;      ///< start() never waits for another rank
  bool fixed_buffers = false;    ///< the plan is bound to the addresses at its creation
  bool fixed_several = false;    ///< like fixed_buffers, for the plan of a request with several vectors
  bool collective_plan = false;  ///< creating and destroying the plan is collective over the communicator
  bool touches_data = false;     ///< the library itself reads or writes user data on the host (packing)
  bool reference_order = false;  ///< combines values in MPI's order: MPI's own call, blocking or not
  int progress_depth = 0;        ///< smallest nesting level of the caller's loops at which ADCL_Request_progress helps
};

/// The algorithm behind a row.
struct Algorithm {
  /// Reason why the codelet is not applicable to this problem on this rank, or nothing. Local; the ranks combine their
  /// results.
  std::optional<std::string> (*applicable)(const Problem&) = nullptr;
  /// Bytes of memory that the plan needs on this rank.
  std::size_t (*bytes)(const Problem&) = nullptr;
  /// Creates the plan; collective over the context's communicator if collective_plan is set. Such a plan is created on
  /// all ranks or on none: errors that can occur on one rank after the first collective call are agreed on
  /// (mpi/together.hpp), so that all ranks free the objects that must be freed collectively. The problem and the
  /// context outlive the plan.
  PlanPointer (*plan)(const Problem&, mpi::Context&, const Buffers&) = nullptr;
  /// Reason why the codelet is unavailable in this build, such as an MPI library without the required calls; null: it
  /// is available. Does not need an initialized MPI.
  std::optional<std::string> (*unavailable)() = nullptr;
};

struct Codelet {
  std::string name;
  std::vector<int> attributes;  ///< one value per attribute of the function set, or not_applicable
  Capabilities capabilities;
  std::string requirements;  ///< noun phrases, separated by semicolons; empty: none
  std::string source;        ///< where the algorithm is described
  Algorithm algorithm;
  /// Expected growth of the time with the number of ranks p, for a constant problem size per rank: a big O term in the
  /// syntax of `adcl scale`, such as "log p"; empty: not stated.
  std::string expectation{};
};

/// Codelets of the same functionality. If the measurements do not separate several candidates, the first of these in
/// the table wins.
struct FunctionSet {
  std::string name;
  std::string summary;
  AttributeSet attributes;
  std::vector<Codelet> codelets;
  /// Creates the problem of a request from the application's arguments. Local, after the first Context::machine();
  /// throws the errors that this rank finds. Null for user-defined sets.
  std::unique_ptr<Problem> (*problem)(const data::Parts&, mpi::Context&) = nullptr;
  /// Priors of the codelets for a problem of the set; empty if no codelet has a prior. Local and pure; null: there are
  /// no priors.
  std::vector<Expectation> (*expected)(const Problem&) = nullptr;
  /// Pattern of communication, if several sets implement the same pattern for different uses: "bcast" for the set
  /// "ibcast".
  std::string pattern{};
  /// The set is intended for ADCL_Request_init and ADCL_Request_wait: blocking codelets are also candidates, and run
  /// completely in the wait.
  bool overlaps = false;
};

}  // namespace adcl
