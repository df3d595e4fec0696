/// \file shared_plan.hpp
/// Runs a schedule: messages use shared memory within a node, and MPI between nodes.
/// Source: Hoefler et al., "MPI + MPI", Computing 95 (2013); Graham and Shipman, "MPI support for multi-core
/// architectures: optimized shared memory collectives", EuroPVM/MPI 2008.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codelets/collectives/local_work.hpp"
#include "codelets/collectives/schedule.hpp"
#include "codelets/shared_memory/shared_segment.hpp"
#include "core/plan.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

/// Each message within the node has several slots, which successive starts use in turn: two, or more for short
/// messages, so that receivers do not delay a rank that only sends (SharedLink::slots_ahead). Data that a round sends
/// to several ranks are one message that all these ranks read. Data that are received only to be combined are combined
/// in the slot, without a copy.
class SharedSchedulePlan final : public Plan {
 public:
  SharedSchedulePlan(Script& script, mpi::Context& context);

  /// Does all the work, unless all messages belong to one round. Then it only sends this rank's messages and never
  /// waits; test() and wait() receive. An operation is complete only when the slots of the next one are free: all
  /// receivers have started this operation, and had completed the previous one before.
  void start(const Buffers& buffers) override;
  /// Also lets MPI make progress, because a peer may need progress before it starts this operation.
  bool test() override;
  /// Like test(), but makes no call of MPI.
  bool look() { return !in_flight_ || poll(); }
  void wait() override;
  void run(const Buffers& buffers) override;

  /// Whether all messages belong to one round and use shared memory. A rank then needs nothing from another rank but
  /// its start: start() never waits, and operations complete while other ranks make no call of the library.
  [[nodiscard]] bool sends_all_at_start() const noexcept { return only_stage_.has_value(); }

  /// Reason why the ranks cannot exchange all their messages through shared memory, or nothing.
  static std::optional<std::string> objection(const CollectiveProblem& problem);
  /// Completes a schedule for this class.
  static void finish(Script& script);
  /// Upper bound in bytes of the plan of a schedule.
  static std::size_t bytes(const Script& script);

 private:
  struct Incoming {
    Place place = Place::scratch;
    std::int64_t offset = 0;
    LocalCopy copy;  ///< out of the slot
    SharedLink link;
    bool copied = true;  ///< false: the data are used in the slot, which is released when the round ends
  };
  /// A message for one or several ranks of the node.
  struct Outgoing {
    Piece from;
    LocalCopy copy;  ///< into the slot
    std::vector<SharedLink> links;
  };
  /// A message to or from a rank of another node.
  struct Far {
    Place place = Place::scratch;
    std::int64_t offset = 0;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int peer = MPI_PROC_NULL;
  };
  struct Work {
    Step::Kind kind = Step::Kind::copy;
    Place from = Place::scratch;
    Place to = Place::scratch;
    std::int64_t from_offset = 0;
    std::int64_t to_offset = 0;
    int message = -1;  ///< index of the receive that is the left operand of a combination; -1: none
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    LocalCopy copy;
  };
  struct Stage {
    std::vector<Incoming> receives;
    std::vector<Outgoing> sends;
    std::vector<Far> far_receives;
    std::vector<Far> far_sends;
    std::vector<Work> work;
  };
  /// The receivers of each message's slots, in the order of the schedule; \p message and \p receiver are indices into
  /// `Stage::sends` and `Outgoing::links`.
  struct Ends {
    struct Out {
      std::size_t stage;
      std::size_t message;
      std::size_t receiver;
    };
    std::vector<Out> places;
    std::vector<SharedEnd> out;
    std::vector<SharedEnd> in;
    std::vector<std::size_t> in_bytes;
  };

  void add(const Round& round, const Nodes& nodes, Ends& ends);
  void use_in_place(const std::vector<Step>& received, const std::vector<Step>& work, Stage& stage);
  static std::size_t message_bytes(const Outgoing& out) { return static_cast<std::size_t>(out.from.bytes()); }
  [[nodiscard]] SharedEnds shared_ends(const Ends& ends) const;
  void connect(const Ends& ends);
  [[nodiscard]] std::byte* at(Place place, std::int64_t offset) const noexcept {
    return address(bases_[static_cast<std::size_t>(place)], offset);
  }
  template <typename Condition>
  void await(const Condition& condition);
  void post(const Stage& stage);
  void exchange(Stage& stage);
  void work(Stage& stage);
  void take(const Buffers& buffers);
  void find_only_stage();
  /// Makes progress with an operation in flight. Returns true when it is complete.
  bool poll();

  MPI_Comm comm_;
  int tag_;
  Backoff backoff_;
  MPI_Op op_;
  std::vector<Stage> stages_;
  std::vector<std::byte> scratch_;
  std::array<std::byte*, 3> bases_{};
  std::vector<MPI_Request> requests_;  ///< requests of the messages of a round between nodes
  int posted_ = 0;
  std::optional<SharedSegment> segment_;
  std::uint64_t operation_ = 0;
  std::optional<std::size_t> only_stage_;  ///< the stage with all messages; none if there are several
  std::size_t received_ = 0;               ///< messages of this stage that have been received
  bool worked_ = false;                    ///< the local work after them is done
  bool in_flight_ = false;
};

}  // namespace adcl::codelets
