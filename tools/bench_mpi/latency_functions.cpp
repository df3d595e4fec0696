// The collectives whose latency the paper looks at (section 3.1), with its expectations (Table 2), in its order.
#include "function.hpp"
#include "transfer.hpp"

namespace adcl::bench {
namespace {

int count_of(const Setting& setting) { return static_cast<int>(setting.bytes); }
int doubles_of(const Setting& setting) { return static_cast<int>(setting.bytes / sizeof(double)); }

class Barrier final : public Operation {
 public:
  explicit Barrier(MPI_Comm comm) : comm_(comm) {}
  void run() override { MPI_Barrier(comm_); }

 private:
  MPI_Comm comm_;
};

OperationPointer barrier(const Setting& setting) { return std::make_unique<Barrier>(setting.comm); }

OperationPointer bcast(const Setting& setting) {
  const Bytes message = block_of(0, 0, setting.bytes);
  return std::make_unique<Transfer>(
      Transfer::Data{{}, setting.rank == 0 ? message : Bytes(setting.bytes), message},
      [=](const void*, void* data) { MPI_Bcast(data, count_of(setting), MPI_BYTE, 0, setting.comm); });
}

OperationPointer reduce(const Setting& setting) {
  const auto count = static_cast<std::size_t>(doubles_of(setting));
  return std::make_unique<Transfer>(Transfer::Data{addends(setting.rank, count), Bytes(setting.bytes),
                                                   setting.rank == 0 ? sums(setting.size, count) : Bytes{}},
                                    [=](const void* send, void* receive) {
                                      MPI_Reduce(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, 0,
                                                 setting.comm);
                                    });
}

OperationPointer allreduce(const Setting& setting) {
  const auto count = static_cast<std::size_t>(doubles_of(setting));
  return std::make_unique<Transfer>(
      Transfer::Data{addends(setting.rank, count), Bytes(setting.bytes), sums(setting.size, count)},
      [=](const void* send, void* receive) {
        MPI_Allreduce(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm);
      });
}

Bytes blocks_from_all(const Setting& setting, int target) {
  Bytes all;
  for (int source = 0; source < setting.size; ++source) {
    append(all, block_of(source, target, setting.bytes));
  }
  return all;
}

OperationPointer gather(const Setting& setting) {
  const Bytes all = setting.rank == 0 ? blocks_from_all(setting, 0) : Bytes{};
  return std::make_unique<Transfer>(Transfer::Data{block_of(setting.rank, 0, setting.bytes), Bytes(all.size()), all},
                                    [=](const void* send, void* receive) {
                                      MPI_Gather(send, count_of(setting), MPI_BYTE, receive, count_of(setting),
                                                 MPI_BYTE, 0, setting.comm);
                                    });
}

OperationPointer allgather(const Setting& setting) {
  const Bytes all = blocks_from_all(setting, 0);
  return std::make_unique<Transfer>(Transfer::Data{block_of(setting.rank, 0, setting.bytes), Bytes(all.size()), all},
                                    [=](const void* send, void* receive) {
                                      MPI_Allgather(send, count_of(setting), MPI_BYTE, receive, count_of(setting),
                                                    MPI_BYTE, setting.comm);
                                    });
}

OperationPointer alltoall(const Setting& setting) {
  Bytes send;
  for (int target = 0; target < setting.size; ++target) {
    append(send, block_of(setting.rank, target, setting.bytes));
  }
  const Bytes all = blocks_from_all(setting, setting.rank);
  return std::make_unique<Transfer>(Transfer::Data{send, Bytes(all.size()), all}, [=](const void* out, void* receive) {
    MPI_Alltoall(out, count_of(setting), MPI_BYTE, receive, count_of(setting), MPI_BYTE, setting.comm);
  });
}

}  // namespace

Functions latency_functions() {
  constexpr auto time = Measured::time;
  return {
      {"Barrier", time, "log p", "MPI_Barrier", 0, false, barrier},
      {"Bcast", time, "log p", "MPI_Bcast of the message", 1, false, bcast},
      {"Reduce", time, "log p", "MPI_Reduce, sum of doubles", sizeof(double), false, reduce},
      {"Allreduce", time, "log p", "MPI_Allreduce, sum of doubles", sizeof(double), false, allreduce},
      {"Gather", time, "p", "MPI_Gather, a message from each rank", 1, false, gather},
      {"Allgather", time, "p", "MPI_Allgather, a message from each rank", 1, false, allgather},
      {"Alltoall", time, "p log p", "MPI_Alltoall, a message from each rank to each", 1, false, alltoall},
  };
}

}  // namespace adcl::bench
