/// \file messages.hpp
/// Conversion of the regions of a halo problem to MPI messages, for the codelets of the neighborhood. Two classes have
/// the same interface, so that an algorithm is written once: derived datatypes (ddt) and packing (pack). Both create
/// one message per transfer, or one message for all transfers between two ranks.
/// Source: paper section III, attribute 2; thesis Table 3.1.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/neighborhood/local_copies.hpp"
#include "core/codelet.hpp"
#include "core/pack.hpp"
#include "core/plan.hpp"
#include "mpi/context.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// Converts the problem of a codelet of the neighborhood.
const HaloProblem& halo(const Problem& problem);

/// True when this rank has a message to itself.
bool sends_to_itself(const HaloProblem& problem);

/// The ranks that this rank sends to or receives from, ascending and distinct.
std::vector<int> neighbors_of(const HaloProblem& problem);

/// Bytes of data of a transfer.
std::int64_t bytes_of(const HaloProblem& problem, const Transfer& transfer, Way way);

/// Address of the array that a field is sent from, or received into.
inline void* address_of(const Buffers& buffers, int field, Way way) {
  const FieldBuffers& place = buffers[static_cast<std::size_t>(field)];
  return way == Way::out ? const_cast<void*>(place.send) : place.receive;
}

/// Arguments of a send or receive.
struct Message {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  int peer = MPI_PROC_NULL;
  int tag = 0;
};

/// The transfers that share a message. Message i is transfer i with `none`.
enum class Joining { none, per_rank };

/// The transfers of each message. Both ends combine the same transfers in the same order, because both sort them by
/// peer and tag.
std::vector<std::span<const Transfer>> messages_of(const std::vector<Transfer>& transfers, Joining joining);

/// One committed datatype for all \p transfers, relative to the array of their field; for several fields relative to
/// MPI_BOTTOM, and bound to the addresses in \p absolute.
mpi::Datatype type_of(const HaloProblem& problem, std::span<const Transfer> transfers, Way way,
                      const Buffers* absolute);

/// Messages directly from and to the user's arrays through derived datatypes. A message with several fields is bound to
/// the addresses in \p buffers, because its datatype spans several arrays.
class DatatypeMessages {
 public:
  static constexpr bool touches_data = false;
  DatatypeMessages(const HaloProblem& problem, const Buffers& buffers, Joining joining = Joining::none);
  [[nodiscard]] std::size_t sends() const noexcept { return sends_.size(); }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_.size(); }
  /// Indices of the sends in the order in which they become ready.
  [[nodiscard]] const std::vector<std::size_t>& send_order() const noexcept { return send_order_; }
  /// Prepares the data of send i at outgoing_place().
  void prepare(std::size_t /*i*/, const Buffers& /*buffers*/) const noexcept {}
  /// Address, size and peer of send i: the arguments of persistent operations.
  [[nodiscard]] Message outgoing_place(std::size_t i, const Buffers& buffers) const {
    return message_of(sends_[i], buffers, Way::out);
  }
  /// Calls prepare() and returns outgoing_place().
  [[nodiscard]] Message outgoing(std::size_t i, const Buffers& buffers) const { return outgoing_place(i, buffers); }
  /// Address, size and peer of receive i.
  [[nodiscard]] Message incoming(std::size_t i, const Buffers& buffers) const {
    return message_of(receives_[i], buffers, Way::in);
  }
  /// Call this function when receive i is complete.
  void arrived(std::size_t /*i*/, const Buffers& /*buffers*/) const noexcept {}

  static std::optional<std::string> applicable(const HaloProblem& /*problem*/) { return std::nullopt; }
  static std::size_t bytes(const HaloProblem& problem);

 private:
  struct Side {
    mpi::Datatype owned;  ///< null when the region is a run of whole points
    MPI_Datatype type = MPI_BYTE;
    int count = 1;
    int field = 0;  ///< or several_fields: the type contains the addresses
    std::int64_t offset_bytes = 0;
    int peer = MPI_PROC_NULL;
    int tag = 0;
  };
  static constexpr int several_fields = -1;
  static Side side_of(const HaloProblem& problem, const Buffers& buffers, std::span<const Transfer> transfers, Way way);
  static Message message_of(const Side& side, const Buffers& buffers, Way way) {
    void* const address = side.field == several_fields
                              ? MPI_BOTTOM
                              : static_cast<std::byte*>(address_of(buffers, side.field, way)) + side.offset_bytes;
    return {address, side.count, side.type, side.peer, side.tag};
  }

  std::vector<Side> sends_;
  std::vector<Side> receives_;
  std::vector<std::size_t> send_order_;
};

/// Messages through pack buffers. A message that is contiguous in memory is sent and received in place. Elements with
/// holes are packed by MPI_Pack, so that the receiver's holes are not modified. A rank's message to itself is copied
/// from array to array in prepare(), without MPI, if both ends have dense elements of the same layout; its MPI peer is
/// then MPI_PROC_NULL.
class PackedMessages {
 public:
  static constexpr bool touches_data = true;
  PackedMessages(const HaloProblem& problem, const Buffers& buffers, Joining joining = Joining::none);
  [[nodiscard]] std::size_t sends() const noexcept { return sends_.size(); }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_.size(); }
  /// Indices of the sends: first sends in place, then packed sends, last sends to this rank.
  [[nodiscard]] const std::vector<std::size_t>& send_order() const noexcept { return send_order_; }
  /// True when the message of send i needs no buffer.
  [[nodiscard]] bool sent_in_place(std::size_t i) const noexcept { return sends_[i].in_place; }
  /// Packs send i, or copies it.
  void prepare(std::size_t i, const Buffers& buffers) const;
  [[nodiscard]] Message outgoing_place(std::size_t i, const Buffers& buffers) const;
  [[nodiscard]] Message outgoing(std::size_t i, const Buffers& buffers) const {
    prepare(i, buffers);
    return outgoing_place(i, buffers);
  }
  [[nodiscard]] Message incoming(std::size_t i, const Buffers& buffers) const;
  /// Unpacks receive i.
  void arrived(std::size_t i, const Buffers& buffers) const;

  /// A message must be countable in int, in elements or, when they have holes, in bytes.
  static std::optional<std::string> applicable(const HaloProblem& problem);
  static std::size_t bytes(const HaloProblem& problem);

 private:
  struct Part {
    int field = 0;
    Packer packer;       ///< packs a dense side
    mpi::Datatype type;  ///< the region of a side that is not dense
  };
  struct Side {
    std::vector<Part> parts;
    bool dense = true;  ///< packed by this library, otherwise by MPI
    bool in_place = false;
    bool local = false;  ///< a message of this rank to itself, which is copied
    LocalCopies copies;  ///< the copies of a local send
    int count = 0;       ///< number of entries of message_type
    MPI_Datatype message_type = MPI_BYTE;
    std::size_t offset = 0;  ///< into storage_, unless in place
    int peer = MPI_PROC_NULL;
    int tag = 0;
  };
  static Side side_of(const HaloProblem& problem, std::span<const Transfer> transfers, Way way);
  /// Excludes this rank's messages to itself from MPI communication.
  void copy_local_sides(const HaloProblem& problem, Joining joining);
  /// Reserves space in the storage for the side.
  void reserve(Side& side);
  [[nodiscard]] Message message_of(const Side& side, const Buffers& buffers, Way way) const;

  std::vector<Side> sends_;
  std::vector<Side> receives_;
  std::vector<std::size_t> send_order_;
  std::size_t storage_bytes_ = 0;
  mutable std::vector<std::byte> storage_;
};

/// Variants of the two classes with one message for all transfers between two ranks.
struct JoinedDatatypeMessages : DatatypeMessages {
  JoinedDatatypeMessages(const HaloProblem& problem, const Buffers& buffers)
      : DatatypeMessages(problem, buffers, Joining::per_rank) {}
  static std::optional<std::string> applicable(const HaloProblem& problem);
};
struct JoinedPackedMessages : PackedMessages {
  JoinedPackedMessages(const HaloProblem& problem, const Buffers& buffers)
      : PackedMessages(problem, buffers, Joining::per_rank) {}
  static std::optional<std::string> applicable(const HaloProblem& problem);
};

/// Reason why a plan type is not applicable to the problem, or nothing: the reason of its messages, or of its static
/// objection(problem) if it has one.
template <typename PlanType, typename Messages>
std::optional<std::string> message_objection(const HaloProblem& problem) {
  if constexpr (requires { PlanType::objection(problem); }) {
    if (auto reason = PlanType::objection(problem)) {
      return reason;
    }
  }
  return Messages::applicable(problem);
}

/// The Algorithm of a plan type that is constructed from a halo problem, a communicator and buffers.
template <template <typename> class PlanType, typename Messages>
constexpr Algorithm message_algorithm() {
  return {[](const Problem& problem) { return message_objection<PlanType<Messages>, Messages>(halo(problem)); },
          [](const Problem& problem) { return Messages::bytes(halo(problem)); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<PlanType<Messages>>(halo(problem), context.comm(), buffers);
          }};
}

}  // namespace adcl::codelets
