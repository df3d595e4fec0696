// The nonblocking collectives, each with its wait.
#include "blocks.hpp"

namespace adcl::bench {
namespace {

class Ibarrier final : public Operation {
 public:
  explicit Ibarrier(MPI_Comm comm) : comm_(comm) {}
  void run() override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Comm comm_;
};

OperationPointer ibarrier(const Setting& setting) { return std::make_unique<Ibarrier>(setting.comm); }

/// \p start begins a transfer: start(send, receive, request).
template <typename Start>
OperationPointer started(Transfer::Data data, Start start) {
  return std::make_unique<Transfer>(std::move(data), [start](const void* send, void* receive) {
    MPI_Request request = MPI_REQUEST_NULL;
    start(send, receive, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

OperationPointer ibcast(const Setting& setting) {
  return started(from_root_to_all(setting), [=](const void*, void* data, MPI_Request* request) {
    MPI_Ibcast(data, bytes_of(setting), MPI_BYTE, 0, setting.comm, request);
  });
}

OperationPointer ireduce(const Setting& setting) {
  return started(sum_at_root(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Ireduce(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, 0, setting.comm, request);
  });
}

OperationPointer iallreduce(const Setting& setting) {
  return started(sum_of_all(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Iallreduce(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm, request);
  });
}

OperationPointer igather(const Setting& setting) {
  return started(to_root(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Igather(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, 0, setting.comm, request);
  });
}

OperationPointer igatherv(const Setting& setting) {
  return started(to_root(setting), [=, all = Layout(setting)](const void* send, void* receive, MPI_Request* request) {
    MPI_Igatherv(send, bytes_of(setting), MPI_BYTE, receive, all.counts.data(), all.displacements.data(), MPI_BYTE, 0,
                 setting.comm, request);
  });
}

OperationPointer iallgather(const Setting& setting) {
  return started(to_all(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Iallgather(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, setting.comm, request);
  });
}

OperationPointer iallgatherv(const Setting& setting) {
  return started(to_all(setting), [=, all = Layout(setting)](const void* send, void* receive, MPI_Request* request) {
    MPI_Iallgatherv(send, bytes_of(setting), MPI_BYTE, receive, all.counts.data(), all.displacements.data(), MPI_BYTE,
                    setting.comm, request);
  });
}

OperationPointer iscatter(const Setting& setting) {
  return started(from_root(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Iscatter(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, 0, setting.comm, request);
  });
}

OperationPointer iscatterv(const Setting& setting) {
  return started(from_root(setting), [=, all = Layout(setting)](const void* send, void* receive, MPI_Request* request) {
    MPI_Iscatterv(send, all.counts.data(), all.displacements.data(), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, 0,
                  setting.comm, request);
  });
}

OperationPointer ialltoall(const Setting& setting) {
  return started(between_all(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Ialltoall(send, bytes_of(setting), MPI_BYTE, receive, bytes_of(setting), MPI_BYTE, setting.comm, request);
  });
}

OperationPointer ialltoallv(const Setting& setting) {
  return started(between_all(setting),
                 [=, all = Layout(setting)](const void* send, void* receive, MPI_Request* request) {
                   MPI_Ialltoallv(send, all.counts.data(), all.displacements.data(), MPI_BYTE, receive,
                                  all.counts.data(), all.displacements.data(), MPI_BYTE, setting.comm, request);
                 });
}

OperationPointer ialltoallw(const Setting& setting) {
  return started(between_all(setting),
                 [=, all = Layout(setting)](const void* send, void* receive, MPI_Request* request) {
                   MPI_Ialltoallw(send, all.counts.data(), all.displacements.data(), all.types.data(), receive,
                                  all.counts.data(), all.displacements.data(), all.types.data(), setting.comm, request);
                 });
}

OperationPointer ireduce_scatter_block(const Setting& setting) {
  return started(scattered_sum(setting), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Ireduce_scatter_block(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm, request);
  });
}

OperationPointer ireduce_scatter(const Setting& setting) {
  return started(scattered_sum(setting), [=, all = Layout(setting, MPI_DOUBLE, doubles_of(setting))](
                                             const void* send, void* receive, MPI_Request* request) {
    MPI_Ireduce_scatter(send, receive, all.counts.data(), MPI_DOUBLE, MPI_SUM, setting.comm, request);
  });
}

OperationPointer iscan(const Setting& setting) {
  return started(prefix_sum(setting, setting.rank + 1), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Iscan(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm, request);
  });
}

OperationPointer iexscan(const Setting& setting) {
  return started(prefix_sum(setting, setting.rank), [=](const void* send, void* receive, MPI_Request* request) {
    MPI_Iexscan(send, receive, doubles_of(setting), MPI_DOUBLE, MPI_SUM, setting.comm, request);
  });
}

/// Uses the expectation of the blocking function.
Function row(const char* name, const char* growth, std::size_t unit_bytes, OperationPointer (*make)(const Setting&)) {
  return {name, Measured::time, growth, std::string("MPI_") + name + " and MPI_Wait", unit_bytes, false, make, true};
}

}  // namespace

Functions nonblocking_collectives() {
  constexpr std::size_t number = sizeof(double);
  return {
      row("Ibarrier", "log p", 0, ibarrier),
      row("Ibcast", "log p", 1, ibcast),
      row("Ireduce", "log p", number, ireduce),
      row("Iallreduce", "log p", number, iallreduce),
      row("Igather", "p", 1, igather),
      row("Igatherv", "p", 1, igatherv),
      row("Iallgather", "p", 1, iallgather),
      row("Iallgatherv", "p", 1, iallgatherv),
      row("Iscatter", "p", 1, iscatter),
      row("Iscatterv", "p", 1, iscatterv),
      row("Ialltoall", "p log p", 1, ialltoall),
      row("Ialltoallv", "p", 1, ialltoallv),
      row("Ialltoallw", "p", 1, ialltoallw),
      row("Ireduce_scatter_block", "p", number, ireduce_scatter_block),
      row("Ireduce_scatter", "p", number, ireduce_scatter),
      row("Iscan", "log p", number, iscan),
      row("Iexscan", "log p", number, iexscan),
  };
}

}  // namespace adcl::bench
