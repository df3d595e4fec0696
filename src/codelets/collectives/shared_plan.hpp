/// \file shared_plan.hpp
/// Carries out a schedule with messages through memory that the ranks of a node share.
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

/// Each message of the schedule has two slots of its own, which take turns from start to start. What is received only
/// to be combined is combined where it lies.
class SharedSchedulePlan final : public Plan {
 public:
  SharedSchedulePlan(Script& script, mpi::Context& context);

  void start(const Buffers& buffers) override;
  bool test() override { return true; }
  void wait() override {}

  /// Why the ranks cannot exchange their messages through memory, or nothing.
  static std::optional<std::string> objection(const CollectiveProblem& problem);

 private:
  /// A message, and where it is on this rank's side.
  struct Message {
    Place place = Place::scratch;
    std::int64_t offset = 0;
    LocalCopy copy;  ///< into the slot, or out of it
    SharedLink link;
    bool copied = true;  ///< false: it is used where it lies, and released when the round ends
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
    std::vector<Message> receives;
    std::vector<Message> sends;
    std::vector<Work> work;
  };

  void add(const Round& round);
  void connect(Script& script, mpi::Context& context);
  [[nodiscard]] std::byte* at(Place place, std::int64_t offset) const noexcept {
    return bases_[static_cast<std::size_t>(place)] + offset;
  }
  template <typename Condition>
  void await(const Condition& condition);
  void exchange(Stage& stage);
  void work(Stage& stage);

  Backoff backoff_;
  MPI_Op op_;
  std::vector<Stage> stages_;
  std::vector<std::byte> scratch_;
  std::array<std::byte*, 3> bases_{};
  std::optional<SharedSegment> segment_;
  std::uint64_t operation_ = 0;
};

}  // namespace adcl::codelets
