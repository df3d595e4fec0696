/// \file node_rows.hpp
/// Rows of codelets that treat the ranks of their own node differently from ranks of other nodes.
#pragma once

#include "codelets/collectives/node/node_map.hpp"
#include "codelets/collectives/rows.hpp"

namespace adcl::codelets {

/// The algorithm whose schedule `void write(Script&, const NodeMap&)` creates. Requires several nodes, at least one of
/// which has several ranks. `PlanType` executes it.
template <auto write, Needs needs, NodeView view, typename PlanType>
constexpr Algorithm scheduled_by_nodes() {
  return {[](const Problem& problem) {
            const auto reason = NodeMap::objection(collective(problem));
            return reason ? reason : objection(collective(problem), needs);
          },
          [](const Problem& problem) {
            Script script(collective(problem));
            write(script, NodeMap::guess(collective(problem), view));
            PlanType::finish(script);
            return PlanType::bytes(script);
          },
          [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
            const NodeMap map = NodeMap::collect(collective(problem), context.comm(), view);
            Script script(collective(problem));
            write(script, map);
            PlanType::finish(script);
            return std::make_unique<PlanType>(script, context);
          }};
}

/// A row with the prefix "Node_": all messages use MPI.
template <auto write, Needs needs, NodeView view = NodeView::leaders>
Codelet node_row(const char* name, Attributes attributes, const char* source, const char* expectation) {
  const std::string needed = requirements_of(needs);
  return {.name = text("Node_", name),
          .attributes = attributes.values(),
          .capabilities = {.nonblocking = true, .collective_plan = true, .touches_data = true},
          .requirements =
              "several nodes, and several processes on at least one of them" + (needed.empty() ? "" : "; " + needed),
          .source = source,
          .algorithm = scheduled_by_nodes<write, needs, view, SchedulePlan>(),
          .expectation = expectation};
}

/// A row with the prefix "Shm_node_": messages within a node use shared memory, messages between nodes use MPI.
template <auto write, Needs needs, NodeView view = NodeView::leaders>
Codelet shared_node_row(const char* name, Attributes attributes, const char* source, const char* expectation) {
  attributes.carrier = Carrier::shared_memory;
  Codelet row = node_row<write, needs, view>(name, attributes, source, expectation);
  row.name = text("Shm_node_", name);
  row.capabilities.nonblocking = false;
  row.algorithm = scheduled_by_nodes<write, needs, view, SharedSchedulePlan>();
  return row;
}

/// Sources of node-aware algorithms.
namespace source {
inline constexpr auto karonis = "Karonis et al., Exploiting hierarchy in parallel computer networks, IPDPS 2000";
inline constexpr auto leaders = "Bayatpour et al., data partitioning-based multi-leader reductions, SC 2017";
inline constexpr auto clusters = "Traeff, Efficient allgather for regular SMP-clusters, EuroPVM/MPI 2006";
inline constexpr auto factor = "Sanders and Traeff, The hierarchical factor algorithm for all-to-all, Euro-Par 2002";
}  // namespace source

}  // namespace adcl::codelets
