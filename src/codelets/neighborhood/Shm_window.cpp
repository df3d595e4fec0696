// Ranks of a node pack into memory that their neighbours unpack from, without MPI; ranks of other nodes get messages.
// Source: Hoefler et al., "MPI + MPI: a new hybrid approach to parallel programming with MPI plus shared memory",
// Computing 95 (2013); the sequence numbers are those of Lamport's single-producer queue.
#include <algorithm>
#include <optional>
#include <set>

#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/isend_irecv_aao.hpp"
#include "codelets/neighborhood/packed_region.hpp"
#include "codelets/neighborhood/shared_segment.hpp"
#include "codelets/neighborhood/subproblem.hpp"
#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

class ShmWindowPlan final : public Plan {
 public:
  ShmWindowPlan(const HaloProblem& problem, mpi::Context& context) : comm_(context.comm()) {
    const std::vector<bool> near = same_node(problem, context);
    const auto is_near = [&](const Transfer& transfer) { return near[static_cast<std::size_t>(transfer.peer)]; };
    std::vector<std::size_t> offsets;
    std::size_t segment_bytes = 0;
    mpi::do_together(comm_, [&] {
      take_transfers(remote_problem_, problem, [&](const Transfer& transfer) { return !is_near(transfer); });
      if (!remote_problem_.sends.empty() || !remote_problem_.receives.empty()) {
        remote_.emplace(remote_problem_, comm_);
      }
      for (const Transfer& transfer : problem.sends) {
        if (is_near(transfer)) {
          offsets.push_back(segment_bytes);
          sends_.push_back({transfer, {transfer.region, problem.send_grid, *problem.send_element}, {}});
          segment_bytes += SharedLink::memory_bytes(sends_.back().region.bytes());
        }
      }
      for (const Transfer& transfer : problem.receives) {
        if (is_near(transfer)) {
          receives_.push_back({transfer, {transfer.region, problem.receive_grid, *problem.receive_element}, {}});
        }
      }
      waiting_.reserve(receives_.size());
    });
    segment_.emplace(problem, context, segment_bytes);
    connect(problem.tag_base, context.rank(), offsets);
  }

  void start(const Buffers& buffers) override {
    buffers_ = buffers;
    ++operation_;
    if (remote_) {
      remote_->start(buffers);
      remote_active_ = true;
    }
    for (const Side& side : sends_) {
      side.region.pack(buffers.send, side.link.outgoing(operation_));
      side.link.publish(operation_);
    }
    waiting_.clear();
    for (const Side& side : receives_) {
      waiting_.push_back(&side);
    }
    active_ = true;
  }

  /// Also lets MPI make progress: a peer may need that before it comes to this operation.
  bool test() override {
    const bool done = look();
    if (!done) {
      drive_mpi(comm_);
    }
    return done;
  }

  void wait() override {
    Backoff backoff(comm_);
    while (!look()) {
      backoff.pause();
    }
  }

 private:
  struct Side {
    Transfer transfer;
    PackedRegion region;
    SharedLink link;
  };

  /// Takes what has arrived in memory; true when the operation is complete.
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

  /// Tells each receiver where the link is in this rank's part of the segment. The message comes after the memory was
  /// set to zero, and so nobody sees it as it was before.
  void connect(int tag_base, int rank, const std::vector<std::size_t>& offsets) {
    std::set<int> talkative;
    for (const Side& side : receives_) {
      talkative.insert(side.transfer.peer);
    }
    std::set<int> addressed;
    for (const Side& side : sends_) {
      addressed.insert(side.transfer.peer);
    }
    std::vector<MPI_Request> requests(sends_.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      Side& side = sends_[i];
      side.link = SharedLink(segment_->part_of(rank) + offsets[i], side.region.bytes(),
                             talkative.count(side.transfer.peer) == 0);
      mpi::check(MPI_Isend(&offsets[i], sizeof(std::size_t), MPI_BYTE, side.transfer.peer, tag_base + side.transfer.tag,
                           comm_, &requests[i]),
                 "MPI_Isend");
    }
    for (Side& side : receives_) {
      std::size_t offset = 0;
      mpi::check(MPI_Recv(&offset, sizeof(std::size_t), MPI_BYTE, side.transfer.peer, tag_base + side.transfer.tag,
                          comm_, MPI_STATUS_IGNORE),
                 "MPI_Recv");
      side.link = SharedLink(segment_->part_of(side.transfer.peer) + offset, side.region.bytes(),
                             addressed.count(side.transfer.peer) == 0);
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

  bool take(const Side& side) const {
    if (!side.link.arrived(operation_)) {
      return false;
    }
    side.region.unpack(side.link.incoming(operation_), buffers_.receive);
    side.link.release(operation_);
    return true;
  }

  /// The next operation never waits: that its slots are free is part of this one's completion.
  [[nodiscard]] bool slots_are_free() const {
    return std::all_of(sends_.begin(), sends_.end(),
                       [this](const Side& side) { return side.link.free(operation_ + 1); });
  }

  MPI_Comm comm_;
  HaloProblem remote_problem_;
  std::optional<IsendIrecvAao<PackedMessages>> remote_;
  std::vector<Side> sends_;
  std::vector<Side> receives_;
  std::optional<SharedSegment> segment_;
  std::vector<const Side*> waiting_;  ///< receives of the operation in flight
  Buffers buffers_;
  std::uint64_t operation_ = 0;
  bool active_ = false;
  bool remote_active_ = false;
};

std::optional<std::string> applicable(const Problem& problem) {
  const HaloProblem& exchange = halo(problem);
  const auto& nodes = exchange.node_of_rank;
  if (!nodes.empty() && std::set<int>(nodes.begin(), nodes.end()).size() == nodes.size() && nodes.size() > 1) {
    return "every process is on a node of its own";
  }
  if (auto reason = PackedRegion::applicable(exchange)) {
    return reason;
  }
  return PackedMessages::applicable(exchange);
}

std::size_t bytes(const Problem& problem) {
  const HaloProblem& exchange = halo(problem);
  std::size_t total = PackedMessages::bytes(exchange);
  for (const Transfer& transfer : exchange.sends) {
    total += SharedLink::memory_bytes(
        static_cast<std::size_t>(transfer.region.count() * exchange.send_element->size_bytes()));
  }
  return total;
}

}  // namespace

const Algorithm Shm_window = {
    applicable, bytes, [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
      return std::make_unique<ShmWindowPlan>(halo(problem), context);
    }};

}  // namespace adcl::codelets
