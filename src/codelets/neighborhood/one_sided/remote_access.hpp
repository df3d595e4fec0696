/// \file remote_access.hpp
/// Common parts of the one-sided codelets: the neighbors' layouts, the window over the array, and the MPI_Put or
/// MPI_Get of every transfer. Each codelet implements its own synchronization.
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

/// The rank that moves the data: the sender writes into the receiver's array (put), or the receiver reads the sender's
/// array (get).
enum class Access { put, get };

/// The transfers of a problem as accesses to the neighbors' windows. Blocks may differ in size and storage order
/// between ranks: each rank obtains the positions of its neighbors' halos (put) or data (get).
class RemoteAccess {
 public:
  /// Collective. \p array is the kind under which the window is stored: a permanently locked window cannot be used with
  /// fences.
  RemoteAccess(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers, Access access,
               WindowKind array);

  [[nodiscard]] MPI_Win window() const noexcept { return window_->get(); }
  /// Transfers in which this rank accesses other windows: problem.sends (put) or problem.receives (get).
  [[nodiscard]] const std::vector<Transfer>& active() const noexcept { return *active_; }
  /// Transfers in which other ranks access this rank's window.
  [[nodiscard]] const std::vector<Transfer>& passive() const noexcept { return *passive_; }
  /// Starts transfer \p i of active(); it is complete after the codelet's synchronization.
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
    MPI_Aint first_point = 0;  ///< offset of the array's address in the window
  };
  static Span span_of(const Grid& grid, const mpi::Element& element, void* array);
  void make_operations(const HaloProblem& problem, MPI_Comm comm, const Span& span);
  /// Opens the window, and moves the beginning of the span to the beginning of the window in MPI.
  void open_window(mpi::Context& context, const mpi::ObjectKey& key, Span& span);

  Access access_;
  const std::vector<Transfer>* active_;
  const std::vector<Transfer>* passive_;
  void* origin_;
  std::vector<Operation> operations_;
  std::shared_ptr<mpi::Window> window_;
};

/// The Algorithm of a plan type that has the constructor arguments of RemoteAccess.
template <typename PlanType>
constexpr Algorithm one_sided_algorithm() {
  return {[](const Problem& problem) { return RemoteAccess::applicable(halo(problem)); },
          [](const Problem& problem) { return RemoteAccess::bytes(halo(problem)); },
          [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
            return std::make_unique<PlanType>(halo(problem), context, buffers);
          }};
}

}  // namespace adcl::codelets
