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

/// A progress depth that no call has: ADCL_Request_progress does nothing for the codelet.
inline constexpr int no_progress = std::numeric_limits<int>::max();

struct Capabilities {
  bool nonblocking = false;      ///< start() never waits for another rank
  bool fixed_buffers = false;    ///< the plan is bound to the addresses it was made with
  bool fixed_several = false;    ///< so is the plan of a request with several vectors
  bool collective_plan = false;  ///< making and destroying the plan is collective over the communicator
  bool touches_data = false;     ///< the library itself reads or writes user data on the host (packing)
  bool reference_order = false;  ///< combines values in the order of MPI's own call: it is that, blocking or not
  int progress_depth = 0;        ///< ADCL_Request_progress helps from this nesting level of the caller's loops on
};

/// The algorithm behind a row.
struct Algorithm {
  /// Why the codelet cannot do this problem on this rank, or nothing. Local; the ranks combine their answers.
  std::optional<std::string> (*applicable)(const Problem&) = nullptr;
  /// Memory its plan would take on this rank.
  std::size_t (*bytes)(const Problem&) = nullptr;
  /// Makes the plan; collective over the context's communicator when the row says collective_plan. Such a plan is made
  /// on all ranks or on none: what can fail on one rank after the first collective call fails together
  /// (mpi/together.hpp), so that what is freed collectively is freed by all. The problem and the context outlive the
  /// plan.
  PlanPointer (*plan)(const Problem&, mpi::Context&, const Buffers&) = nullptr;
  /// Why this build cannot do any problem, such as an MPI library without the calls it needs; null: it can. Needs no
  /// initialized MPI.
  std::optional<std::string> (*unavailable)() = nullptr;
};

struct Codelet {
  std::string name;
  std::vector<int> attributes;  ///< one value per attribute of the function set, or not_applicable
  Capabilities capabilities;
  std::string requirements;  ///< what it needs, as a sentence; empty: nothing special
  std::string source;        ///< where the algorithm is described
  Algorithm algorithm;
  /// How its time should grow with the number of ranks p while each rank's share of the problem stays as it is: a big O
  /// as `adcl scale` reads it, such as "log p"; empty: not stated.
  std::string expectation{};
};

/// Codelets of the same functionality. The first row is the one kept when the evidence does not separate candidates.
struct FunctionSet {
  std::string name;
  std::string summary;
  AttributeSet attributes;
  std::vector<Codelet> codelets;
  /// Makes the problem of a request from what the application has put together. Local, after the first
  /// Context::machine(); throws what this rank finds wrong. Null for sets of the application's own.
  std::unique_ptr<Problem> (*problem)(const data::Parts&, mpi::Context&) = nullptr;
  /// What is expected of each codelet for a problem of the set; empty where nothing is of none. Local and pure; null:
  /// there are no expectations.
  std::vector<Expectation> (*expected)(const Problem&) = nullptr;
  /// What it communicates, where several sets do the same in different ways of use: "bcast" of the set "ibcast".
  std::string pattern{};
  /// Made for ADCL_Request_init and ADCL_Request_wait: blocking codelets are candidates there as well, and run whole in
  /// the wait.
  bool overlaps = false;
};

}  // namespace adcl
