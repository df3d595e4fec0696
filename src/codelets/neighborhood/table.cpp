// One row per codelet of ADCL_FNCTSET_NEIGHBORHOOD. The first row is kept when the evidence does not separate codelets.
#include <string>

#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/make_problem.hpp"
#include "codelets/sets.hpp"
#include "core/text.hpp"

namespace adcl::codelets {
namespace {

enum Partners { aao, pair, dimension, corners, joined, node, node_leaders };
enum NonContiguous { ddt, pack, direct };
enum Primitive {
  isend_irecv,
  send_irecv,
  send_recv,
  sendrecv,
  fence_put,
  fence_get,
  post_start_put,
  post_start_get,
  persistent,
  neighbor_collective,
  neighbor_persistent,
  passive_put,
  shared_memory,
  partitioned
};
/// How a rank waits for what it has posted, together or as messages arrive. Primitives that post nothing have none.
enum Completion { waitall, waitany, waitsome };
constexpr int none = not_applicable;

AttributeSet attributes() {
  return {
      {"partners",
       {{aao, "aao", "", 0},
        {pair, "pair", "", 1},
        {dimension, "dimension", "", 1},
        {corners, "dimension_corners", "", 1},
        {joined, "joined", "", 0},
        {node, "node_first", "", 0},
        {node_leaders, "node_leaders", "", 1}}},
      {"noncontiguous", {{ddt, "ddt", "", 0}, {pack, "pack", "", 1}, {direct, "direct", "", 1}}},
      {"primitive",
       {{isend_irecv, "isend_irecv", "two_sided", 0},
        {send_irecv, "send_irecv", "two_sided", 0},
        {send_recv, "send_recv", "two_sided", 0},
        {sendrecv, "sendrecv", "two_sided", 0},
        {fence_put, "fence_put", "one_sided", 1},
        {fence_get, "fence_get", "one_sided", 1},
        {post_start_put, "post_start_put", "one_sided", 1},
        {post_start_get, "post_start_get", "one_sided", 1},
        {persistent, "persistent", "two_sided", 0},
        {neighbor_collective, "neighbor_collective", "neighbor_collective", 0},
        {neighbor_persistent, "neighbor_persistent", "neighbor_collective", 0},
        {passive_put, "passive_put", "one_sided", 1},
        {shared_memory, "shared_memory", "", 1},
        {partitioned, "partitioned", "two_sided", 0}}},
      {"completion", {{waitall, "waitall", "", 0}, {waitany, "waitany", "", 1}, {waitsome, "waitsome", "", 1}}},
  };
}

constexpr Capabilities blocking{};
constexpr Capabilities packs{.touches_data = true};
constexpr Capabilities nonblocking{.nonblocking = true};
constexpr Capabilities joins{.nonblocking = true, .fixed_several = true};
constexpr Capabilities nonblocking_packs{.nonblocking = true, .touches_data = true};
constexpr Capabilities bound{.nonblocking = true, .fixed_buffers = true};
constexpr Capabilities bound_packs{.nonblocking = true, .fixed_buffers = true, .touches_data = true};

constexpr Capabilities window{.fixed_buffers = true, .collective_plan = true};
constexpr Capabilities collective{.fixed_several = true, .collective_plan = true};
constexpr Capabilities collective_pack{.collective_plan = true, .touches_data = true};
constexpr Capabilities split{.nonblocking = true, .fixed_several = true, .collective_plan = true};
constexpr Capabilities split_packs{.nonblocking = true, .collective_plan = true, .touches_data = true};
constexpr Capabilities bound_split_copies{
    .nonblocking = true, .fixed_buffers = true, .collective_plan = true, .touches_data = true};
constexpr Capabilities bound_all{.nonblocking = true, .fixed_buffers = true, .collective_plan = true};

constexpr auto anything = "";
constexpr auto dimensions = "not for graph topologies";
constexpr auto one_vector = "extended topology; sent from and received into the same vector";
constexpr auto distances = "several nodes, several processes on one of them";
constexpr auto partitions = "MPI 4, or Open MPI 5";
constexpr auto same_layout = "datatypes of the same memory layout on all processes";
constexpr auto plain_bytes = "datatypes of the same memory layout for sending and receiving on all processes";
constexpr auto has_init = "MPI 4, or Open MPI 4 with its extension pcollreq";
constexpr auto shared = "processes that share memory; datatypes of the same memory layout";
constexpr auto shared_joinable = "as Shm_window; several messages between the same two ranks";
constexpr auto shared_arrays = "as Shm_window; arrays of ADCL_Vector_allocate, elements without holes";
constexpr auto leaders = "several nodes, several processes on one of them; datatypes of the same memory layout";
constexpr auto joinable = "several messages between the same two ranks, as those of several fields";

std::string thesis(int row) { return text("thesis Table 3.1 row ", row); }
constexpr auto comb = "LLNL Comb: persistent requests, wait any, wait some";
constexpr auto ordered = "paper Fig. 1, `ordered`";
constexpr auto palmer = "Palmer and Nieplocha 2002 (paper reference 6)";
constexpr auto finepoints = "MPI 4.0 chapter 4; Grant et al., Finepoints, ISC 2019";
constexpr auto keller = "Keller, Gabriel, Krammer, Mueller and Resch 2003 (paper reference 11)";
constexpr auto notified = "Belli and Hoefler, Notified Access, IPDPS 2015";
constexpr auto mpi3 = "MPI 3.1 sections 7.6 and 7.7";
constexpr auto mpi4 = "MPI 4.0 section 8.8";
constexpr auto hoefler = "Hoefler et al., MPI + MPI, Computing 95, 2013";
constexpr auto bienz = "Bienz, Gropp and Olson, Node aware sparse matrix-vector multiplication, JPDC 130, 2019";
constexpr auto combining = "message combining: Traeff, Luebbe, Rougier and Hunold, EuroMPI 2015";

// Growth of the time with the ranks p of a three-dimensional grid, the block of each rank being fixed.
constexpr auto flat = "1";           // a rank waits for its neighbours alone, of which there are always as many
constexpr auto chained = "p^(1/3)";  // steps in the order of the ranks: the last of a line waits for all before it
constexpr auto fences = "log p";     // all ranks wait for each other

std::vector<Codelet> rows_of_the_thesis() {
  return {
      {"IsIr_aao", {aao, ddt, isend_irecv, waitall}, nonblocking, anything, thesis(0), IsIr_aao, flat},
      {"IsIr_pair", {pair, ddt, isend_irecv, waitall}, blocking, anything, thesis(1), IsIr_pair, chained},
      {"IsIr_aao_pack", {aao, pack, isend_irecv, waitall}, nonblocking_packs, anything, thesis(2), IsIr_aao_pack, flat},
      {"IsIr_pair_pack", {pair, pack, isend_irecv, waitall}, packs, anything, thesis(3), IsIr_pair_pack, chained},
      {"SIr_aao", {aao, ddt, send_irecv, waitall}, blocking, anything, thesis(4), SIr_aao, flat},
      {"SIr_pair", {pair, ddt, send_irecv, waitall}, blocking, anything, thesis(5), SIr_pair, chained},
      {"SIr_aao_pack", {aao, pack, send_irecv, waitall}, packs, anything, thesis(6), SIr_aao_pack, flat},
      {"SIr_pair_pack", {pair, pack, send_irecv, waitall}, packs, anything, thesis(7), SIr_pair_pack, chained},
      {"S_R_pair", {pair, ddt, send_recv, none}, blocking, anything, thesis(8), S_R_pair, chained},
      {"Sr_pair", {pair, ddt, sendrecv, none}, blocking, anything, thesis(9), Sr_pair, chained},
      {"S_R_pair_pack", {pair, pack, send_recv, none}, packs, anything, thesis(10), S_R_pair_pack, chained},
      {"Sr_pair_pack", {pair, pack, sendrecv, none}, packs, anything, thesis(11), Sr_pair_pack, chained},
      {"WinfencePut_aao", {aao, ddt, fence_put, none}, window, same_layout, thesis(12), WinfencePut_aao, fences},
      {"WinfenceGet_aao", {aao, ddt, fence_get, none}, window, same_layout, thesis(13), WinfenceGet_aao, fences},
      {"PostStartPut_aao", {aao, ddt, post_start_put, none}, window, same_layout, thesis(14), PostStartPut_aao, flat},
      {"PostStartGet_aao", {aao, ddt, post_start_get, none}, window, same_layout, thesis(15), PostStartGet_aao, flat},
      {"WinfencePut_pair", {pair, ddt, fence_put, none}, window, same_layout, thesis(16), WinfencePut_pair, fences},
      {"WinfenceGet_pair", {pair, ddt, fence_get, none}, window, same_layout, thesis(17), WinfenceGet_pair, fences},
      {"PostStartPut_pair",
       {pair, ddt, post_start_put, none},
       window,
       same_layout,
       thesis(18),
       PostStartPut_pair,
       chained},
      {"PostStartGet_pair",
       {pair, ddt, post_start_get, none},
       window,
       same_layout,
       thesis(19),
       PostStartGet_pair,
       chained},
  };
}

/// Ours with messages.
std::vector<Codelet> rows_with_messages() {
  return {
      {"Persist_aao", {aao, ddt, persistent, waitall}, bound, anything, comb, Persist_aao, flat},
      {"Persist_aao_pack", {aao, pack, persistent, waitall}, bound_packs, anything, comb, Persist_aao_pack, flat},
      {"Waitany_pack", {aao, pack, isend_irecv, waitany}, nonblocking_packs, anything, comb, Waitany_pack, flat},
      {"Waitsome_pack", {aao, pack, isend_irecv, waitsome}, nonblocking_packs, anything, comb, Waitsome_pack, flat},
      {"Ordered", {dimension, ddt, isend_irecv, waitall}, blocking, dimensions, ordered, Ordered, flat},
      {"Ordered_pack", {dimension, pack, isend_irecv, waitall}, packs, dimensions, ordered, Ordered_pack, flat},
      {"Ordered_corners", {corners, ddt, isend_irecv, waitall}, blocking, one_vector, palmer, Ordered_corners, flat},
      {"Ordered_corners_pack",
       {corners, pack, isend_irecv, waitall},
       packs,
       one_vector,
       palmer,
       Ordered_corners_pack,
       flat},
      {"Partitioned", {aao, pack, partitioned, waitall}, bound_packs, partitions, finepoints, Partitioned, flat},
      {"Node_first", {node, ddt, isend_irecv, waitall}, nonblocking, distances, keller, Node_first, flat},
      {"Node_first_pack",
       {node, pack, isend_irecv, waitall},
       nonblocking_packs,
       distances,
       keller,
       Node_first_pack,
       flat},
      {"Joined", {joined, ddt, isend_irecv, waitall}, joins, joinable, combining, Joined, flat},
      {"Joined_pack", {joined, pack, isend_irecv, waitall}, nonblocking_packs, joinable, combining, Joined_pack, flat},
      {"Joined_persist", {joined, ddt, persistent, waitall}, bound, joinable, combining, Joined_persist, flat},
      {"Joined_pack_persist",
       {joined, pack, persistent, waitall},
       bound_packs,
       joinable,
       combining,
       Joined_pack_persist,
       flat},
      {"Joined_waitany_pack",
       {joined, pack, isend_irecv, waitany},
       nonblocking_packs,
       joinable,
       combining,
       Joined_waitany_pack,
       flat},
  };
}

/// Ours with everything else.
std::vector<Codelet> rows_without_messages() {
  return {
      {"PassivePut_notify", {aao, ddt, passive_put, none}, window, same_layout, notified, PassivePut_notify, flat},
      {"Neighbor_alltoallw",
       {aao, ddt, neighbor_collective, none},
       collective,
       anything,
       mpi3,
       Neighbor_alltoallw,
       flat},
      {"Ineighbor_alltoallw",
       {aao, ddt, neighbor_collective, waitall},
       split,
       anything,
       mpi3,
       Ineighbor_alltoallw,
       flat},
      {"Neighbor_alltoallw_init",
       {aao, ddt, neighbor_persistent, waitall},
       bound_all,
       has_init,
       mpi4,
       Neighbor_alltoallw_init,
       flat},
      {"Neighbor_alltoallv_pack",
       {aao, pack, neighbor_collective, none},
       collective_pack,
       plain_bytes,
       mpi3,
       Neighbor_alltoallv_pack,
       flat},
      {"Shm_window", {aao, pack, shared_memory, none}, split_packs, shared, hoefler, Shm_window, flat},
      {"Shm_joined", {joined, pack, shared_memory, none}, split_packs, shared_joinable, hoefler, Shm_joined, flat},
      {"Shm_direct", {aao, direct, shared_memory, none}, bound_split_copies, shared_arrays, hoefler, Shm_direct, flat},
      {"Node_aggregate",
       {node_leaders, pack, isend_irecv, waitany},
       collective_pack,
       leaders,
       bienz,
       Node_aggregate,
       flat},
  };
}

std::vector<Codelet> rows() {
  std::vector<Codelet> all = rows_of_the_thesis();
  for (auto* part : {rows_with_messages, rows_without_messages}) {
    const std::vector<Codelet> more = part();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

const FunctionSet& neighborhood() {
  static const FunctionSet set{"neighborhood",
                               "Exchange with the neighbours of a Cartesian, generic, extended or graph topology",
                               attributes(), rows(), &make_problem};
  return set;
}

}  // namespace adcl::codelets
