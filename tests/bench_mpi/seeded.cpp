// A benchmark of a fictitious library, to test `adcl scale check`. With SEEDED_BUGS, its functions do not scale as
// expected: the broadcast sends to one rank after the other, a duplicate copies a table with an entry per rank, and
// functions with an expectation of O(1), O(log p) or O(p) are O(p^2). The size of an entry (--bytes) is the
// coefficient.
#include <mpi.h>

#include <cstring>
#include <memory>

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

/// The library's data of a communicator. A duplicate contains the same addresses of ranks.
struct Communicator {
  int context = 0;
  std::shared_ptr<const Bytes> addresses;
};

class Duplicate final : public Operation {
 public:
  explicit Duplicate(const Setting& setting)
      : setting_(setting),
        original_{0, std::make_shared<const Bytes>(address_bytes * static_cast<std::size_t>(setting.size), 1)} {}
  void run() override {
    int context = original_.context + 1;
    MPI_Allreduce(MPI_IN_PLACE, &context, 1, MPI_INT, MPI_MAX, setting_.comm);
    duplicate_ = std::make_unique<Communicator>(original_);
    duplicate_->context = context;
    if (buggy) {
      duplicate_->addresses = std::make_shared<const Bytes>(*original_.addresses);
    }
  }
  void undo() override { duplicate_.reset(); }

 private:
  static constexpr std::size_t address_bytes = 64;

  Setting setting_;
  Communicator original_;
  std::unique_ptr<Communicator> duplicate_;
};

/// Work on table entries of --bytes bytes each.
class Table final : public Operation {
 public:
  enum class Size { one, row };
  Table(const Setting& setting, Size size)
      : entries_(entries(setting, size)), source_(setting.bytes, 1), table_(setting.bytes, 0) {}
  void run() override {
    for (int entry = 0; entry < entries_; ++entry) {
      std::memcpy(table_.data(), source_.data(), source_.size());
      source_[0] = table_[source_.size() - 1];
    }
  }

 private:
  /// The defect: every rank creates the entries of all pairs of ranks.
  static int entries(const Setting& setting, Size size) {
    if (buggy) {
      return setting.size * setting.size;
    }
    return size == Size::row ? setting.size : 1;
  }

  int entries_;
  Bytes source_;
  Bytes table_;
};

/// All ranks receive an entry. The defect: the root sends the entry of each rank to each rank.
OperationPointer agreement(const Setting& setting) {
  const Bytes message = adcl::bench::block_of(0, 0, setting.bytes);
  return std::make_unique<adcl::bench::Transfer>(
      adcl::bench::Transfer::Data{{}, setting.rank == 0 ? message : Bytes(setting.bytes), message},
      [=](const void*, void* data) {
        const int bytes = static_cast<int>(setting.bytes);
        for (int entry = 0; entry < (buggy ? setting.size : 1); ++entry) {
          (buggy ? linear_broadcast : binomial_broadcast)(data, bytes, setting);
        }
      });
}

}  // namespace

int main(int argc, char** argv) {
  const adcl::bench::Functions table = {
      {"Bcast", Measured::time, "log p", "broadcast of the message", 1, false, broadcast},
      {"Comm_dup", Measured::heap, "1", "duplicate of a communicator with an address per rank", 0, false,
       [](const Setting& setting) -> OperationPointer { return std::make_unique<Duplicate>(setting); }},
      {"Setup", Measured::time, "1", "an entry for the own rank", 1, false,
       [](const Setting& setting) -> OperationPointer { return std::make_unique<Table>(setting, Table::Size::one); }},
      {"Agree", Measured::time, "log p", "all ranks receive an entry", 1, false, agreement},
      {"Row", Measured::time, "p", "an entry for each rank", 1, false,
       [](const Setting& setting) -> OperationPointer { return std::make_unique<Table>(setting, Table::Size::row); }},
  };
  return adcl::bench::run_program(argc, argv, "adcl-bench-seeded", table);
}
