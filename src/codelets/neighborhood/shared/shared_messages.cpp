// Ranks of a node pack into shared memory from which their neighbors unpack, without MPI; ranks of other nodes exchange
// messages.
// Source: Hoefler et al., "MPI + MPI: a new hybrid approach to parallel programming with MPI plus shared memory",
// Computing 95 (2013); the sequence numbers are from Lamport's single-producer queue.
#include <algorithm>
#include <optional>
#include <set>
#include <type_traits>

#include "codelets/neighborhood/local_copies.hpp"
#include "codelets/neighborhood/packed_region.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "codelets/neighborhood/shared/near_problem.hpp"
#include "codelets/neighborhood/subproblem.hpp"
#include "codelets/neighborhood/two_sided/isend_irecv_aao.hpp"
#include "codelets/shared_memory/shared_segment.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// \tparam joining  which transfers are combined into one link, or into one message to another node
template <Joining joining>
class SharedMessages final : public Plan {
 public:
  SharedMessages(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : comm_(context.comm()), backoff_(context.comm()) {
    segment_.emplace(comm_, problem.tag_base, [&] { return take(problem, buffers); });
    connect();
  }

  void start(const Buffers& buffers) override {
    buffers_ = buffers;
    ++operation_;
    if (remote_) {
      remote_->start(buffers);
      remote_active_ = true;
    }
    for (const Side& side : sends_) {
      side.pack(buffers, side.link.outgoing(operation_));
      side.link.publish(operation_);
    }
    copies_.run(buffers);
    waiting_.clear();
    for (const Side& side : receives_) {
      waiting_.push_back(&side);
    }
    active_ = true;
  }

  /// Also lets MPI make progress, because a peer may need progress before it starts this operation.
  bool test() override {
    const bool done = look();
    if (!done) {
      drive_mpi(comm_);
    }
    return done;
  }

  void wait() override {
    backoff_.begin();
    while (!look()) {
      backoff_.pause();
    }
    backoff_.end();
  }

 private:
  using Messages = std::conditional_t<joining == Joining::none, PackedMessages, JoinedPackedMessages>;

  /// A message through shared memory: regions that are packed one after the other.
  struct Side {
    Side(const HaloProblem& problem, std::span<const Transfer> message, Way way) : peer(message.front().peer) {
      for (const Transfer& transfer : message) {
        regions.emplace_back(problem, transfer, way);
      }
    }
    [[nodiscard]] std::size_t bytes() const {
      std::size_t total = 0;
      for (const PackedRegion& region : regions) {
        total += region.bytes();
      }
      return total;
    }
    void pack(const Buffers& buffers, std::byte* position) const {
      for (const PackedRegion& region : regions) {
        region.pack(buffers, position);
        position += region.bytes();
      }
    }
    void unpack(const std::byte* position, const Buffers& buffers) const {
      for (const PackedRegion& region : regions) {
        region.unpack(position, buffers);
        position += region.bytes();
      }
    }

    int peer;
    std::vector<PackedRegion> regions;
    SharedLink link;
  };

  /// Divides the transfers into copies, messages through shared memory and messages to other nodes. Local.
  SharedEnds take(const HaloProblem& problem, const Buffers& buffers) {
    take_transfers(remote_problem_, problem, [&](const Transfer& transfer) { return !problem.is_near(transfer.peer); });
    if (!remote_problem_.sends.empty() || !remote_problem_.receives.empty()) {
      remote_.emplace(remote_problem_, comm_, buffers);
    }
    SharedEnds links;
    std::vector<Transfer> own_out;
    std::vector<Transfer> own_in;
    for (const auto& message : messages_of(problem.sends, joining)) {
      if (is_copied(problem, message)) {
        own_out.insert(own_out.end(), message.begin(), message.end());
      } else if (problem.is_near(message.front().peer)) {
        links.sends.push_back({message.front().peer, message.front().tag});
        links.offsets.push_back(links.bytes);
        sends_.emplace_back(problem, message, Way::out);
        links.bytes += SharedLink::memory_bytes(sends_.back().bytes());
      }
    }
    for (const auto& message : messages_of(problem.receives, joining)) {
      if (is_copied(problem, message)) {
        own_in.insert(own_in.end(), message.begin(), message.end());
      } else if (problem.is_near(message.front().peer)) {
        links.receives.push_back({message.front().peer, message.front().tag});
        receives_.emplace_back(problem, message, Way::in);
      }
    }
    copies_.add(problem, own_out, own_in);
    waiting_.reserve(receives_.size());
    return links;
  }

  /// True if the message is from this rank to itself and of dense elements, which are the same at both ends
  /// (PackedRegion::applicable).
  static bool is_copied(const HaloProblem& problem, std::span<const Transfer> message) {
    return message.front().peer == problem.neighborhood.rank &&
           std::all_of(message.begin(), message.end(),
                       [&](const Transfer& transfer) { return problem.array(transfer, Way::out).element->dense(); });
  }

  /// Unpacks messages that have arrived in shared memory; returns true when the operation is complete.
  bool look() {
    if (!active_) {
      return true;
    }
    std::erase_if(waiting_, [this](const Side* side) { return take(*side); });
    if (remote_active_ && remote_->test()) {
      remote_active_ = false;
    }
    active_ = !waiting_.empty() || remote_active_ || !slots_are_free();
    return !active_;
  }

  /// The last step of the construction: the constructor's caller agrees on its errors.
  void connect() {
    std::set<int> talkative;
    for (const Side& side : receives_) {
      talkative.insert(side.peer);
    }
    std::set<int> addressed;
    for (const Side& side : sends_) {
      addressed.insert(side.peer);
    }
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      Side& side = sends_[i];
      side.link = SharedLink(segment_->outgoing(i), side.bytes(), talkative.count(side.peer) == 0);
    }
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      Side& side = receives_[i];
      side.link = SharedLink(segment_->incoming(i), side.bytes(), addressed.count(side.peer) == 0);
    }
  }

  bool take(const Side& side) const {
    if (!side.link.arrived(operation_)) {
      return false;
    }
    side.unpack(side.link.incoming(operation_), buffers_);
    side.link.release(operation_);
    return true;
  }

  /// An operation is complete only when the slots of the next operation are free, so the next operation never waits.
  [[nodiscard]] bool slots_are_free() {
    return std::all_of(sends_.begin(), sends_.end(), [this](Side& side) { return side.link.free(operation_ + 1); });
  }

  MPI_Comm comm_;
  Backoff backoff_;
  HaloProblem remote_problem_;
  std::optional<IsendIrecvAao<Messages>> remote_;
  LocalCopies copies_;
  std::vector<Side> sends_;
  std::vector<Side> receives_;
  std::optional<SharedSegment> segment_;
  std::vector<const Side*> waiting_;  ///< pending receives of the operation in flight
  Buffers buffers_;
  std::uint64_t operation_ = 0;
  bool active_ = false;
  bool remote_active_ = false;
};

/// Bytes of PackedMessages and of one link per transfer; combined messages need less.
std::size_t shared_memory_bytes(const HaloProblem& problem) {
  // Count all shared memory of this process, because shared memory is scarcer than other memory.
  std::size_t total = PackedMessages::bytes(problem) + mpi::NodeMemory::held_bytes();
  for (const Transfer& transfer : problem.sends) {
    total += SharedLink::memory_bytes(static_cast<std::size_t>(bytes_of(problem, transfer, Way::out)));
  }
  return total;
}

template <Joining joining>
constexpr Algorithm shared_messages_algorithm() {
  using Messages = std::conditional_t<joining == Joining::none, PackedMessages, JoinedPackedMessages>;
  return {[](const Problem& problem) {
            const auto reason = without_shared_memory(halo(problem));
            return reason ? reason : Messages::applicable(halo(problem));
          },
          [](const Problem& problem) { return shared_memory_bytes(halo(problem)); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<SharedMessages<joining>>(halo(problem), context, buffers);
          }};
}

}  // namespace

Rows shared_messages() {
  return {
      {.name = "Shm_window",
       .attributes = attributes(Partners::aao, NonContiguous::pack, Primitive::shared_memory, Completion::none),
       .capabilities = {.nonblocking = true, .collective_plan = true, .touches_data = true},
       .requirements = "processes that share memory; datatypes of the same memory layout",
       .source = source::hoefler,
       .algorithm = shared_messages_algorithm<Joining::none>(),
       .expectation = growth::flat},
      {.name = "Shm_joined",
       .attributes = attributes(Partners::joined, NonContiguous::pack, Primitive::shared_memory, Completion::none),
       .capabilities = {.nonblocking = true, .collective_plan = true, .touches_data = true},
       .requirements = "processes that share memory; datatypes of the same memory layout; several messages between the "
                       "same two ranks",
       .source = source::hoefler,
       .algorithm = shared_messages_algorithm<Joining::per_rank>(),
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
