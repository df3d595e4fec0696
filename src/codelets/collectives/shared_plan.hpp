/// \file shared_plan.hpp
/// Carries out a schedule with messages through memory that the ranks of a node share, and by MPI between nodes.
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

/// Each message within the node has slots, which take turns from start to start: two, or more of short ones, so that a
/// rank that only sends is not held up by those that receive (SharedLink::slots_ahead). What a round sends to several
/// ranks is one message that all of them read. What is received only to be combined is combined where it lies.
class SharedSchedulePlan final : public Plan {
 public:
  SharedSchedulePlan(Script& script, mpi::Context& context);

  void start(const Buffers& buffers) override;
  bool test() override { return true; }
  void wait() override {}

  /// Why the ranks cannot exchange all their messages through memory, or nothing.
  static std::optional<std::string> objection(const CollectiveProblem& problem);
  /// Completes a schedule that this class carries out.
  static void finish(Script& script);
  /// Memory of the plan of a schedule, at most.
  static std::size_t bytes(const Script& script);

 private:
  struct Incoming {
    Place place = Place::scratch;
    std::int64_t offset = 0;
    LocalCopy copy;  ///< out of the slot
    SharedLink link;
    bool copied = true;  ///< false: it is used where it lies, and released when the round ends
  };
  /// A message for one rank of the node or several.
  struct Outgoing {
    Piece from;
    LocalCopy copy;  ///< into the slot
    std::vector<SharedLink> links;
  };
  /// A message to a rank of another node, or from there.
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
    int message = -1;  ///< of the round's receives, which the left operand of a combination is; -1: none
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
  /// Who is told of which slots, in the order of the schedule; \p message and \p receiver are places in `Stage::sends`
  /// and `Outgoing::links`.
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

  MPI_Comm comm_;
  int tag_;
  Backoff backoff_;
  MPI_Op op_;
  std::vector<Stage> stages_;
  std::vector<std::byte> scratch_;
  std::array<std::byte*, 3> bases_{};
  std::vector<MPI_Request> requests_;  ///< of the far messages of a round
  int posted_ = 0;
  std::optional<SharedSegment> segment_;
  std::uint64_t operation_ = 0;
};

}  // namespace adcl::codelets
