// The table of ADCL_FNCTSET_NEIGHBORHOOD: its attributes, and the order of the rows that the algorithms' files export.
// If the measurements do not separate codelets, the first row is kept; ties are listed in this order.
#include <algorithm>
#include <array>
#include <iterator>

#include "codelets/neighborhood/make_problem.hpp"
#include "codelets/neighborhood/prior.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "codelets/sets.hpp"

namespace adcl::codelets {

// two_sided
Rows isend_irecv_aao();
Rows isend_irecv_pair();
Rows send_irecv_aao();
Rows send_irecv_pair();
Rows send_recv_pair();
Rows sendrecv_pair();
Rows persistent_aao();
Rows unpack_on_arrival();
Rows dimension_by_dimension();
Rows corner_propagation();
Rows partitioned();
// one_sided
Rows fence();
Rows post_start();
Rows passive_put();
// collective
Rows neighbor_alltoallw();
Rows ineighbor_alltoallw();
Rows neighbor_alltoallw_init();
Rows neighbor_alltoallv();
// node
Rows other_nodes_first();
Rows node_aggregate();
// shared
Rows shared_messages();
Rows shared_direct();

namespace {

constexpr std::array algorithms{
    isend_irecv_aao,
    isend_irecv_pair,
    send_irecv_aao,
    send_irecv_pair,
    send_recv_pair,
    sendrecv_pair,
    persistent_aao,
    unpack_on_arrival,
    dimension_by_dimension,
    corner_propagation,
    partitioned,
    fence,
    post_start,
    passive_put,
    neighbor_alltoallw,
    ineighbor_alltoallw,
    neighbor_alltoallw_init,
    neighbor_alltoallv,
    other_nodes_first,
    node_aggregate,
    shared_messages,
    shared_direct,
};

constexpr auto order = std::to_array<std::string_view>({
    // Thesis Table 3.1.
    "IsIr_aao",
    "IsIr_pair",
    "IsIr_aao_pack",
    "IsIr_pair_pack",
    "SIr_aao",
    "SIr_pair",
    "SIr_aao_pack",
    "SIr_pair_pack",
    "S_R_pair",
    "Sr_pair",
    "S_R_pair_pack",
    "Sr_pair_pack",
    "WinfencePut_aao",
    "WinfenceGet_aao",
    "PostStartPut_aao",
    "PostStartGet_aao",
    "WinfencePut_pair",
    "WinfenceGet_pair",
    "PostStartPut_pair",
    "PostStartGet_pair",
    // ADCL's own codelets with messages.
    "Persist_aao",
    "Persist_aao_pack",
    "Waitany_pack",
    "Waitsome_pack",
    "Ordered",
    "Ordered_pack",
    "Ordered_corners",
    "Ordered_corners_pack",
    "Partitioned",
    "Node_first",
    "Node_first_pack",
    "Joined",
    "Joined_pack",
    "Joined_persist",
    "Joined_pack_persist",
    "Joined_waitany_pack",
    // Other codelets of ADCL.
    "PassivePut_notify",
    "Neighbor_alltoallw",
    "Ineighbor_alltoallw",
    "Neighbor_alltoallw_init",
    "Neighbor_alltoallv_pack",
    "Shm_window",
    "Shm_joined",
    "Shm_direct",
    "Node_aggregate",
});

/// A value of an attribute, with its class and its level.
template <typename Value>
AttributeValue entry(Value value, const char* name, const char* value_class, int level) {
  return {static_cast<int>(value), name, value_class, level};
}

AttributeSet attribute_set() {
  using enum Primitive;
  return {
      {"partners",
       {entry(Partners::aao, "aao", "", 0), entry(Partners::pair, "pair", "", 1),
        entry(Partners::dimension, "dimension", "", 1), entry(Partners::dimension_corners, "dimension_corners", "", 1),
        entry(Partners::joined, "joined", "", 0), entry(Partners::node_first, "node_first", "", 0),
        entry(Partners::node_leaders, "node_leaders", "", 1)}},
      {"noncontiguous",
       {entry(NonContiguous::ddt, "ddt", "", 0), entry(NonContiguous::pack, "pack", "", 1),
        entry(NonContiguous::direct, "direct", "", 1)}},
      {"primitive",
       {entry(isend_irecv, "isend_irecv", "two_sided", 0), entry(send_irecv, "send_irecv", "two_sided", 0),
        entry(send_recv, "send_recv", "two_sided", 0), entry(sendrecv, "sendrecv", "two_sided", 0),
        entry(fence_put, "fence_put", "one_sided", 1), entry(fence_get, "fence_get", "one_sided", 1),
        entry(post_start_put, "post_start_put", "one_sided", 1),
        entry(post_start_get, "post_start_get", "one_sided", 1), entry(persistent, "persistent", "two_sided", 0),
        entry(neighbor_collective, "neighbor_collective", "neighbor_collective", 0),
        entry(neighbor_persistent, "neighbor_persistent", "neighbor_collective", 0),
        entry(passive_put, "passive_put", "one_sided", 1), entry(shared_memory, "shared_memory", "", 1),
        entry(partitioned, "partitioned", "two_sided", 0)}},
      {"completion",
       {entry(Completion::waitall, "waitall", "", 0), entry(Completion::waitany, "waitany", "", 1),
        entry(Completion::waitsome, "waitsome", "", 1)}},
  };
}

Rows rows() {
  Rows all;
  for (const auto algorithm : algorithms) {
    Rows own = algorithm();
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  const auto place = [](const Codelet& row) { return std::find(order.begin(), order.end(), row.name); };
  std::stable_sort(all.begin(), all.end(), [&](const Codelet& a, const Codelet& b) { return place(a) < place(b); });
  return all;
}

}  // namespace

std::span<const std::string_view> order_of_rows() { return order; }

const FunctionSet& neighborhood() {
  static const FunctionSet set{
      "neighborhood",  "Exchange with the neighbors of a Cartesian, generic, extended or graph topology",
      attribute_set(), rows(),
      &make_problem,   &expected_of};
  return set;
}

}  // namespace adcl::codelets
