// The collectives whose latency Shudler et al. measure (section 3.1), with their expectations and in the order of their
// Table 2.
#include "blocks.hpp"

namespace adcl::bench {
namespace {

class Barrier final : public Operation {
 public:
  explicit Barrier(MPI_Comm comm) : comm_(comm) {}
  void run() override { MPI_Barrier(comm_); }

 private:
  MPI_Comm comm_;
};

OperationPointer barrier(const Setting& setting) { return std::make_unique<Barrier>(setting.comm); }

OperationPointer bcast(const Setting& setting) {
  return std::make_unique<Transfer>(from_root_to_all(setting), [=](const void*, void* data) {
    MPI_Bcast(data, bytes_of(setting), MPI_BYTE, 0, setting.comm);
  });
}

OperationPointer reduce(const Setting& setting) {
  return std::make_unique<Transfer>(sum_at_root(setting), [=](const void* send, void* receive) {
    MPI_Reduce(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, 0, setting.comm);
  });
}

OperationPointer allreduce(const Setting& setting) {
  return std::make_unique<Transfer>(sum_of_all(setting), [=](const void* send, void* receive) {
    MPI_Allreduce(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm);
  });
}

OperationPointer gather(const Setting& setting) {
  return std::make_unique<Transfer>(to_root(setting), [=](const void* send, void* receive) {
    MPI_Gather(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, 0, setting.comm);
  });
}

OperationPointer allgather(const Setting& setting) {
  return std::make_unique<Transfer>(to_all(setting), [=](const void* send, void* receive) {
    MPI_Allgather(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, setting.comm);
  });
}

OperationPointer alltoall(const Setting& setting) {
  return std::make_unique<Transfer>(between_all(setting), [=](const void* send, void* receive) {
    MPI_Alltoall(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, setting.comm);
  });
}

}  // namespace

Functions latency_functions() {
  constexpr auto time = Measured::time;
  return {
      {"Barrier", time, "log p", "MPI_Barrier", 0, false, barrier},
      {"Bcast", time, "log p", "MPI_Bcast of one message", 1, false, bcast},
      {"Reduce", time, "log p", "MPI_Reduce, sum of doubles", sizeof(double), false, reduce},
      {"Allreduce", time, "log p", "MPI_Allreduce, sum of doubles", sizeof(double), false, allreduce},
      {"Gather", time, "p", "MPI_Gather, one message from each rank", 1, false, gather},
      {"Allgather", time, "p", "MPI_Allgather, one message from each rank", 1, false, allgather},
      {"Alltoall", time, "p log p", "MPI_Alltoall, one message between each pair of ranks", 1, false, alltoall},
  };
}

}  // namespace adcl::bench
