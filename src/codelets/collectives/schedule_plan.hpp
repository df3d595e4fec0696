/// \file schedule_plan.hpp
/// Executes a schedule with MPI messages.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "codelets/collectives/local_work.hpp"
#include "codelets/collectives/schedule.hpp"
#include "core/plan.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

class SchedulePlan final : public Plan {
 public:
  SchedulePlan(Script& script, mpi::Context& context);

  /// Completes a schedule for this class.
  static void finish(Script& script) { script.finish(); }
  /// Bytes of the plan of a schedule.
  static std::size_t bytes(const Script& script) { return script.bytes(); }

  void start(const Buffers& buffers) override;
  bool test() override;
  void wait() override;
  void run(const Buffers& buffers) override;

 private:
  /// Arguments of a send or receive.
  struct Message {
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
    int count = 0;                          ///< entries to combine
    MPI_Datatype type = MPI_DATATYPE_NULL;  ///< datatype to combine
    LocalCopy copy;
  };
  struct Stage {
    std::vector<Message> receives;
    std::vector<Message> sends;
    std::vector<Work> work;
  };

  void add(const Round& round);
  [[nodiscard]] std::byte* at(Place place, std::int64_t offset) const noexcept {
    return address(bases_[static_cast<std::size_t>(place)], offset);
  }
  void take(const Buffers& buffers);
  void post(const Stage& stage);
  void work(Stage& stage);
  void exchange(const Stage& stage);
  /// Continues with the next stage that has messages, or to the end.
  void advance();

  MPI_Comm comm_;
  int tag_;
  MPI_Op op_;
  std::vector<Stage> stages_;
  std::vector<std::byte> scratch_;
  std::array<std::byte*, 3> bases_{};
  std::vector<MPI_Request> requests_;
  int posted_ = 0;
  std::size_t stage_ = 0;  ///< stage in flight; equal to the number of stages if there is none
};

}  // namespace adcl::codelets
