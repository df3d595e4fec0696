#include "codelets/neighborhood/messages.hpp"

#include <algorithm>
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

constexpr std::int64_t largest_count = std::numeric_limits<int>::max();

std::int64_t points_of(std::span<const Transfer> transfers) {
  return std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0},
                         [](std::int64_t sum, const Transfer& transfer) { return sum + transfer.region.count(); });
}

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

/// MPI_Pack may add something to the data: half of what an int can count is a safe bound.
bool too_large_to_pack(const std::vector<Transfer>& transfers, bool in_elements, const mpi::Element& element,
                       Joining joining) {
  const std::int64_t largest =
      in_elements ? largest_count : largest_count / 2 / std::max<std::int64_t>(1, element.size_bytes());
  const auto messages = messages_of(transfers, joining);
  return std::any_of(messages.begin(), messages.end(),
                     [&](std::span<const Transfer> message) { return points_of(message) > largest; });
}

/// The bytes of a message are those of the elements in the receiver's memory. Where they are not, the receiver takes
/// the message as packed: MPICH 4.0 on UCX calls long messages truncated that a contiguous type sends and a structure
/// receives.
bool arrives_as_stored(const HaloProblem& problem) {
  return problem.uniform_layout && problem.receive_element->dense() &&
         problem.send_element->layout_hash() == problem.receive_element->layout_hash();
}

std::optional<std::string> packable(const HaloProblem& problem, Joining joining) {
  if (too_large_to_pack(problem.sends, problem.send_element->dense(), *problem.send_element, joining) ||
      too_large_to_pack(problem.receives, arrives_as_stored(problem), *problem.receive_element, joining)) {
    return "a message is larger than MPI can count, in elements or, where MPI packs them, in bytes";
  }
  return std::nullopt;
}

/// Joining is a codelet of its own only where there is something to join. A rank without messages has no objection.
std::optional<std::string> joinable(const HaloProblem& problem) {
  const auto several = [](const std::vector<Transfer>& transfers) {
    return messages_of(transfers, Joining::per_rank).size() < transfers.size();
  };
  if ((problem.sends.empty() && problem.receives.empty()) || several(problem.sends) || several(problem.receives)) {
    return std::nullopt;
  }
  return "no two messages of this rank go to or come from the same rank: there is nothing to join";
}

mpi::Datatype type_of(std::span<const Transfer> transfers, const Grid& grid, const mpi::Element& element) {
  std::vector<mpi::Datatype> parts;
  parts.reserve(transfers.size());
  for (const Transfer& transfer : transfers) {
    parts.push_back(mpi::region_type(transfer.region, grid, element));
  }
  return mpi::joined_type(std::move(parts));
}

}  // namespace

const HaloProblem& halo(const Problem& problem) { return dynamic_cast<const HaloProblem&>(problem); }

bool sends_to_itself(const HaloProblem& problem) {
  return std::any_of(problem.sends.begin(), problem.sends.end(),
                     [&](const Transfer& transfer) { return transfer.peer == problem.neighborhood.rank; });
}

std::vector<std::span<const Transfer>> messages_of(const std::vector<Transfer>& transfers, Joining joining) {
  std::vector<std::span<const Transfer>> messages;
  for (std::size_t first = 0; first < transfers.size();) {
    std::size_t last = first + 1;
    while (joining == Joining::per_rank && last < transfers.size() && transfers[last].peer == transfers[first].peer) {
      ++last;
    }
    messages.emplace_back(transfers.data() + first, last - first);
    first = last;
  }
  return messages;
}

DatatypeMessages::DatatypeMessages(const HaloProblem& problem, Joining joining) {
  for (const auto& message : messages_of(problem.sends, joining)) {
    sends_.push_back(side_of(message, problem.send_grid, *problem.send_element, problem.tag_base));
  }
  for (const auto& message : messages_of(problem.receives, joining)) {
    receives_.push_back(side_of(message, problem.receive_grid, *problem.receive_element, problem.tag_base));
  }
  send_order_.resize(sends_.size());
  std::iota(send_order_.begin(), send_order_.end(), std::size_t{0});
}

DatatypeMessages::Side DatatypeMessages::side_of(std::span<const Transfer> transfers, const Grid& grid,
                                                 const mpi::Element& element, int tag_base) {
  Side side;
  side.peer = transfers.front().peer;
  side.tag = tag_base + transfers.front().tag;
  const Region& region = transfers.front().region;
  if (transfers.size() == 1 && element.extent_bytes() > 0 && region.count() <= largest_count) {
    // MPI libraries treat a subarray as non-contiguous even where it is not.
    const Packer layout(region, grid, element.extent_bytes());
    if (layout.contiguous()) {
      side.type = element.type();
      side.count = static_cast<int>(region.count());
      side.offset_bytes = layout.offset_bytes();
      return side;
    }
  }
  side.owned = type_of(transfers, grid, element);
  side.type = side.owned.get();
  return side;
}

std::size_t DatatypeMessages::bytes(const HaloProblem& problem) {
  return indexed_bytes(problem.sends) + indexed_bytes(problem.receives);
}

std::optional<std::string> JoinedDatatypeMessages::applicable(const HaloProblem& problem) { return joinable(problem); }

PackedMessages::PackedMessages(const HaloProblem& problem, Joining joining) {
  for (const auto& message : messages_of(problem.sends, joining)) {
    sends_.push_back(side_of(message, problem.send_grid, *problem.send_element, problem.send_element->dense()));
    sends_.back().tag += problem.tag_base;
  }
  const bool as_stored = arrives_as_stored(problem);
  for (const auto& message : messages_of(problem.receives, joining)) {
    receives_.push_back(side_of(message, problem.receive_grid, *problem.receive_element, as_stored));
    receives_.back().tag += problem.tag_base;
  }
  if (as_stored) {
    join_local_sides(problem.neighborhood.rank);
  }
  for (Side& side : sends_) {
    if (!side.in_place && !side.local) {
      reserve(side);
    }
  }
  for (Side& side : receives_) {
    if (!side.in_place) {
      reserve(side);
    }
  }
  storage_.resize(storage_bytes_ + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  const std::size_t shift = rounded_up(address) - address;
  for (auto* sides : {&sends_, &receives_}) {
    for (Side& side : *sides) {
      side.offset += shift;
    }
  }
  send_order_.resize(sends_.size());
  std::iota(send_order_.begin(), send_order_.end(), std::size_t{0});
  const auto lateness = [this](std::size_t i) { return sends_[i].local ? 2 : (sends_[i].in_place ? 0 : 1); };
  std::stable_sort(send_order_.begin(), send_order_.end(),
                   [&](std::size_t a, std::size_t b) { return lateness(a) < lateness(b); });
}

PackedMessages::Side PackedMessages::side_of(std::span<const Transfer> transfers, const Grid& grid,
                                             const mpi::Element& element, bool dense) {
  Side side;
  side.peer = transfers.front().peer;
  side.tag = transfers.front().tag;
  side.dense = dense;
  side.message_type = side.dense ? element.type() : MPI_PACKED;
  for (const Transfer& transfer : transfers) {
    // MPICH divides by zero when it unpacks nothing.
    if (transfer.region.count() * element.size_bytes() == 0) {
      continue;
    }
    Part part;
    if (side.dense) {
      part.packer = Packer(transfer.region, grid, element.extent_bytes());
      side.count += static_cast<int>(transfer.region.count());
    } else {
      part.type = mpi::region_type(transfer.region, grid, element);
      int bytes = 0;
      mpi::check(MPI_Pack_size(1, part.type.get(), MPI_COMM_WORLD, &bytes), "MPI_Pack_size");
      side.count += bytes;
    }
    side.parts.push_back(std::move(part));
  }
  side.in_place = side.dense && side.parts.size() == 1 && side.parts.front().packer.contiguous();
  return side;
}

void PackedMessages::join_local_sides(int rank) {
  for (Side& out : sends_) {
    for (std::size_t j = 0; j < receives_.size(); ++j) {
      if (out.peer == rank && receives_[j].peer == rank && out.tag == receives_[j].tag) {
        out.local = true;
        out.local_target = j;
        receives_[j].local = true;
      }
    }
  }
}

void PackedMessages::reserve(Side& side) {
  auto bytes = static_cast<std::size_t>(side.count);
  if (side.dense) {
    bytes = 0;
    for (const Part& part : side.parts) {
      bytes += static_cast<std::size_t>(part.packer.bytes());
    }
  }
  side.offset = storage_bytes_;
  storage_bytes_ += rounded_up(bytes);
}

Message PackedMessages::message_of(const Side& side, const void* array) const {
  void* address = side.in_place ? const_cast<std::byte*>(static_cast<const std::byte*>(array)) +
                                      side.parts.front().packer.offset_bytes()
                                : static_cast<void*>(storage_.data() + side.offset);
  return {address, side.count, side.message_type, side.peer, side.tag};
}

Message PackedMessages::outgoing_place(std::size_t i, const Buffers& buffers) const {
  return sends_[i].local ? Message{} : message_of(sends_[i], buffers.send);
}

void PackedMessages::prepare(std::size_t i, const Buffers& buffers) const {
  const Side& side = sends_[i];
  if (side.in_place && !side.local) {
    return;
  }
  const Message target =
      side.local ? message_of(receives_[side.local_target], buffers.receive) : message_of(side, buffers.send);
  if (side.dense) {
    auto* position = static_cast<std::byte*>(target.address);
    for (const Part& part : side.parts) {
      part.packer.pack(buffers.send, position);
      position += part.packer.bytes();
    }
    return;
  }
  int position = 0;
  for (const Part& part : side.parts) {
    mpi::check(MPI_Pack(buffers.send, 1, part.type.get(), target.address, side.count, &position, MPI_COMM_WORLD),
               "MPI_Pack");
  }
}

Message PackedMessages::incoming(std::size_t i, const Buffers& buffers) const {
  return receives_[i].local ? Message{} : message_of(receives_[i], buffers.receive);
}

void PackedMessages::arrived(std::size_t i, const Buffers& buffers) const {
  const Side& side = receives_[i];
  if (side.in_place) {
    return;
  }
  const std::byte* source = storage_.data() + side.offset;
  if (side.dense) {
    for (const Part& part : side.parts) {
      part.packer.unpack(source, buffers.receive);
      source += part.packer.bytes();
    }
    return;
  }
  int position = 0;
  for (const Part& part : side.parts) {
    mpi::check(MPI_Unpack(source, side.count, &position, buffers.receive, 1, part.type.get(), MPI_COMM_WORLD),
               "MPI_Unpack");
  }
}

std::optional<std::string> PackedMessages::applicable(const HaloProblem& problem) {
  return packable(problem, Joining::none);
}

std::size_t PackedMessages::bytes(const HaloProblem& problem) {
  return packed_bytes(problem.sends, *problem.send_element) + packed_bytes(problem.receives, *problem.receive_element) +
         2 * alignment;
}

std::optional<std::string> JoinedPackedMessages::applicable(const HaloProblem& problem) {
  const auto reason = joinable(problem);
  return reason ? reason : packable(problem, Joining::per_rank);
}

}  // namespace adcl::codelets
