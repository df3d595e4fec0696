// The litmus test: a broadcast whose cost is known. If its cost grows differently, the reason is the network or other
// load on it, not an algorithm of the MPI library.
// Source: Shudler et al. (ICS 2015), section 3.2; Chan et al., Collective Communication: Theory, Practice, and
// Experience, 2007.
#include "function.hpp"
#include "transfer.hpp"

namespace adcl::bench {
namespace {

constexpr int tag = 0;

/// Rank r receives from (r - 1) / 2 and sends to 2 r + 1 and 2 r + 2: at most two messages for each of the tree's
/// ceil(log2(p + 1)) levels.
void broadcast(void* data, int bytes, const Setting& setting) {
  if (setting.rank > 0) {
    MPI_Recv(data, bytes, MPI_BYTE, (setting.rank - 1) / 2, tag, setting.comm, MPI_STATUS_IGNORE);
  }
  for (int child = 2 * setting.rank + 1; child <= 2 * setting.rank + 2 && child < setting.size; ++child) {
    MPI_Send(data, bytes, MPI_BYTE, child, tag, setting.comm);
  }
}

OperationPointer make(const Setting& setting) {
  const Bytes message = block_of(0, 0, setting.bytes);
  return std::make_unique<Transfer>(
      Transfer::Data{{}, setting.rank == 0 ? message : Bytes(setting.bytes), message},
      [=](const void*, void* data) { broadcast(data, static_cast<int>(setting.bytes), setting); });
}

}  // namespace

Function binary_tree_broadcast() {
  return {"Bcast_binary_tree",
          Measured::time,
          "log p",
          "litmus test: a broadcast over point-to-point messages in a binary tree",
          1,
          false,
          make};
}

}  // namespace adcl::bench
