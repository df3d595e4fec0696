/// \file messages.hpp
/// What the codelets of the neighborhood share: how the regions of a halo problem become MPI messages. Two ways with
/// the same interface, so that an algorithm is written once: derived datatypes (ddt) and packing (pack). Either makes
/// one message of each transfer, or joins all transfers between two ranks.
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

/// The problem of a row of the neighborhood table.
const HaloProblem& halo(const Problem& problem);

/// True when a rank has a message to itself.
bool sends_to_itself(const HaloProblem& problem);

/// The ranks that this one sends to or receives from, ascending, each once.
std::vector<int> neighbors_of(const HaloProblem& problem);

/// Bytes of data of a transfer.
std::int64_t bytes_of(const HaloProblem& problem, const Transfer& transfer, Way way);

/// Where the array of a field is that is sent from, or received into.
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

/// Which transfers share a message. Message i is transfer i with `none`.
enum class Joining { none, per_rank };

/// The transfers of each message. Both ends join the same ones in the same order, because transfers are sorted by peer
/// and tag on both.
std::vector<std::span<const Transfer>> messages_of(const std::vector<Transfer>& transfers, Joining joining);

/// One committed datatype for all \p transfers: relative to the array of their field, or where there are several to
/// MPI_BOTTOM, with the addresses that \p absolute has.
mpi::Datatype type_of(const HaloProblem& problem, std::span<const Transfer> transfers, Way way,
                      const Buffers* absolute);

/// Messages straight from and to the user's arrays through derived datatypes. A message that joins several fields is
/// bound to the addresses in \p buffers: one datatype reaches from one array into others.
class DatatypeMessages {
 public:
  static constexpr bool touches_data = false;
  DatatypeMessages(const HaloProblem& problem, const Buffers& buffers, Joining joining = Joining::none);
  [[nodiscard]] std::size_t sends() const noexcept { return sends_.size(); }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_.size(); }
  /// Indices of the sends, those first that are ready soonest.
  [[nodiscard]] const std::vector<std::size_t>& send_order() const noexcept { return send_order_; }
  /// Makes send i ready where outgoing_place() says.
  void prepare(std::size_t /*i*/, const Buffers& /*buffers*/) const noexcept {}
  /// Address, size and peer of send i: the arguments of persistent operations.
  [[nodiscard]] Message outgoing_place(std::size_t i, const Buffers& buffers) const {
    return message_of(sends_[i], buffers, Way::out);
  }
  /// Both: the message of send i, ready to be sent.
  [[nodiscard]] Message outgoing(std::size_t i, const Buffers& buffers) const { return outgoing_place(i, buffers); }
  /// Where receive i is to be received.
  [[nodiscard]] Message incoming(std::size_t i, const Buffers& buffers) const {
    return message_of(receives_[i], buffers, Way::in);
  }
  /// Receive i is complete.
  void arrived(std::size_t /*i*/, const Buffers& /*buffers*/) const noexcept {}

  static std::optional<std::string> applicable(const HaloProblem& /*problem*/) { return std::nullopt; }
  static std::size_t bytes(const HaloProblem& problem);

 private:
  struct Side {
    mpi::Datatype owned;  ///< null when the region is a run of whole points
    MPI_Datatype type = MPI_BYTE;
    int count = 1;
    int field = 0;  ///< or several_fields: the type has the addresses
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
/// holes go through MPI_Pack, so that the receiver's holes stay as they are. What a rank sends to itself is copied from
/// array to array when it is prepared, without MPI, where both ends have dense elements of the same layout: such
/// messages go to and come from MPI_PROC_NULL.
class PackedMessages {
 public:
  static constexpr bool touches_data = true;
  PackedMessages(const HaloProblem& problem, const Buffers& buffers, Joining joining = Joining::none);
  [[nodiscard]] std::size_t sends() const noexcept { return sends_.size(); }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_.size(); }
  /// Indices of the sends: those in place first, then packed ones, those to this rank last.
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
    Packer packer;       ///< of a dense side
    mpi::Datatype type;  ///< others: the region
  };
  struct Side {
    std::vector<Part> parts;
    bool dense = true;  ///< packed by the library, otherwise by MPI
    bool in_place = false;
    bool local = false;  ///< to or from this rank, and copied
    LocalCopies copies;  ///< of a local send
    int count = 0;       ///< of message_type
    MPI_Datatype message_type = MPI_BYTE;
    std::size_t offset = 0;  ///< into storage_, when not in place
    int peer = MPI_PROC_NULL;
    int tag = 0;
  };
  static Side side_of(const HaloProblem& problem, std::span<const Transfer> transfers, Way way);
  /// Takes the messages of this rank to itself out of those that MPI carries.
  void copy_local_sides(const HaloProblem& problem, Joining joining);
  /// Gives the side its place in the storage.
  void reserve(Side& side);
  [[nodiscard]] Message message_of(const Side& side, const Buffers& buffers, Way way) const;

  std::vector<Side> sends_;
  std::vector<Side> receives_;
  std::vector<std::size_t> send_order_;
  std::size_t storage_bytes_ = 0;
  mutable std::vector<std::byte> storage_;
};

/// The same, with one message between two ranks.
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

/// Why a plan type cannot do the problem, or nothing: what its messages need, and its own static objection(problem)
/// where it has one.
template <typename PlanType, typename Messages>
std::optional<std::string> message_objection(const HaloProblem& problem) {
  if constexpr (requires { PlanType::objection(problem); }) {
    if (auto reason = PlanType::objection(problem)) {
      return reason;
    }
  }
  return Messages::applicable(problem);
}

/// The Algorithm of a plan type that is made of a halo problem, a communicator and buffers.
template <template <typename> class PlanType, typename Messages>
constexpr Algorithm message_algorithm() {
  return {[](const Problem& problem) { return message_objection<PlanType<Messages>, Messages>(halo(problem)); },
          [](const Problem& problem) { return Messages::bytes(halo(problem)); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<PlanType<Messages>>(halo(problem), context.comm(), buffers);
          }};
}

}  // namespace adcl::codelets
