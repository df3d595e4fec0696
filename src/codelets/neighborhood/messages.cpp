#include "codelets/neighborhood/messages.hpp"

#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

/// Distance between the buffers of two messages: no two of them share a cache line.
constexpr std::size_t alignment = 64;

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// What a derived datatype costs is the library's affair; this is a figure of the right size for a few nested levels.
constexpr std::size_t datatype_bytes = 512;

std::size_t indexed_bytes(const std::vector<Transfer>& transfers) {
  return std::accumulate(transfers.begin(), transfers.end(), std::size_t{0},
                         [](std::size_t sum, const Transfer& transfer) {
                           return sum + datatype_bytes + transfer.region.points.size() * sizeof(MPI_Aint);
                         });
}

std::size_t packed_bytes(const std::vector<Transfer>& transfers, const mpi::Element& element) {
  return std::accumulate(
      transfers.begin(), transfers.end(), std::size_t{0}, [&](std::size_t sum, const Transfer& transfer) {
        return sum + rounded_up(static_cast<std::size_t>(transfer.region.count() * element.size_bytes()));
      });
}

bool too_large_to_pack(const std::vector<Transfer>& transfers, const mpi::Element& element) {
  for (const Transfer& transfer : transfers) {
    if (!element.dense() && transfer.region.count() * element.size_bytes() > std::numeric_limits<int>::max() / 2) {
      return true;
    }
  }
  return false;
}

}  // namespace

const HaloProblem& halo(const Problem& problem) { return dynamic_cast<const HaloProblem&>(problem); }

DatatypeMessages::DatatypeMessages(const HaloProblem& problem) : problem_(problem) {
  for (const Transfer& transfer : problem.sends) {
    send_types_.push_back(mpi::region_type(transfer.region, problem.send_grid, *problem.send_element));
  }
  for (const Transfer& transfer : problem.receives) {
    receive_types_.push_back(mpi::region_type(transfer.region, problem.receive_grid, *problem.receive_element));
  }
}

Message DatatypeMessages::outgoing(std::size_t i, const Buffers& buffers) const {
  const Transfer& transfer = problem_.sends[i];
  return {const_cast<void*>(buffers.send), 1, send_types_[i].get(), transfer.peer, problem_.tag_base + transfer.tag};
}

Message DatatypeMessages::incoming(std::size_t i, const Buffers& buffers) const {
  const Transfer& transfer = problem_.receives[i];
  return {buffers.receive, 1, receive_types_[i].get(), transfer.peer, problem_.tag_base + transfer.tag};
}

std::size_t DatatypeMessages::bytes(const HaloProblem& problem) {
  return indexed_bytes(problem.sends) + indexed_bytes(problem.receives);
}

PackedMessages::PackedMessages(const HaloProblem& problem) : problem_(problem) {
  for (const Transfer& transfer : problem.sends) {
    sends_.push_back(side_of(transfer, problem.send_grid, *problem.send_element));
  }
  for (const Transfer& transfer : problem.receives) {
    receives_.push_back(side_of(transfer, problem.receive_grid, *problem.receive_element));
  }
  storage_.resize(storage_bytes_ + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  const std::size_t shift = rounded_up(address) - address;
  for (auto* sides : {&sends_, &receives_}) {
    for (Side& side : *sides) {
      side.offset += shift;
    }
  }
}

PackedMessages::Side PackedMessages::side_of(const Transfer& transfer, const Grid& grid, const mpi::Element& element) {
  Side side;
  side.peer = transfer.peer;
  side.tag = problem_.tag_base + transfer.tag;
  side.dense = element.dense();
  if (side.dense) {
    side.packer = Packer(transfer.region, grid, element.extent_bytes());
    side.count = static_cast<int>(transfer.region.count());
    side.message_type = element.type();
    side.bytes = side.packer.contiguous() ? 0 : static_cast<std::size_t>(side.packer.bytes());
  } else {
    side.type = mpi::region_type(transfer.region, grid, element);
    mpi::check(MPI_Pack_size(1, side.type.get(), MPI_COMM_WORLD, &side.count), "MPI_Pack_size");
    side.message_type = MPI_PACKED;
    side.bytes = static_cast<std::size_t>(side.count);
  }
  side.offset = storage_bytes_;
  storage_bytes_ += rounded_up(side.bytes);
  return side;
}

Message PackedMessages::message_of(const Side& side, const void* array) const {
  void* address = side.bytes != 0 ? static_cast<void*>(storage_.data() + side.offset)
                                  : const_cast<std::byte*>(static_cast<const std::byte*>(array)) +
                                        side.packer.offset_bytes();
  return {address, side.count, side.message_type, side.peer, side.tag};
}

Message PackedMessages::outgoing_place(std::size_t i, const Buffers& buffers) const {
  return message_of(sends_[i], buffers.send);
}

Message PackedMessages::outgoing(std::size_t i, const Buffers& buffers) const {
  const Side& side = sends_[i];
  Message message = message_of(side, buffers.send);
  if (!side.dense) {
    int position = 0;
    mpi::check(MPI_Pack(buffers.send, 1, side.type.get(), message.address, side.count, &position, MPI_COMM_WORLD),
               "MPI_Pack");
    message.count = position;
  } else if (side.bytes != 0) {
    side.packer.pack(buffers.send, message.address);
  }
  return message;
}

Message PackedMessages::incoming(std::size_t i, const Buffers& buffers) const {
  return message_of(receives_[i], buffers.receive);
}

void PackedMessages::arrived(std::size_t i, const Buffers& buffers) const {
  const Side& side = receives_[i];
  if (side.bytes == 0) {
    return;
  }
  const std::byte* buffer = storage_.data() + side.offset;
  if (side.dense) {
    side.packer.unpack(buffer, buffers.receive);
  } else {
    int position = 0;
    mpi::check(
        MPI_Unpack(buffer, side.count, &position, buffers.receive, 1, side.type.get(), MPI_COMM_WORLD), "MPI_Unpack");
  }
}

std::optional<std::string> PackedMessages::applicable(const HaloProblem& problem) {
  if (too_large_to_pack(problem.sends, *problem.send_element) ||
      too_large_to_pack(problem.receives, *problem.receive_element)) {
    return "a message of elements with holes is larger than MPI_Pack can count";
  }
  return std::nullopt;
}

std::size_t PackedMessages::bytes(const HaloProblem& problem) {
  return packed_bytes(problem.sends, *problem.send_element) +
         packed_bytes(problem.receives, *problem.receive_element) + 2 * alignment;
}

}  // namespace adcl::codelets
