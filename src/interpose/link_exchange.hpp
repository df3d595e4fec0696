/// \file link_exchange.hpp
/// Exchanges blocks of data over links between ranks. The links are fixed; the sizes of the blocks may change from
/// operation to operation on any rank.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codelets/shared_memory/shared_segment.hpp"
#include "interpose/packing.hpp"
#include "mpi/context.hpp"

namespace adcl::interpose {

/// The ranks that this rank sends blocks to and receives blocks from; MPI_PROC_NULL: the block is not communicated.
struct Links {
  std::vector<int> destinations;  ///< of each block to send
  std::vector<int> sources;       ///< of each block to receive
  std::vector<int> numbers;       ///< number of each block to receive among the blocks that its source sends
};

/// How messages are sent: up to a limit through slots in the shared memory of a node, and otherwise by MPI.
struct Transport {
  const char* name;
  std::size_t classes;  ///< number of classes of slots that are used
};

/// A message uses the shared memory or MPI depending on its bytes, which both ends know. So a rank whose blocks change
/// informs no other rank.
class LinkExchange {
 public:
  /// Collective over \p context; throws the same error on all ranks.
  LinkExchange(mpi::Context& context, const Links& links);
  LinkExchange(const LinkExchange&) = delete;
  LinkExchange& operator=(const LinkExchange&) = delete;
  ~LinkExchange() = default;

  static std::span<const Transport> transports();
  /// Uses \p transport from now on. All ranks call it between the same two operations.
  void use(const Transport& transport) noexcept { classes_ = std::min(transport.classes, available_); }
  /// Exchanges one block for each link. Blocks of 0 bytes are not communicated. Throws Error.
  void run(std::span<const Block> sent, std::span<const Block> received);

  /// Copies a block of this rank to another place. Throws Error.
  void copy(const Block& from, const Block& to);

 private:
  static constexpr std::array<std::size_t, 3> class_bytes{240, 4096, 65536};
  /// The slots of one class of sizes. Both ends count the messages of the class.
  struct Slots {
    codelets::SharedLink link;
    std::uint64_t messages = 0;
  };
  struct Link {
    std::size_t block = 0;
    int peer = MPI_PROC_NULL;
    bool near = false;
    std::array<Slots, class_bytes.size()> slots{};
  };
  struct Own {
    std::size_t sent = 0;
    std::size_t received = 0;
  };

  void add_links(const Links& links, const Nodes& nodes, int size);
  [[nodiscard]] std::size_t affordable_classes() const;
  [[nodiscard]] codelets::SharedEnds ends() const;
  void connect();
  /// The slots for a message of \p bytes bytes, or null if the message is sent by MPI.
  [[nodiscard]] Slots* slots_for(Link& link, std::int64_t bytes) const noexcept;
  void send(Link& link, const Block& block);
  void receive(Link& link, const Block& block);
  template <typename Condition>
  void await(const Condition& condition);
  MPI_Request& next_request();

  MPI_Comm comm_;
  int tag_;
  int rank_;
  Packing packing_;
  codelets::Backoff backoff_;
  std::vector<Link> out_;
  std::vector<Link> in_;
  std::vector<Own> own_;  ///< blocks that this rank sends to itself
  std::vector<MPI_Request> requests_;
  std::size_t posted_ = 0;
  std::optional<codelets::SharedSegment> segment_;
  std::vector<std::byte> scratch_;
  std::size_t available_ = 0;  ///< number of classes for which all ranks have memory
  std::size_t classes_ = 0;    ///< number of classes in use
};

}  // namespace adcl::interpose
