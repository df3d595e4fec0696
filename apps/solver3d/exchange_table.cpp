#include <array>

#include "exchange_rows.hpp"

namespace solver3d {
namespace {

constexpr std::array table{
#ifdef SOLVER3D_WITH_ADCL
    Method{"adcl", "ADCL tries its codelets in the first exchanges and keeps the fastest", make_adcl,
           make_adcl_overlap},
    Method{"adcl-timer", "as adcl, but ADCL chooses by the time of an iteration instead of the time of an exchange",
           make_adcl_timed},
    Method{"adcl-sums", "as adcl, with tuned scalar products", make_adcl_sums, nullptr, true},
    Method{"adcl-all", "as adcl-timer, with tuned scalar products under the same timer", make_adcl_sums_timed, nullptr,
           true},
#endif
    Method{"fcfs", "all messages at once, derived datatypes", make_fcfs},
    Method{"fcfs-pack", "all messages at once, packed into buffers", make_fcfs_pack},
    Method{"ordered", "one neighbor after the other", make_ordered},
    Method{"overlap", "as fcfs, computing inside the block during the communication", make_overlap},
#ifndef SMPI_H  // this collective would end the simulation
    Method{"neighbor", "MPI_Neighbor_alltoallw", make_neighbor},
#endif
};

}  // namespace

std::span<const Method> methods() { return table; }

const Method* find_method(std::string_view name) {
  for (const Method& method : table) {
    if (method.name == name) {
      return &method;
    }
  }
  return nullptr;
}

}  // namespace solver3d
