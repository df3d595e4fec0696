// The function sets of the collectives: the algorithms for each operation, and their attributes.
#include <array>

#include "codelets/collectives/make_problem.hpp"
#include "codelets/collectives/prior.hpp"
#include "codelets/collectives/rows.hpp"
#include "codelets/sets.hpp"

namespace adcl::codelets {

// Each file of algorithms exports its rows.
Rows native();
Rows barriers();
Rows bcast_tree();
Rows bcast_scatter_collect();
Rows scatter_linear();
Rows scatter_tree();
Rows scatterv_tree();
Rows gather_linear();
Rows gather_tree();
Rows gatherv_tree();
Rows allgather_linear();
Rows allgather_ring();
Rows allgather_doubling();
Rows allgather_bruck();
Rows allgather_neighbor();
Rows allgather_combined();
Rows alltoall_linear();
Rows alltoall_pairwise();
Rows alltoall_bruck();
Rows reduce_tree();
Rows rabenseifner_reduce();
Rows rabenseifner_allreduce();
Rows allreduce_doubling();
Rows allreduce_ring();
Rows allreduce_combined();
Rows reduce_parts();
Rows allreduce_parts();
Rows reduce_scatters();
Rows scans();
Rows node_bcast();
Rows node_reduce();
Rows node_allreduce_tree();
Rows node_allreduce();
Rows node_barrier();
Rows node_allgather();
Rows node_alltoall();

namespace {

using RowsOfFile = Rows (*)();

AttributeSet attribute_set() {
  const auto number = [](int value, const char* name, const char* value_class = "") {
    return AttributeValue{value, name, value_class, value > 0 ? 1 : 0};
  };
  const auto family = [](Family value, const char* name, int level) {
    return AttributeValue{static_cast<int>(value), name, "", level};
  };
  const auto carrier = [](Carrier value, const char* name, int level) {
    return AttributeValue{static_cast<int>(value), name, "", level};
  };
  return {{"family",
           {family(Family::native, "native", 0), family(Family::linear, "linear", 0),
            family(Family::synchronized, "synchronized", 0), family(Family::tree, "tree", 1),
            family(Family::binary, "binary", 1), family(Family::chain, "chain", 0),
            family(Family::double_tree, "double_tree", 1), family(Family::ring, "ring", 0),
            family(Family::pairs, "pairs", 0), family(Family::doubling, "doubling", 1),
            family(Family::halving, "halving", 1), family(Family::bruck, "bruck", 1),
            family(Family::neighbor_exchange, "neighbor_exchange", 0), family(Family::combined, "combined", 1)}},
          {"segment_bytes", {number(0, "whole"), number(8192, "8k"), number(32768, "32k"), number(65536, "64k")}},
          {"radix", {number(2, "2"), number(4, "4")}},
          {"in_flight", {number(1, "1"), number(2, "2"), number(4, "4"), number(8, "8")}},
          {"carrier",
           {carrier(Carrier::call, "call", 0), carrier(Carrier::nonblocking_call, "nonblocking_call", 0),
            carrier(Carrier::messages, "messages", 1), carrier(Carrier::shared_memory, "shared_memory", 1)}},
          {"node_leaders", {number(0, "none"), number(1, "one"), number(8, "several")}}};
}

using SetFunction = const FunctionSet& (*)();

template <SetFunction set>
std::vector<Expectation> expected(const Problem& problem) {
  return expected_of(set(), problem);
}

template <Operation operation, SetFunction itself>
FunctionSet set_of(const char* summary, std::initializer_list<RowsOfFile> files) {
  FunctionSet set{name_of(operation),          summary,          attribute_set(), native(),
                  &make_collective<operation>, &expected<itself>};
  for (const RowsOfFile file : files) {
    for (Codelet& row : file()) {
      set.codelets.push_back(std::move(row));
    }
  }
  set.pattern = set.name;
  return set;
}

/// Ways to use progress calls: the suffix of the codelet's name, and the smallest nesting level.
struct ProgressWay {
  Progress progress;
  const char* suffix;
  int depth;
};
constexpr std::array progress_ways{ProgressWay{Progress::every, "", 0}, ProgressWay{Progress::inner, "_inner", 1},
                                   ProgressWay{Progress::never, "_no_progress", no_progress}};

/// The set for ADCL_Request_init, progress and wait: the codelets of \p blocking; each nonblocking codelet has one row
/// for each way to use progress calls. MPI's own nonblocking call comes first. There are no priors, because the times
/// depend on the overlapped computation.
FunctionSet overlapped(const FunctionSet& blocking, const char* summary) {
  FunctionSet set{"i" + blocking.name, summary, blocking.attributes, {}, blocking.problem};
  set.pattern = blocking.pattern;
  set.overlaps = true;
  set.attributes.push_back({"progress",
                            {{static_cast<int>(Progress::every), "every", "", 1},
                             {static_cast<int>(Progress::inner), "inner", "", 1},
                             {static_cast<int>(Progress::never), "never", "", 0}}});
  for (const Codelet& row : blocking.codelets) {
    if (!row.capabilities.nonblocking) {
      continue;
    }
    for (const ProgressWay& way : progress_ways) {
      Codelet& added = set.codelets.emplace_back(row);
      added.name += way.suffix;
      added.attributes.push_back(static_cast<int>(way.progress));
      added.capabilities.progress_depth = way.depth;
    }
  }
  for (const Codelet& row : blocking.codelets) {
    if (!row.capabilities.nonblocking) {
      set.codelets.emplace_back(row).attributes.push_back(not_applicable);
    }
  }
  return set;
}

}  // namespace

const FunctionSet& bcast() {
  static const FunctionSet set =
      set_of<Operation::bcast, &bcast>("MPI_Bcast", {&bcast_tree, &bcast_scatter_collect, &node_bcast});
  return set;
}
const FunctionSet& gather() {
  static const FunctionSet set = set_of<Operation::gather, &gather>("MPI_Gather", {&gather_linear, &gather_tree});
  return set;
}
const FunctionSet& gatherv() {
  static const FunctionSet set = set_of<Operation::gatherv, &gatherv>("MPI_Gatherv", {&gather_linear, &gatherv_tree});
  return set;
}
const FunctionSet& scatter() {
  static const FunctionSet set = set_of<Operation::scatter, &scatter>("MPI_Scatter", {&scatter_linear, &scatter_tree});
  return set;
}
const FunctionSet& scatterv() {
  static const FunctionSet set =
      set_of<Operation::scatterv, &scatterv>("MPI_Scatterv", {&scatter_linear, &scatterv_tree});
  return set;
}
const FunctionSet& allgather() {
  static const FunctionSet set = set_of<Operation::allgather, &allgather>(
      "MPI_Allgather", {&allgather_linear, &allgather_doubling, &allgather_bruck, &allgather_ring, &allgather_neighbor,
                        &allgather_combined, &node_allgather});
  return set;
}
const FunctionSet& allgatherv() {
  static const FunctionSet set = set_of<Operation::allgatherv, &allgatherv>(
      "MPI_Allgatherv", {&allgather_linear, &allgather_doubling, &allgather_bruck, &allgather_ring, &allgather_neighbor,
                         &allgather_combined, &node_allgather});
  return set;
}
const FunctionSet& alltoall() {
  static const FunctionSet set = set_of<Operation::alltoall, &alltoall>(
      "MPI_Alltoall", {&alltoall_linear, &alltoall_pairwise, &alltoall_bruck, &node_alltoall});
  return set;
}
const FunctionSet& alltoallv() {
  static const FunctionSet set =
      set_of<Operation::alltoallv, &alltoallv>("MPI_Alltoallv", {&alltoall_linear, &alltoall_pairwise});
  return set;
}
const FunctionSet& alltoallw() {
  static const FunctionSet set =
      set_of<Operation::alltoallw, &alltoallw>("MPI_Alltoallw", {&alltoall_linear, &alltoall_pairwise});
  return set;
}
const FunctionSet& reduce() {
  static const FunctionSet set = set_of<Operation::reduce, &reduce>(
      "MPI_Reduce", {&reduce_tree, &rabenseifner_reduce, &reduce_parts, &node_reduce});
  return set;
}
const FunctionSet& allreduce() {
  static const FunctionSet set = set_of<Operation::allreduce, &allreduce>(
      "MPI_Allreduce", {&allreduce_combined, &allreduce_doubling, &allreduce_ring, &rabenseifner_allreduce,
                        &allreduce_parts, &node_allreduce_tree, &node_allreduce});
  return set;
}
const FunctionSet& reduce_scatter_block() {
  static const FunctionSet set =
      set_of<Operation::reduce_scatter_block, &reduce_scatter_block>("MPI_Reduce_scatter_block", {&reduce_scatters});
  return set;
}
const FunctionSet& reduce_scatter() {
  static const FunctionSet set =
      set_of<Operation::reduce_scatter, &reduce_scatter>("MPI_Reduce_scatter", {&reduce_scatters});
  return set;
}
const FunctionSet& scan() {
  static const FunctionSet set = set_of<Operation::scan, &scan>("MPI_Scan", {&scans});
  return set;
}
const FunctionSet& exscan() {
  static const FunctionSet set = set_of<Operation::exscan, &exscan>("MPI_Exscan", {&scans});
  return set;
}
const FunctionSet& ibcast() {
  static const FunctionSet set = overlapped(bcast(), "MPI_Ibcast");
  return set;
}
const FunctionSet& ialltoall() {
  static const FunctionSet set = overlapped(alltoall(), "MPI_Ialltoall");
  return set;
}
const FunctionSet& iallgather() {
  static const FunctionSet set = overlapped(allgather(), "MPI_Iallgather");
  return set;
}
const FunctionSet& ireduce() {
  static const FunctionSet set = overlapped(reduce(), "MPI_Ireduce");
  return set;
}
const FunctionSet& iallreduce() {
  static const FunctionSet set = overlapped(allreduce(), "MPI_Iallreduce");
  return set;
}
const FunctionSet& barrier() {
  static const FunctionSet set = set_of<Operation::barrier, &barrier>("MPI_Barrier", {&barriers, &node_barrier});
  return set;
}

}  // namespace adcl::codelets
