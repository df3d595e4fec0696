// Partitioned point-to-point communication: each piece of a message is sent as soon as it is packed, so that packing a
// piece overlaps sending the previous piece. Both ends divide a message into the same number of equal partitions: the
// standard does not require this, but early implementations do. Source: MPI 4.0 chapter 4; Grant, Dosanjh, Levenhagen,
// Brightwell and Skjellum, "Finepoints", ISC 2019.
#include <algorithm>

#include "codelets/neighborhood/messages.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/requests.hpp"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 5
// Seen with 5.0.11: if two or more messages, to one process or to several processes, are started right after their
// creation, some of them never complete. MPI has no call that tests whether the library has set them up.
#define ADCL_WHY_NOT \
  "partitioned messages of Open MPI 5 that are started before the library has set them up may never complete"
#elif !defined(ADCL_HAVE_PARTITIONED)
#define ADCL_WHY_NOT "the MPI library that ADCL was built with has no partitioned communication (MPI 4.0)"
#endif

namespace adcl::codelets {
namespace {

#ifndef ADCL_WHY_NOT

constexpr std::int64_t most_partitions = 8;
/// Smaller partitions are not worth a separate message.
constexpr std::int64_t least_partition_bytes = 16384;

/// The largest useful number of equal partitions.
int partitions_of(const Message& message) {
  MPI_Count bytes = 0;
  mpi::check(MPI_Type_size_x(message.type, &bytes), "MPI_Type_size_x");
  std::int64_t partitions = std::clamp<std::int64_t>(message.count * bytes / least_partition_bytes, 1, most_partitions);
  while (message.count % partitions != 0) {
    --partitions;
  }
  return static_cast<int>(partitions);
}

/// Divides the region along the dimension that varies slowest in memory; the pieces are consecutive in the packed data.
std::vector<Region> cut(const Region& region, const Grid& grid, int pieces) {
  std::size_t slowest = 0;
  int extent = static_cast<int>(region.points.size());
  if (!region.indexed) {
    const std::size_t ndims = region.extent.size();
    const auto dimension = [&](std::size_t k) { return grid.fortran_order ? ndims - 1 - k : k; };
    std::size_t k = 0;
    while (k + 1 < ndims && region.extent[dimension(k)] == 1) {
      ++k;
    }
    slowest = dimension(k);
    extent = region.extent[slowest];
  }
  std::vector<Region> result;
  for (int piece = 0; piece < pieces; ++piece) {
    const auto begin = static_cast<int>(std::int64_t{extent} * piece / pieces);
    const auto end = static_cast<int>(std::int64_t{extent} * (piece + 1) / pieces);
    if (begin == end) {
      continue;
    }
    Region part = region;
    if (region.indexed) {
      part.points.assign(region.points.begin() + begin, region.points.begin() + end);
    } else {
      part.start[slowest] += begin;
      part.extent[slowest] = end - begin;
    }
    result.push_back(std::move(part));
  }
  return result;
}

/// A send in pieces. A message without packing, or packed by MPI, is one piece.
struct PartitionedSend {
  struct Piece {
    Packer packer;
    std::int64_t offset_bytes = 0;
    int partitions = 0;  ///< number of partitions that are complete once this piece is packed
  };
  std::size_t message = 0;
  int field = 0;
  std::byte* buffer = nullptr;
  int partitions = 1;
  std::vector<Piece> pieces;
  MPI_Request* request = nullptr;
};

class PartitionedPlan final : public Plan {
 public:
  PartitionedPlan(const HaloProblem& problem, MPI_Comm comm, const Buffers& buffers)
      : messages_(problem, buffers),
        addresses_(buffers.begin(), buffers.end()),
        requests_(messages_.receives() + messages_.sends()) {
    MPI_Request* request = requests_.data();
    for (std::size_t j = 0; j < messages_.receives(); ++j) {
      const Message in = messages_.incoming(j, buffers);
      if (in.peer != MPI_PROC_NULL) {
        const int partitions = partitions_of(in);
        mpi::check(MPI_Precv_init(in.address, partitions, in.count / partitions, in.type, in.peer, in.tag, comm,
                                  MPI_INFO_NULL, request++),
                   "MPI_Precv_init");
      }
    }
    for (const std::size_t i : messages_.send_order()) {
      PartitionedSend send = cut_send(problem, i);
      const Message out = messages_.outgoing_place(i, buffers);
      if (out.peer != MPI_PROC_NULL) {
        send.request = request++;
        mpi::check(MPI_Psend_init(out.address, send.partitions, out.count / send.partitions, out.type, out.peer,
                                  out.tag, comm, MPI_INFO_NULL, send.request),
                   "MPI_Psend_init");
      }
      sends_.push_back(std::move(send));
    }
    active_requests_ = static_cast<int>(request - requests_.data());
    complete_requests_ = active_requests_;
  }

  void start(const Buffers& /*buffers*/) override {
    active_ = true;
    complete_requests_ = 0;
    requests_.start(active_requests_);
    for (const PartitionedSend& send : sends_) {
      if (send.pieces.empty()) {
        messages_.prepare(send.message, addresses_);
        if (send.request != nullptr) {
          mpi::check(MPI_Pready_range(0, send.partitions - 1, *send.request), "MPI_Pready_range");
        }
        continue;
      }
      int ready = 0;
      for (const auto& piece : send.pieces) {
        piece.packer.pack(address_of(addresses_, send.field, Way::out), send.buffer + piece.offset_bytes);
        if (piece.partitions > ready) {
          mpi::check(MPI_Pready_range(ready, piece.partitions - 1, *send.request), "MPI_Pready_range");
          ready = piece.partitions;
        }
      }
    }
  }

  /// Tests one request after the other, because MPI_Testall of MPICH 4.0 returns an error for partitioned requests.
  bool test() override {
    while (complete_requests_ < active_requests_) {
      int done = 0;
      mpi::check(MPI_Test(requests_.data() + complete_requests_, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) {
        return false;
      }
      ++complete_requests_;
    }
    finish();
    return true;
  }

  void wait() override {
    mpi::check(MPI_Waitall(active_requests_, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    finish();
  }

 private:
  PartitionedSend cut_send(const HaloProblem& problem, std::size_t i) const {
    PartitionedSend send;
    const Transfer& transfer = problem.sends[i];
    const auto& [grid, widths, element, why_private] = problem.array(transfer, Way::out);
    send.message = i;
    send.field = transfer.field;
    const Message out = messages_.outgoing_place(i, addresses_);
    send.partitions = partitions_of(out);
    send.buffer = static_cast<std::byte*>(out.address);
    if (send.partitions == 1 || messages_.sent_in_place(i) || !element->dense()) {
      return send;
    }
    const Region& region = transfer.region;
    std::int64_t packed_points = 0;
    for (const Region& part : cut(region, grid, send.partitions)) {
      PartitionedSend::Piece piece;
      piece.packer = Packer(part, grid, element->extent_bytes());
      piece.offset_bytes = packed_points * element->extent_bytes();
      packed_points += part.count();
      piece.partitions = static_cast<int>(packed_points / (region.count() / send.partitions));
      send.pieces.push_back(std::move(piece));
    }
    return send;
  }

  void finish() {
    if (!active_) {
      return;
    }
    active_ = false;
    complete_requests_ = active_requests_;
    for (std::size_t j = 0; j < messages_.receives(); ++j) {
      messages_.arrived(j, addresses_);
    }
  }

  PackedMessages messages_;
  std::vector<FieldBuffers> addresses_;  ///< copied: the caller may keep them only during an operation
  mpi::PersistentRequests requests_;
  int active_requests_ = 0;    ///< messages to this rank have no request
  int complete_requests_ = 0;  ///< completed so far by test()
  std::vector<PartitionedSend> sends_;
  bool active_ = false;
};

std::optional<std::string> applicable(const HaloProblem& problem) {
  const bool same = std::all_of(problem.fields.begin(), problem.fields.end(), [](const HaloField& field) {
    return field.send.element->layout_hash() == field.receive.element->layout_hash();
  });
  if (!problem.uniform_layout || !same) {
    return "the datatypes for sending and receiving have different memory layouts, so sender and receiver would "
           "divide the data into different partitions";
  }
  return PackedMessages::applicable(problem);
}

std::size_t bytes(const HaloProblem& problem) { return PackedMessages::bytes(problem); }

PlanPointer plan(const Problem& problem, mpi::Context& context, const Buffers& buffers) {
  return std::make_unique<PartitionedPlan>(halo(problem), context.comm(), buffers);
}

std::optional<std::string> unavailable() { return std::nullopt; }

#else

std::optional<std::string> unavailable() { return ADCL_WHY_NOT; }

std::optional<std::string> applicable(const HaloProblem& /*problem*/) { return unavailable(); }

std::size_t bytes(const HaloProblem& /*problem*/) { return 0; }

PlanPointer plan(const Problem& /*problem*/, mpi::Context& /*context*/, const Buffers& /*buffers*/) {
  throw Error(Code::unsupported, ADCL_WHY_NOT);
}

#endif

}  // namespace

Rows partitioned() {
  return {
      {.name = "Partitioned",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::partitioned, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_buffers = true, .touches_data = true},
       .requirements = "MPI 4, or Open MPI 5",
       .source = "MPI 4.0 chapter 4; Grant et al., Finepoints, ISC 2019",
       .algorithm = {[](const Problem& problem) { return applicable(halo(problem)); },
                     [](const Problem& problem) { return bytes(halo(problem)); }, plan, unavailable},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
