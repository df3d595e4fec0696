// One-sided accesses between post, start, complete and wait: only neighbors wait for each other.
// Source: thesis Table 3.1, rows 14, 15, 18 and 19.
#include <utility>
#include <vector>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/one_sided/remote_access.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"
#include "mpi/group.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// All accesses in one epoch with the groups of all neighbors, or (Pairwise) one epoch per step of the pairwise
/// schedule with groups of one rank. Both ends reach a step in the same order, so circular waits are impossible.
template <Access access, bool pairwise>
class PostStartPlan final : public BlockingPlan {
 public:
  PostStartPlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : remote_(problem, context, buffers, access, window_kind()), comm_(context.comm()), tag_(problem.tag_base) {
    mpi::run_collectively(comm_, [&] {
      if constexpr (pairwise) {
        for (const PairStep& step : problem.pair_schedule()) {
          const bool put = access == Access::put;
          add_epoch(put ? step.sends : step.receives, put ? step.receives : step.sends);
          epochs_.back().peer = step.self ? MPI_PROC_NULL : step.peer;
        }
      } else {
        add_epoch(all_of(remote_.active()), all_of(remote_.passive()));
      }
    });
  }

  void start(const Buffers& /*buffers*/) override {
    constexpr int post_assertion = access == Access::get ? MPI_MODE_NOPUT : 0;
    for (const Epoch& epoch : epochs_) {
      if constexpr (pairwise) {
        meet(epoch);
      }
      if (!epoch.exposed_to.empty()) {
        mpi::check(MPI_Win_post(epoch.exposed_to.get(), post_assertion, remote_.window()), "MPI_Win_post");
      }
      if (!epoch.accessed.empty()) {
        mpi::check(MPI_Win_start(epoch.accessed.get(), 0, remote_.window()), "MPI_Win_start");
        for (const int i : epoch.accesses) {
          remote_.issue(static_cast<std::size_t>(i));
        }
        mpi::check(MPI_Win_complete(remote_.window()), "MPI_Win_complete");
      }
      if (!epoch.exposed_to.empty()) {
        mpi::check(MPI_Win_wait(remote_.window()), "MPI_Win_wait");
      }
    }
  }

 private:
  struct Epoch {
    int peer = MPI_PROC_NULL;   ///< peer of a step with another rank
    std::vector<int> accesses;  ///< indices into remote_.active()
    mpi::Group accessed;
    mpi::Group exposed_to;
  };

  static constexpr WindowKind window_kind() {
    if (pairwise) {
      return access == Access::put ? WindowKind::receive_array_in_steps : WindowKind::send_array_in_steps;
    }
    return access == Access::put ? WindowKind::receive_array : WindowKind::send_array;
  }

  /// Signals to the peer that this rank has reached the step in which it accesses the peer's window.
  void meet(const Epoch& epoch) const {
    const int target = epoch.accessed.empty() ? MPI_PROC_NULL : epoch.peer;
    const int source = epoch.exposed_to.empty() ? MPI_PROC_NULL : epoch.peer;
    mpi::check(
        MPI_Sendrecv(nullptr, 0, MPI_BYTE, target, tag_, nullptr, 0, MPI_BYTE, source, tag_, comm_, MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
  }

  static std::vector<int> all_of(const std::vector<Transfer>& transfers) {
    std::vector<int> indices;
    indices.reserve(transfers.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      indices.push_back(static_cast<int>(i));
    }
    return indices;
  }

  static std::vector<int> peers_of(const std::vector<Transfer>& transfers, const std::vector<int>& indices) {
    std::vector<int> peers;
    peers.reserve(indices.size());
    for (const int i : indices) {
      peers.push_back(transfers[static_cast<std::size_t>(i)].peer);
    }
    return peers;
  }

  void add_epoch(const std::vector<int>& active, const std::vector<int>& passive) {
    Epoch epoch;
    epoch.accessed = mpi::Group(comm_, peers_of(remote_.active(), active));
    epoch.exposed_to = mpi::Group(comm_, peers_of(remote_.passive(), passive));
    epoch.accesses = active;
    epochs_.push_back(std::move(epoch));
  }

  RemoteAccess remote_;
  MPI_Comm comm_;
  int tag_;
  std::vector<Epoch> epochs_;
};

}  // namespace

Rows post_start() {
  return {
      {.name = "PostStartPut_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::post_start_put, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(14),
       .algorithm = one_sided_algorithm<PostStartPlan<Access::put, false>>(),
       .expectation = growth::flat},
      {.name = "PostStartGet_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::post_start_get, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(15),
       .algorithm = one_sided_algorithm<PostStartPlan<Access::get, false>>(),
       .expectation = growth::flat},
      {.name = "PostStartPut_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::post_start_put, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(18),
       .algorithm = one_sided_algorithm<PostStartPlan<Access::put, true>>(),
       .expectation = growth::chained},
      {.name = "PostStartGet_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::post_start_get, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(19),
       .algorithm = one_sided_algorithm<PostStartPlan<Access::get, true>>(),
       .expectation = growth::chained},
  };
}

}  // namespace adcl::codelets
