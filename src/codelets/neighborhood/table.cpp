// One row per codelet of ADCL_FNCTSET_NEIGHBORHOOD. The first row is kept when the evidence does not separate codelets.
#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/sets.hpp"

namespace adcl::codelets {
namespace {

enum Partners { aao, pair, dimension };
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
  passive_put,
  shared_memory,
  partitioned
};
enum Completion { waitall, wait, waitany, waitsome };


AttributeSet attributes() {
  return {
      {"partners", {{aao, "aao", "", 0}, {pair, "pair", "", 1}, {dimension, "dimension", "", 1}}},
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
        {neighbor_collective, "neighbor_collective", "", 0},
        {passive_put, "passive_put", "one_sided", 1},
        {shared_memory, "shared_memory", "", 1},
        {partitioned, "partitioned", "two_sided", 0}}},
      {"completion",
       {{waitall, "waitall", "", 0}, {wait, "wait", "", 0}, {waitany, "waitany", "", 1}, {waitsome, "waitsome", "", 1}}},
  };
}

constexpr Capabilities nonblocking{.nonblocking = true};
constexpr Capabilities nonblocking_packing{.nonblocking = true, .touches_data = true};

std::vector<Codelet> rows() {
  return {
      {"IsIr_aao", {aao, ddt, isend_irecv, waitall}, nonblocking, "", "seed 000 Table 3.1 row 0", IsIr_aao},
      {"IsIr_aao_pack", {aao, pack, isend_irecv, waitall}, nonblocking_packing, "", "seed 000 Table 3.1 row 2",
       IsIr_aao_pack},
  };
}

}  // namespace

const FunctionSet& neighborhood() {
  static const FunctionSet set{"neighborhood",
                               "Exchange with the neighbours of a Cartesian, generic, extended or graph topology",
                               attributes(), rows()};
  return set;
}

}  // namespace adcl::codelets
