// Collectives that Shudler et al. (ICS 2015) do not measure.
#include "blocks.hpp"

namespace adcl::bench {
namespace {

OperationPointer scatter(const Setting& setting) {
  return std::make_unique<Transfer>(from_root(setting), [=](const void* send, void* receive) {
    MPI_Scatter(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, 0, setting.comm);
  });
}

OperationPointer scatterv(const Setting& setting) {
  return std::make_unique<Transfer>(from_root(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Scatterv(send, all.counts.data(), all.displacements.data(), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, 0,
                 setting.comm);
  });
}

OperationPointer gatherv(const Setting& setting) {
  return std::make_unique<Transfer>(to_root(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Gatherv(send, bytes_of(setting), MPI_BYTE, receive, all.counts.data(), all.displacements.data(), MPI_BYTE, 0,
                setting.comm);
  });
}

OperationPointer allgatherv(const Setting& setting) {
  return std::make_unique<Transfer>(to_all(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Allgatherv(send, bytes_of(setting), MPI_BYTE, receive, all.counts.data(), all.displacements.data(), MPI_BYTE,
                   setting.comm);
  });
}

OperationPointer alltoallv(const Setting& setting) {
  return std::make_unique<Transfer>(between_all(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Alltoallv(send, all.counts.data(), all.displacements.data(), MPI_BYTE, receive, all.counts.data(),
                  all.displacements.data(), MPI_BYTE, setting.comm);
  });
}

OperationPointer alltoallw(const Setting& setting) {
  return std::make_unique<Transfer>(between_all(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Alltoallw(send, all.counts.data(), all.displacements.data(), all.types.data(), receive, all.counts.data(),
                  all.displacements.data(), all.types.data(), setting.comm);
  });
}

OperationPointer reduce_scatter_block(const Setting& setting) {
  return std::make_unique<Transfer>(scattered_sum(setting), [=](const void* send, void* receive) {
    MPI_Reduce_scatter_block(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm);
  });
}

OperationPointer reduce_scatter(const Setting& setting) {
  const Layout all(setting, MPI_DOUBLE, doubles_of(setting));
  return std::make_unique<Transfer>(scattered_sum(setting), [=](const void* send, void* receive) {
    MPI_Reduce_scatter(send, receive, all.counts.data(), MPI_DOUBLE, MPI_SUM, setting.comm);
  });
}

OperationPointer scan(const Setting& setting) {
  return std::make_unique<Transfer>(prefix_sum(setting, setting.rank + 1), [=](const void* send, void* receive) {
    MPI_Scan(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm);
  });
}

OperationPointer exscan(const Setting& setting) {
  return std::make_unique<Transfer>(prefix_sum(setting, setting.rank), [=](const void* send, void* receive) {
    MPI_Exscan(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm);
  });
}

}  // namespace

Functions other_collectives() {
  constexpr auto time = Measured::time;
  constexpr std::size_t number = sizeof(double);
  return {
      {"Scatter", time, "p", "MPI_Scatter, one message to each rank", 1, false, scatter},
      {"Scatterv", time, "p", "MPI_Scatterv, one message to each rank", 1, false, scatterv},
      {"Gatherv", time, "p", "MPI_Gatherv, one message from each rank", 1, false, gatherv},
      {"Allgatherv", time, "p", "MPI_Allgatherv, one message from each rank", 1, false, allgatherv},
      {"Alltoallv", time, "p", "MPI_Alltoallv, one message between each pair of ranks", 1, false, alltoallv},
      {"Alltoallw", time, "p", "MPI_Alltoallw, one message between each pair of ranks", 1, false, alltoallw},
      {"Reduce_scatter_block", time, "p", "MPI_Reduce_scatter_block, one block of the sum on each rank", number, false,
       reduce_scatter_block},
      {"Reduce_scatter", time, "p", "MPI_Reduce_scatter, one block of the sum on each rank", number, false,
       reduce_scatter},
      {"Scan", time, "log p", "MPI_Scan, sum of doubles", number, false, scan},
      {"Exscan", time, "log p", "MPI_Exscan, sum of doubles", number, false, exscan},
  };
}

}  // namespace adcl::bench
