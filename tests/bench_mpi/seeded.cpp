// A benchmark of two functions of a made-up library, for trying `adcl scale check`. With SEEDED_BUGS both are
// implemented so that they do not scale as they should: the broadcast sends to one rank after the other, and a
// duplicate carries a table with an entry per rank.
#include <mpi.h>

#include "program.hpp"
#include "transfer.hpp"

namespace {

using adcl::bench::Bytes;
using adcl::bench::Measured;
using adcl::bench::Operation;
using adcl::bench::OperationPointer;
using adcl::bench::Setting;

#ifdef SEEDED_BUGS
constexpr bool buggy = true;
#else
constexpr bool buggy = false;
#endif

constexpr int tag = 2;

void linear_broadcast(void* data, int bytes, const Setting& setting) {
  if (setting.rank > 0) {
    MPI_Recv(data, bytes, MPI_BYTE, 0, tag, setting.comm, MPI_STATUS_IGNORE);
    return;
  }
  for (int target = 1; target < setting.size; ++target) {
    MPI_Send(data, bytes, MPI_BYTE, target, tag, setting.comm);
  }
}

void binomial_broadcast(void* data, int bytes, const Setting& setting) {
  int distance = 1;
  while (distance < setting.size && (setting.rank & distance) == 0) {
    distance *= 2;
  }
  if (setting.rank > 0) {
    MPI_Recv(data, bytes, MPI_BYTE, setting.rank - distance, tag, setting.comm, MPI_STATUS_IGNORE);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (setting.rank + distance < setting.size) {
      MPI_Send(data, bytes, MPI_BYTE, setting.rank + distance, tag, setting.comm);
    }
  }
}

OperationPointer broadcast(const Setting& setting) {
  const Bytes message = adcl::bench::block_of(0, 0, setting.bytes);
  return std::make_unique<adcl::bench::Transfer>(
      adcl::bench::Transfer::Data{{}, setting.rank == 0 ? message : Bytes(setting.bytes), message},
      [=](const void*, void* data) {
        (buggy ? linear_broadcast : binomial_broadcast)(data, static_cast<int>(setting.bytes), setting);
      });
}

/// A handle of the library: what it keeps per communicator.
class Duplicate final : public Operation {
 public:
  explicit Duplicate(const Setting& setting) : setting_(setting) {}
  void run() override {
    MPI_Comm_dup(setting_.comm, &comm_);
    constexpr std::size_t entry_bytes = 1024;
    const std::size_t entries = buggy ? static_cast<std::size_t>(setting_.size) : 1;
    addresses_ = Bytes(entries * entry_bytes, 1);
  }
  void undo() override {
    addresses_ = Bytes{};
    MPI_Comm_free(&comm_);
  }

 private:
  Setting setting_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Bytes addresses_;
};

}  // namespace

int main(int argc, char** argv) {
  const adcl::bench::Functions table = {
      {"Bcast", Measured::time, "log p", "broadcast of the message", 1, false, broadcast},
      {"Comm_dup", Measured::heap, "1", "duplicate with an address table", 0, false,
       [](const Setting& setting) -> OperationPointer { return std::make_unique<Duplicate>(setting); }},
  };
  return adcl::bench::run_program(argc, argv, "adcl-bench-seeded", table);
}
