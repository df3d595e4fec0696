/// \file rows.hpp
/// Building blocks for the rows of the collectives' codelets. The file of an algorithm exports its rows as one function
/// `Rows name()`, or as several if sets support different variants; table.cpp declares and calls these functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codelets/collectives/schedule.hpp"
#include "codelets/collectives/schedule_plan.hpp"
#include "codelets/collectives/shared_plan.hpp"
#include "core/codelet.hpp"
#include "core/text.hpp"

namespace adcl::codelets {

using Rows = std::vector<Codelet>;

/// The idea behind an algorithm.
enum class Family {
  native,             ///< the MPI library's own choice
  linear,             ///< every message directly from its source to its destination
  synchronized,       ///< like linear, but each message waits until its receiver is ready
  tree,               ///< along a tree; `radix` is the number of children at each level
  binary,             ///< along a binary tree, in pieces
  chain,              ///< from rank to rank, in pieces
  double_tree,        ///< along two binary trees alternately, in pieces
  ring,               ///< to the next rank in a ring, all ranks at once
  pairs,              ///< exchange with one rank at a time
  doubling,           ///< recursive doubling or multiplying
  halving,            ///< recursive halving
  bruck,              ///< Bruck's algorithms; `radix` is their base
  neighbor_exchange,  ///< alternately with the two neighbors
  combined            ///< a sequence of two other operations
};

/// The calls of ADCL_Request_progress that a nonblocking codelet uses. Attribute of the sets for init and wait.
enum class Progress {
  every,  ///< all
  inner,  ///< from nesting level 1 on: not the calls in the outermost loop
  never   ///< no call: only MPI itself and the wait make progress
};

/// How messages are sent.
enum class Carrier { call, nonblocking_call, messages, shared_memory };

/// Attribute values of a row; not_applicable if the row lacks the attribute.
struct Attributes {
  Family family = Family::native;
  int segment_bytes = not_applicable;
  int radix = not_applicable;
  int in_flight = not_applicable;
  Carrier carrier = Carrier::messages;
  int leaders = 0;  ///< leaders per node, which exchange data for all ranks of the node; 0: nodes are ignored
  [[nodiscard]] std::vector<int> values() const {
    return {static_cast<int>(family), segment_bytes, radix, in_flight, static_cast<int>(carrier), leaders};
  }
};

/// Requirements of an algorithm in addition to its function set.
struct Needs {
  int ranks = 2;              ///< minimum number of ranks
  bool even = false;          ///< number of ranks
  bool power_of_two = false;  ///< number of ranks
  bool commutative = false;   ///< the reduction is commutative
  bool alike = false;         ///< all ranks divide their data into the same entries
  int segment_bytes = 0;      ///< blocks must be larger than this
};

/// Text of `Needs` for Codelet::requirements.
std::string requirements_of(const Needs& needs);
/// Reason why \p problem does not meet \p needs, or nothing.
std::optional<std::string> objection(const CollectiveProblem& problem, const Needs& needs);

/// The algorithm whose schedule \p write creates: `void write(Script&)`.
template <auto write, Needs needs>
constexpr Algorithm scheduled() {
  return {[](const Problem& problem) { return objection(collective(problem), needs); },
          [](const Problem& problem) {
            Script script(collective(problem));
            write(script);
            script.finish();
            return script.bytes();
          },
          [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
            Script script(collective(problem));
            write(script);
            script.finish();
            return std::make_unique<SchedulePlan>(script, context);
          }};
}

/// A row for a schedule with MPI messages.
template <auto write, Needs needs>
Codelet row(const char* name, const Attributes& attributes, const char* source, const char* expectation) {
  return {.name = name,
          .attributes = attributes.values(),
          .capabilities = {.nonblocking = true, .touches_data = true},
          .requirements = requirements_of(needs),
          .source = source,
          .algorithm = scheduled<write, needs>(),
          .expectation = expectation};
}

/// The algorithm of a schedule whose messages use the shared memory of a node.
template <auto write, Needs needs>
constexpr Algorithm scheduled_in_memory() {
  Algorithm algorithm = scheduled<write, needs>();
  algorithm.applicable = [](const Problem& problem) {
    const auto reason = SharedSchedulePlan::objection(collective(problem));
    return reason ? reason : objection(collective(problem), needs);
  };
  algorithm.bytes = [](const Problem& problem) {
    Script script(collective(problem));
    write(script);
    SharedSchedulePlan::finish(script);
    return SharedSchedulePlan::bytes(script);
  };
  algorithm.plan = [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
    Script script(collective(problem));
    write(script);
    SharedSchedulePlan::finish(script);
    return std::make_unique<SharedSchedulePlan>(script, context);
  };
  return algorithm;
}

/// A row like row(), with the prefix "Shm_", for ranks of one node.
template <auto write, Needs needs>
Codelet shared_row(const char* name, Attributes attributes, const char* source, const char* expectation) {
  attributes.carrier = Carrier::shared_memory;
  const std::string needed = requirements_of(needs);
  return {.name = text("Shm_", name),
          .attributes = attributes.values(),
          .capabilities = {.collective_plan = true, .touches_data = true},
          .requirements = "all processes on one node" + (needed.empty() ? "" : "; " + needed),
          .source = source,
          .algorithm = scheduled_in_memory<write, needs>(),
          .expectation = expectation};
}

/// Sources that several algorithms share.
namespace source {
inline constexpr auto thakur = "Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19 (2005)";
inline constexpr auto bruck = "Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE Trans. Parallel Distrib. Syst. 8 (1997)";
inline constexpr auto pjesivac =
    "Pjesivac-Grbovic et al., Performance analysis of MPI collectives, Cluster Comput. 10 (2007)";
inline constexpr auto chan = "Chan, Heimlich, Purkayastha and van de Geijn, Concurrency Comput. 19 (2007)";
inline constexpr auto sanders = "Sanders, Speck and Traeff, Two-tree algorithms, Parallel Comput. 35 (2009)";
inline constexpr auto guidelines = "Traeff, Gropp and Thakur, performance guidelines of MPI, EuroPVM/MPI 2007";
inline constexpr auto thesis = "thesis section 4.1.3";
}  // namespace source

}  // namespace adcl::codelets
