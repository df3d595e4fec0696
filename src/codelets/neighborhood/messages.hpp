/// \file messages.hpp
/// What the codelets of the neighbourhood share: how the regions of a halo problem become MPI messages. Two ways with
/// the same interface, so that an algorithm is written once: derived datatypes (ddt) and packing (pack).
/// Source: seed 003 section III, attribute 2; seed 000 Table 3.1.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/codelet.hpp"
#include "core/halo_problem.hpp"
#include "core/pack.hpp"
#include "core/plan.hpp"
#include "mpi/context.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// The problem of a row of the neighbourhood table.
const HaloProblem& halo(const Problem& problem);

/// Arguments of a send or receive.
struct Message {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int peer = MPI_PROC_NULL;
  int tag = 0;
};

/// Messages straight from and to the user's array through derived datatypes.
class DatatypeMessages {
 public:
  static constexpr bool touches_data = false;
  explicit DatatypeMessages(const HaloProblem& problem);
  [[nodiscard]] std::size_t sends() const noexcept { return send_types_.size(); }
  [[nodiscard]] std::size_t receives() const noexcept { return receive_types_.size(); }
  /// Message of problem.sends[i], ready to be sent.
  [[nodiscard]] Message outgoing(std::size_t i, const Buffers& buffers) const;
  /// Where problem.receives[i] is to be received.
  [[nodiscard]] Message incoming(std::size_t i, const Buffers& buffers) const;
  /// Receive i is complete.
  void arrived(std::size_t /*i*/, const Buffers& /*buffers*/) const noexcept {}

  static std::optional<std::string> applicable(const HaloProblem& /*problem*/) { return std::nullopt; }
  static std::size_t bytes(const HaloProblem& problem);

 private:
  const HaloProblem& problem_;
  std::vector<mpi::Datatype> send_types_;
  std::vector<mpi::Datatype> receive_types_;
};

/// Messages through pack buffers. Regions that are contiguous in memory are sent and received in place. Elements with
/// holes go through MPI_Pack, so that the receiver's holes stay as they are.
class PackedMessages {
 public:
  static constexpr bool touches_data = true;
  explicit PackedMessages(const HaloProblem& problem);
  [[nodiscard]] std::size_t sends() const noexcept { return sends_.size(); }
  [[nodiscard]] std::size_t receives() const noexcept { return receives_.size(); }
  /// As outgoing() without packing: the address and size that it will have, for persistent operations.
  [[nodiscard]] Message outgoing_place(std::size_t i, const Buffers& buffers) const;
  /// Packs problem.sends[i] and returns its message.
  [[nodiscard]] Message outgoing(std::size_t i, const Buffers& buffers) const;
  [[nodiscard]] Message incoming(std::size_t i, const Buffers& buffers) const;
  /// Unpacks receive i.
  void arrived(std::size_t i, const Buffers& buffers) const;

  /// MPI_Pack counts in int: elements with holes and 2 GiB or more in one message are refused.
  static std::optional<std::string> applicable(const HaloProblem& problem);
  static std::size_t bytes(const HaloProblem& problem);

 private:
  struct Side {
    Packer packer;        ///< dense elements
    mpi::Datatype type;   ///< others: the region
    bool dense = true;
    int count = 0;        ///< of message_type
    MPI_Datatype message_type = MPI_BYTE;
    std::size_t offset = 0;  ///< into storage_
    std::size_t bytes = 0;   ///< in storage_; 0 when sent in place
    int peer = MPI_PROC_NULL;
    int tag = 0;
  };
  Side side_of(const Transfer& transfer, const Grid& grid, const mpi::Element& element);
  [[nodiscard]] Message message_of(const Side& side, const void* array) const;

  const HaloProblem& problem_;
  std::vector<Side> sends_;
  std::vector<Side> receives_;
  std::size_t storage_bytes_ = 0;
  mutable std::vector<std::byte> storage_;
};

/// The Algorithm of a plan type that is made of a halo problem and a communicator and needs nothing but what its
/// messages need.
template <template <typename> class PlanType, typename Messages>
constexpr Algorithm message_algorithm() {
  return {[](const Problem& problem) { return Messages::applicable(halo(problem)); },
          [](const Problem& problem) { return Messages::bytes(halo(problem)); },
          [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
            return std::make_unique<PlanType<Messages>>(halo(problem), context.comm());
          }};
}

}  // namespace adcl::codelets
