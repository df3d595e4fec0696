// The function sets of the collectives: which algorithms serve which operation, and their attributes.
#include "codelets/collectives/make_problem.hpp"
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
Rows gather_linear();
Rows gather_tree();
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
Rows reduce_scatters();
Rows scans();

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
            family(Family::synchronised, "synchronised", 0), family(Family::tree, "tree", 1),
            family(Family::binary, "binary", 1), family(Family::chain, "chain", 0), family(Family::ring, "ring", 0),
            family(Family::pairs, "pairs", 0), family(Family::doubling, "doubling", 1),
            family(Family::halving, "halving", 1), family(Family::bruck, "bruck", 1),
            family(Family::neighbor_exchange, "neighbor_exchange", 0), family(Family::combined, "combined", 1)}},
          {"segment_bytes", {number(0, "whole"), number(8192, "8k"), number(32768, "32k"), number(65536, "64k")}},
          {"radix", {number(2, "2"), number(4, "4")}},
          {"in_flight", {number(1, "1"), number(2, "2"), number(4, "4"), number(8, "8")}},
          {"carrier",
           {carrier(Carrier::call, "call", 0), carrier(Carrier::nonblocking_call, "nonblocking_call", 0),
            carrier(Carrier::messages, "messages", 1), carrier(Carrier::shared_memory, "shared_memory", 1)}}};
}

template <Operation operation>
FunctionSet set_of(const char* summary, std::initializer_list<RowsOfFile> files) {
  FunctionSet set{name_of(operation), summary, attribute_set(), native(), &make_collective<operation>};
  for (const RowsOfFile file : files) {
    for (Codelet& row : file()) {
      set.codelets.push_back(std::move(row));
    }
  }
  return set;
}

}  // namespace

const FunctionSet& bcast() {
  static const FunctionSet set = set_of<Operation::bcast>("MPI_Bcast", {&bcast_tree, &bcast_scatter_collect});
  return set;
}
const FunctionSet& gather() {
  static const FunctionSet set = set_of<Operation::gather>("MPI_Gather", {&gather_linear, &gather_tree});
  return set;
}
const FunctionSet& gatherv() {
  static const FunctionSet set = set_of<Operation::gatherv>("MPI_Gatherv", {&gather_linear});
  return set;
}
const FunctionSet& scatter() {
  static const FunctionSet set = set_of<Operation::scatter>("MPI_Scatter", {&scatter_linear, &scatter_tree});
  return set;
}
const FunctionSet& scatterv() {
  static const FunctionSet set = set_of<Operation::scatterv>("MPI_Scatterv", {&scatter_linear});
  return set;
}
const FunctionSet& allgather() {
  static const FunctionSet set =
      set_of<Operation::allgather>("MPI_Allgather", {&allgather_linear, &allgather_doubling, &allgather_bruck,
                                                     &allgather_ring, &allgather_neighbor, &allgather_combined});
  return set;
}
const FunctionSet& allgatherv() {
  static const FunctionSet set =
      set_of<Operation::allgatherv>("MPI_Allgatherv", {&allgather_linear, &allgather_doubling, &allgather_bruck,
                                                       &allgather_ring, &allgather_neighbor, &allgather_combined});
  return set;
}
const FunctionSet& alltoall() {
  static const FunctionSet set =
      set_of<Operation::alltoall>("MPI_Alltoall", {&alltoall_linear, &alltoall_pairwise, &alltoall_bruck});
  return set;
}
const FunctionSet& alltoallv() {
  static const FunctionSet set = set_of<Operation::alltoallv>("MPI_Alltoallv", {&alltoall_linear, &alltoall_pairwise});
  return set;
}
const FunctionSet& alltoallw() {
  static const FunctionSet set = set_of<Operation::alltoallw>("MPI_Alltoallw", {&alltoall_linear, &alltoall_pairwise});
  return set;
}
const FunctionSet& reduce() {
  static const FunctionSet set = set_of<Operation::reduce>("MPI_Reduce", {&reduce_tree, &rabenseifner_reduce});
  return set;
}
const FunctionSet& allreduce() {
  static const FunctionSet set = set_of<Operation::allreduce>(
      "MPI_Allreduce", {&allreduce_combined, &allreduce_doubling, &allreduce_ring, &rabenseifner_allreduce});
  return set;
}
const FunctionSet& reduce_scatter_block() {
  static const FunctionSet set =
      set_of<Operation::reduce_scatter_block>("MPI_Reduce_scatter_block", {&reduce_scatters});
  return set;
}
const FunctionSet& reduce_scatter() {
  static const FunctionSet set = set_of<Operation::reduce_scatter>("MPI_Reduce_scatter", {&reduce_scatters});
  return set;
}
const FunctionSet& scan() {
  static const FunctionSet set = set_of<Operation::scan>("MPI_Scan", {&scans});
  return set;
}
const FunctionSet& exscan() {
  static const FunctionSet set = set_of<Operation::exscan>("MPI_Exscan", {&scans});
  return set;
}
const FunctionSet& barrier() {
  static const FunctionSet set = set_of<Operation::barrier>("MPI_Barrier", {&barriers});
  return set;
}

}  // namespace adcl::codelets
