/// \file rows.hpp
/// What the rows of the collectives' codelets are made of. The file of an algorithm exports its rows as one function
/// `Rows name()`, or several where sets differ in what they can do, which table.cpp declares and calls.
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
  linear,             ///< every message straight from where it begins to where it ends
  synchronised,       ///< likewise, each when its receiver has said that it is ready
  tree,               ///< along a tree; `radix` is the number of children at each level
  binary,             ///< along a binary tree, in pieces
  chain,              ///< from rank to rank, in pieces
  double_tree,        ///< along two binary trees in turn, in pieces
  ring,               ///< to the next rank in a circle, all ranks at once
  pairs,              ///< with one rank at a time
  doubling,           ///< recursive doubling or multiplying
  halving,            ///< recursive halving
  bruck,              ///< Bruck's algorithms; `radix` is their base
  neighbor_exchange,  ///< with the two neighbors in turn
  combined            ///< another operation, then one more
};

/// Which calls of ADCL_Request_progress a non-blocking codelet uses. Attribute of the sets for init and wait.
enum class Progress {
  every,  ///< all
  inner,  ///< from nesting level 1 on: not those of the outermost loop
  never   ///< none: MPI advances it, and the wait
};

/// What carries messages.
enum class Carrier { call, nonblocking_call, messages, shared_memory };

/// Attribute values of a row; not_applicable where it has none.
struct Attributes {
  Family family = Family::native;
  int segment_bytes = not_applicable;
  int radix = not_applicable;
  int in_flight = not_applicable;
  Carrier carrier = Carrier::messages;
  int leaders = 0;  ///< of each node, which exchange for all of its ranks; 0: nodes are not told apart
  [[nodiscard]] std::vector<int> values() const {
    return {static_cast<int>(family), segment_bytes, radix, in_flight, static_cast<int>(carrier), leaders};
  }
};

/// What an algorithm asks of a problem besides being of its function set.
struct Needs {
  int ranks = 2;              ///< at least
  bool even = false;          ///< number of ranks
  bool power_of_two = false;  ///< number of ranks
  bool commutative = false;   ///< the reduction
  bool alike = false;         ///< ranks that cut their data into the same entries
  int segment_bytes = 0;      ///< blocks of more than so many bytes
};

/// The sentences of `Needs`, for Codelet::requirements.
std::string requirements_of(const Needs& needs);
/// Why \p problem is not as needed, or nothing.
std::optional<std::string> objection(const CollectiveProblem& problem, const Needs& needs);

/// The algorithm that \p write writes down: `void write(Script&)`.
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

/// A row of messages by a schedule.
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

/// The algorithm of a schedule whose messages go through the memory of a node.
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

/// A row like row(), "Shm_" in front of its name, for ranks of one node.
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

/// Where several algorithms are described.
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
