/// \file remote_access.hpp
/// What the one-sided codelets share: the neighbors' layouts, the window over the array, and the MPI_Put or MPI_Get of
/// every transfer. How the accesses are synchronized is the codelets' own.
/// Source: paper section III; thesis Table 3.1, rows 12 to 19.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codelets/neighborhood/cache_keys.hpp"
#include "codelets/neighborhood/halo_problem.hpp"
#include "codelets/neighborhood/messages.hpp"
#include "core/codelet.hpp"
#include "mpi/context.hpp"
#include "mpi/datatype.hpp"

namespace adcl::codelets {

/// Who moves the data: the sender into the receiver's array, or the receiver out of the sender's.
enum class Access { put, get };

/// The transfers of a problem as accesses to the neighbors' windows. Blocks may differ in size and storage order from
/// rank to rank: each rank learns where its neighbors want their data (put) or have them (get).
class RemoteAccess {
 public:
  /// Collective. \p array is the kind under which the window is kept: a window that is locked for good cannot be the
  /// one that is fenced.
  RemoteAccess(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers, Access access,
               WindowKind array);

  [[nodiscard]] MPI_Win window() const noexcept { return window_->get(); }
  /// What this rank accesses: problem.sends (put) or problem.receives (get).
  [[nodiscard]] const std::vector<Transfer>& active() const noexcept { return *active_; }
  /// In which the others access this rank's window.
  [[nodiscard]] const std::vector<Transfer>& passive() const noexcept { return *passive_; }
  /// Starts transfer \p i of active(); it is complete when the codelet's synchronization says so.
  void issue(std::size_t i) const;

  static std::optional<std::string> applicable(const HaloProblem& problem);
  static std::size_t bytes(const HaloProblem& problem);

 private:
  struct Operation {
    int peer = MPI_PROC_NULL;
    MPI_Aint displacement = 0;
    mpi::Datatype origin;
    mpi::Datatype target;
  };
  struct Span {
    void* base = nullptr;
    MPI_Aint bytes = 0;
    MPI_Aint first_point = 0;  ///< where the array's address is in the window
  };
  static Span span_of(const Grid& grid, const mpi::Element& element, void* array);
  void make_operations(const HaloProblem& problem, MPI_Comm comm, const Span& span);
  /// Moves the span's beginning to where MPI has the window begin.
  void open_window(mpi::Context& context, const mpi::ObjectKey& key, Span& span);

  Access access_;
  const std::vector<Transfer>* active_;
  const std::vector<Transfer>* passive_;
  void* origin_;
  std::vector<Operation> operations_;
  std::shared_ptr<mpi::Window> window_;
};

/// The Algorithm of a plan type that is made of a RemoteAccess's arguments.
template <typename PlanType>
constexpr Algorithm one_sided_algorithm() {
  return {[](const Problem& problem) { return RemoteAccess::applicable(halo(problem)); },
          [](const Problem& problem) { return RemoteAccess::bytes(halo(problem)); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<PlanType>(halo(problem), context, buffers);
          }};
}

}  // namespace adcl::codelets
