#include "codelets/neighborhood/messages.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/packing.hpp"

namespace adcl::codelets {
namespace {

/// Distance between the buffers of two messages: no two of them share a cache line.
constexpr std::size_t alignment = 64;

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Estimated size of a derived datatype with a few nested levels; the actual size depends on the MPI library.
constexpr std::size_t datatype_bytes = 512;

constexpr std::int64_t largest_count = std::numeric_limits<int>::max();

std::size_t indexed_bytes(const std::vector<Transfer>& transfers) {
  return std::accumulate(transfers.begin(), transfers.end(), std::size_t{0},
                         [](std::size_t sum, const Transfer& transfer) {
                           return sum + datatype_bytes + transfer.region.points.size() * sizeof(MPI_Aint);
                         });
}

std::size_t packed_bytes(const HaloProblem& problem, Way way) {
  const auto& transfers = problem.transfers(way);
  return std::accumulate(transfers.begin(), transfers.end(), std::size_t{0},
                         [&](std::size_t sum, const Transfer& transfer) {
                           return sum + rounded_up(static_cast<std::size_t>(bytes_of(problem, transfer, way)));
                         });
}

/// True if the message has the same bytes as the elements in the receiver's memory. If not, it is received packed:
/// MPICH 4.0 on UCX reports truncation of long messages that are sent with a contiguous type and received with a
/// structure.
bool arrives_as_stored(const HaloProblem& problem, const Transfer& transfer) {
  const HaloField& field = problem.fields[static_cast<std::size_t>(transfer.field)];
  return problem.uniform_layout && field.receive.element->dense() &&
         field.send.element->layout_hash() == field.receive.element->layout_hash();
}

/// True if all parts of the message have the same datatype. MPI then counts the message in this datatype, other
/// messages in bytes.
bool one_type(const HaloProblem& problem, std::span<const Transfer> message, Way way) {
  return std::all_of(message.begin(), message.end(), [&](const Transfer& transfer) {
    return problem.array(transfer, way).element->layout_hash() ==
           problem.array(message.front(), way).element->layout_hash();
  });
}

/// True if this library packs one side of a message instead of MPI. A message of one type is sent with that type: MPI
/// sends the parts in the datatype's order, and a receiver with another layout can unpack them. A message of several
/// types is sent as stored bytes, which only a receiver with the same layout can read.
bool packed_here(const HaloProblem& problem, std::span<const Transfer> message, Way way) {
  const bool as_stored = way == Way::in || !one_type(problem, message, way);
  return std::all_of(message.begin(), message.end(), [&](const Transfer& transfer) {
    return problem.array(transfer, way).element->dense() && (!as_stored || arrives_as_stored(problem, transfer));
  });
}

/// MPI_Pack may add bytes to the data, so the limit is half of INT_MAX.
bool too_large_to_pack(const HaloProblem& problem, std::span<const Transfer> message, Way way) {
  std::int64_t points = 0;
  std::int64_t bytes = 0;
  for (const Transfer& transfer : message) {
    points += transfer.region.count();
    bytes += bytes_of(problem, transfer, way);
  }
  if (packed_here(problem, message, way)) {
    return (one_type(problem, message, way) ? points : bytes) > largest_count;
  }
  return bytes > largest_count / 2;
}

std::optional<std::string> packable(const HaloProblem& problem, Joining joining) {
  for (const Way way : {Way::out, Way::in}) {
    const auto messages = messages_of(problem.transfers(way), joining);
    if (std::any_of(messages.begin(), messages.end(),
                    [&](std::span<const Transfer> message) { return too_large_to_pack(problem, message, way); })) {
      return "a message has more elements than MPI can count, or more bytes if MPI packs the elements";
    }
  }
  return std::nullopt;
}

/// Combined messages are a separate codelet only if there is something to combine. A rank without messages does not
/// exclude the codelet.
std::optional<std::string> joinable(const HaloProblem& problem) {
  const auto several = [](const std::vector<Transfer>& transfers) {
    return messages_of(transfers, Joining::per_rank).size() < transfers.size();
  };
  if ((problem.sends.empty() && problem.receives.empty()) || several(problem.sends) || several(problem.receives)) {
    return std::nullopt;
  }
  return "this rank exchanges at most one message with each rank, so there are no messages to join";
}

bool in_one_field(std::span<const Transfer> transfers) {
  return std::all_of(transfers.begin(), transfers.end(),
                     [&](const Transfer& transfer) { return transfer.field == transfers.front().field; });
}

}  // namespace

const HaloProblem& halo(const Problem& problem) { return dynamic_cast<const HaloProblem&>(problem); }

bool sends_to_itself(const HaloProblem& problem) {
  return std::any_of(problem.sends.begin(), problem.sends.end(),
                     [&](const Transfer& transfer) { return transfer.peer == problem.neighborhood.rank; });
}

std::vector<int> neighbors_of(const HaloProblem& problem) {
  std::vector<int> neighbors;
  for (const auto* transfers : {&problem.sends, &problem.receives}) {
    for (const Transfer& transfer : *transfers) {
      neighbors.push_back(transfer.peer);
    }
  }
  std::sort(neighbors.begin(), neighbors.end());
  neighbors.erase(std::unique(neighbors.begin(), neighbors.end()), neighbors.end());
  return neighbors;
}

std::int64_t bytes_of(const HaloProblem& problem, const Transfer& transfer, Way way) {
  return transfer.region.count() * problem.array(transfer, way).element->size_bytes();
}

mpi::Datatype type_of(const HaloProblem& problem, std::span<const Transfer> transfers, Way way,
                      const Buffers* absolute) {
  std::vector<mpi::Datatype> parts;
  std::vector<MPI_Aint> displacements;
  for (const Transfer& transfer : transfers) {
    const HaloArray& array = problem.array(transfer, way);
    parts.push_back(mpi::region_type(transfer.region, array.grid, *array.element));
    displacements.push_back(0);
    if (absolute != nullptr) {
      mpi::check(MPI_Get_address(address_of(*absolute, transfer.field, way), &displacements.back()), "MPI_Get_address");
    }
  }
  return mpi::joined_type(std::move(parts), displacements);
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

DatatypeMessages::DatatypeMessages(const HaloProblem& problem, const Buffers& buffers, Joining joining) {
  for (const auto& message : messages_of(problem.sends, joining)) {
    sends_.push_back(side_of(problem, buffers, message, Way::out));
  }
  for (const auto& message : messages_of(problem.receives, joining)) {
    receives_.push_back(side_of(problem, buffers, message, Way::in));
  }
  send_order_.resize(sends_.size());
  std::iota(send_order_.begin(), send_order_.end(), std::size_t{0});
}

DatatypeMessages::Side DatatypeMessages::side_of(const HaloProblem& problem, const Buffers& buffers,
                                                 std::span<const Transfer> transfers, Way way) {
  const Transfer& first = transfers.front();
  Side side;
  side.peer = first.peer;
  side.tag = problem.tag_base + first.tag;
  side.field = in_one_field(transfers) ? first.field : several_fields;
  const mpi::Element& element = *problem.array(first, way).element;
  if (transfers.size() == 1 && element.extent_bytes() > 0 && first.region.count() <= largest_count) {
    // MPI libraries treat every subarray as non-contiguous.
    const Packer layout(first.region, problem.array(first, way).grid, element.extent_bytes());
    if (layout.contiguous()) {
      side.type = element.type();
      side.count = static_cast<int>(first.region.count());
      side.offset_bytes = layout.offset_bytes();
      return side;
    }
  }
  side.owned = type_of(problem, transfers, way, side.field == several_fields ? &buffers : nullptr);
  side.type = side.owned.get();
  return side;
}

std::size_t DatatypeMessages::bytes(const HaloProblem& problem) {
  return indexed_bytes(problem.sends) + indexed_bytes(problem.receives);
}

std::optional<std::string> JoinedDatatypeMessages::applicable(const HaloProblem& problem) { return joinable(problem); }

PackedMessages::PackedMessages(const HaloProblem& problem, const Buffers& /*buffers*/, Joining joining) {
  for (const auto& message : messages_of(problem.sends, joining)) {
    sends_.push_back(side_of(problem, message, Way::out));
  }
  for (const auto& message : messages_of(problem.receives, joining)) {
    receives_.push_back(side_of(problem, message, Way::in));
  }
  copy_local_sides(problem, joining);
  for (auto* sides : {&sends_, &receives_}) {
    for (Side& side : *sides) {
      if (!side.in_place && !side.local) {
        reserve(side);
      }
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

PackedMessages::Side PackedMessages::side_of(const HaloProblem& problem, std::span<const Transfer> transfers, Way way) {
  Side side;
  side.peer = transfers.front().peer;
  side.tag = problem.tag_base + transfers.front().tag;
  side.dense = packed_here(problem, transfers, way);
  const bool in_elements = one_type(problem, transfers, way);
  if (!side.dense) {
    side.message_type = MPI_PACKED;
  } else if (in_elements) {
    side.message_type = problem.array(transfers.front(), way).element->type();
  }
  for (const Transfer& transfer : transfers) {
    const auto& [grid, widths, element, why_private] = problem.array(transfer, way);
    // MPICH divides by zero when it unpacks an empty message.
    if (bytes_of(problem, transfer, way) == 0) {
      continue;
    }
    Part part;
    part.field = transfer.field;
    if (side.dense) {
      part.packer = Packer(transfer.region, grid, element->extent_bytes());
      side.count += static_cast<int>(in_elements ? transfer.region.count() : part.packer.bytes());
    } else {
      part.type = mpi::region_type(transfer.region, grid, *element);
      int bytes = 0;
      mpi::check(MPI_Pack_size(1, part.type.get(), mpi::environment().self(), &bytes), "MPI_Pack_size");
      side.count += bytes;
    }
    side.parts.push_back(std::move(part));
  }
  side.in_place = side.dense && side.parts.size() == 1 && side.parts.front().packer.contiguous();
  return side;
}

void PackedMessages::copy_local_sides(const HaloProblem& problem, Joining joining) {
  const auto out = messages_of(problem.sends, joining);
  const auto in = messages_of(problem.receives, joining);
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    for (std::size_t j = 0; j < receives_.size(); ++j) {
      const int rank = problem.neighborhood.rank;
      // The send side is dense if the receive side is.
      if (sends_[i].peer == rank && receives_[j].peer == rank && sends_[i].tag == receives_[j].tag &&
          receives_[j].dense) {
        sends_[i].local = true;
        sends_[i].copies.add(problem, out[i], in[j]);
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

Message PackedMessages::message_of(const Side& side, const Buffers& buffers, Way way) const {
  void* address = storage_.data() + side.offset;
  if (side.in_place) {
    const Part& part = side.parts.front();
    address = static_cast<std::byte*>(address_of(buffers, part.field, way)) + part.packer.offset_bytes();
  }
  return {address, side.count, side.message_type, side.peer, side.tag};
}

Message PackedMessages::outgoing_place(std::size_t i, const Buffers& buffers) const {
  return sends_[i].local ? Message{} : message_of(sends_[i], buffers, Way::out);
}

void PackedMessages::prepare(std::size_t i, const Buffers& buffers) const {
  const Side& side = sends_[i];
  if (side.local) {
    return side.copies.run(buffers);
  }
  if (side.in_place) {
    return;
  }
  const Message target = message_of(side, buffers, Way::out);
  if (side.dense) {
    auto* position = static_cast<std::byte*>(target.address);
    for (const Part& part : side.parts) {
      part.packer.pack(address_of(buffers, part.field, Way::out), position);
      position += part.packer.bytes();
    }
    return;
  }
  int position = 0;
  for (const Part& part : side.parts) {
    mpi::pack(address_of(buffers, part.field, Way::out), part.type, target.address, side.count, position);
  }
}

Message PackedMessages::incoming(std::size_t i, const Buffers& buffers) const {
  return receives_[i].local ? Message{} : message_of(receives_[i], buffers, Way::in);
}

void PackedMessages::arrived(std::size_t i, const Buffers& buffers) const {
  const Side& side = receives_[i];
  if (side.in_place || side.local) {
    return;
  }
  const std::byte* source = storage_.data() + side.offset;
  if (side.dense) {
    for (const Part& part : side.parts) {
      part.packer.unpack(source, address_of(buffers, part.field, Way::in));
      source += part.packer.bytes();
    }
    return;
  }
  int position = 0;
  for (const Part& part : side.parts) {
    mpi::unpack(source, side.count, position, address_of(buffers, part.field, Way::in), part.type);
  }
}

std::optional<std::string> PackedMessages::applicable(const HaloProblem& problem) {
  return packable(problem, Joining::none);
}

std::size_t PackedMessages::bytes(const HaloProblem& problem) {
  return packed_bytes(problem, Way::out) + packed_bytes(problem, Way::in) + 2 * alignment;
}

std::optional<std::string> JoinedPackedMessages::applicable(const HaloProblem& problem) {
  const auto reason = joinable(problem);
  return reason ? reason : packable(problem, Joining::per_rank);
}

}  // namespace adcl::codelets
