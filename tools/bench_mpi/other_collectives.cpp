// The collectives beyond those of the paper. Counts differ between the ranks of no function: what is compared with each
// other is how the same message scales.
#include <algorithm>
#include <numeric>

#include "function.hpp"
#include "transfer.hpp"

namespace adcl::bench {
namespace {

/// Counts, displacements and types of a block for each rank, one after the other.
struct Layout {
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;

  Layout(const Setting& setting, MPI_Datatype type, int count)
      : counts(static_cast<std::size_t>(setting.size), count),
        displacements(counts.size()),
        types(counts.size(), type) {
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), 0);
  }
  explicit Layout(const Setting& setting) : Layout(setting, MPI_BYTE, static_cast<int>(setting.bytes)) {}
};

Bytes blocks_for_all(const Setting& setting, int source) {
  Bytes all;
  for (int target = 0; target < setting.size; ++target) {
    append(all, block_of(source, target, setting.bytes));
  }
  return all;
}

Bytes blocks_from_all(const Setting& setting, int target) {
  Bytes all;
  for (int source = 0; source < setting.size; ++source) {
    append(all, block_of(source, target, setting.bytes));
  }
  return all;
}

int count_of(const Setting& setting) { return static_cast<int>(setting.bytes); }
int doubles_of(const Setting& setting) { return static_cast<int>(setting.bytes / sizeof(double)); }

Transfer::Data from_root(const Setting& setting) {
  return {setting.rank == 0 ? blocks_for_all(setting, 0) : Bytes{}, Bytes(setting.bytes),
          block_of(0, setting.rank, setting.bytes)};
}

Transfer::Data to_root(const Setting& setting) {
  const Bytes all = setting.rank == 0 ? blocks_from_all(setting, 0) : Bytes{};
  return {block_of(setting.rank, 0, setting.bytes), Bytes(all.size()), all};
}

Transfer::Data to_all(const Setting& setting) {
  const Bytes all = blocks_from_all(setting, 0);
  return {block_of(setting.rank, 0, setting.bytes), Bytes(all.size()), all};
}

Transfer::Data between_all(const Setting& setting) {
  const Bytes all = blocks_from_all(setting, setting.rank);
  return {blocks_for_all(setting, setting.rank), Bytes(all.size()), all};
}

OperationPointer scatter(const Setting& setting) {
  return std::make_unique<Transfer>(from_root(setting), [=](const void* send, void* receive) {
    MPI_Scatter(send, count_of(setting), MPI_BYTE, receive, count_of(setting), MPI_BYTE, 0, setting.comm);
  });
}

OperationPointer scatterv(const Setting& setting) {
  return std::make_unique<Transfer>(from_root(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Scatterv(send, all.counts.data(), all.displacements.data(), MPI_BYTE, receive, count_of(setting), MPI_BYTE, 0,
                 setting.comm);
  });
}

OperationPointer gatherv(const Setting& setting) {
  return std::make_unique<Transfer>(to_root(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Gatherv(send, count_of(setting), MPI_BYTE, receive, all.counts.data(), all.displacements.data(), MPI_BYTE, 0,
                setting.comm);
  });
}

OperationPointer allgatherv(const Setting& setting) {
  return std::make_unique<Transfer>(to_all(setting), [=, all = Layout(setting)](const void* send, void* receive) {
    MPI_Allgatherv(send, count_of(setting), MPI_BYTE, receive, all.counts.data(), all.displacements.data(), MPI_BYTE,
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

/// Each rank contributes a vector for all ranks and keeps the sum of its own part.
Transfer::Data scattered_sum(const Setting& setting) {
  const auto count = static_cast<std::size_t>(doubles_of(setting));
  return {addends(setting.rank, count * static_cast<std::size_t>(setting.size)), Bytes(setting.bytes),
          sums(setting.size, count, count * static_cast<std::size_t>(setting.rank))};
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

/// The sum over the first \p ranks ranks; of none where the result is not defined.
Transfer::Data prefix_sum(const Setting& setting, int ranks) {
  const auto count = static_cast<std::size_t>(doubles_of(setting));
  return {addends(setting.rank, count), Bytes(setting.bytes), ranks > 0 ? sums(ranks, count) : Bytes{}};
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
      {"Scatter", time, "p", "MPI_Scatter, a message to each rank", 1, false, scatter},
      {"Scatterv", time, "p", "MPI_Scatterv, a message to each rank", 1, false, scatterv},
      {"Gatherv", time, "p", "MPI_Gatherv, a message from each rank", 1, false, gatherv},
      {"Allgatherv", time, "p", "MPI_Allgatherv, a message from each rank", 1, false, allgatherv},
      {"Alltoallv", time, "p", "MPI_Alltoallv, a message from each rank to each", 1, false, alltoallv},
      {"Alltoallw", time, "p", "MPI_Alltoallw, a message from each rank to each", 1, false, alltoallw},
      {"Reduce_scatter_block", time, "p", "MPI_Reduce_scatter_block, a message for each rank", number, false,
       reduce_scatter_block},
      {"Reduce_scatter", time, "p", "MPI_Reduce_scatter, a message for each rank", number, false, reduce_scatter},
      {"Scan", time, "log p", "MPI_Scan, sum of doubles", number, false, scan},
      {"Exscan", time, "log p", "MPI_Exscan, sum of doubles", number, false, exscan},
  };
}

}  // namespace adcl::bench
