// One-sided accesses between fences: each process of the communicator waits for all others.
// Source: thesis Table 3.1, rows 12, 13, 16 and 17.
#include <vector>

#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/one_sided/remote_access.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// All accesses in one epoch, or (Pairwise) one epoch per step of the pairwise schedule. A fence is collective, so all
/// ranks have the maximum number of epochs. The steps of an epoch may differ between ranks, because the windows of all
/// targets are open in every epoch.
template <Access access, bool pairwise>
class FencePlan final : public BlockingPlan {
 public:
  FencePlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : remote_(problem, context, buffers, access,
                access == Access::put ? WindowKind::receive_array : WindowKind::send_array) {
    mpi::run_collectively(context.comm(), [&] { take_epochs(problem); });
    const int most_epochs = mpi::maximum(context.comm(), static_cast<int>(epochs_.size()));
    mpi::run_collectively(context.comm(), [&] { epochs_.resize(static_cast<std::size_t>(most_epochs)); });
    // Assertions that are valid in every program. Not MPI_MODE_NOSTORE: another request in flight may receive into the
    // same array. Not MPI_MODE_NOPUT for codelets that put: a put of a post-start codelet may come before the next
    // fence.
    const int puts = access == Access::get ? MPI_MODE_NOPUT : 0;
    first_ = puts | MPI_MODE_NOPRECEDE;
    between_ = puts;
    last_ = puts | MPI_MODE_NOSUCCEED;
  }

  void start(const Buffers& /*buffers*/) override {
    int assertion = first_;
    for (const std::vector<int>& epoch : epochs_) {
      mpi::check(MPI_Win_fence(assertion, remote_.window()), "MPI_Win_fence");
      for (const int i : epoch) {
        remote_.issue(static_cast<std::size_t>(i));
      }
      assertion = between_;
    }
    if (!epochs_.empty()) {
      mpi::check(MPI_Win_fence(last_, remote_.window()), "MPI_Win_fence");
    }
  }

 private:
  void take_epochs(const HaloProblem& problem) {
    if constexpr (pairwise) {
      for (const PairStep& step : problem.pair_schedule()) {
        const std::vector<int>& accesses = access == Access::put ? step.sends : step.receives;
        if (!accesses.empty()) {
          epochs_.push_back(accesses);
        }
      }
    } else if (!remote_.active().empty()) {
      epochs_.emplace_back();
      for (std::size_t i = 0; i < remote_.active().size(); ++i) {
        epochs_.back().push_back(static_cast<int>(i));
      }
    }
  }

  RemoteAccess remote_;
  std::vector<std::vector<int>> epochs_;  ///< indices into remote_.active()
  int first_ = 0;
  int between_ = 0;
  int last_ = 0;
};

}  // namespace

Rows fence() {
  return {
      {.name = "WinfencePut_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::fence_put, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(12),
       .algorithm = one_sided_algorithm<FencePlan<Access::put, false>>(),
       .expectation = growth::fences},
      {.name = "WinfenceGet_aao",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::fence_get, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(13),
       .algorithm = one_sided_algorithm<FencePlan<Access::get, false>>(),
       .expectation = growth::fences},
      {.name = "WinfencePut_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::fence_put, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(16),
       .algorithm = one_sided_algorithm<FencePlan<Access::put, true>>(),
       .expectation = growth::fences},
      {.name = "WinfenceGet_pair",
       .attributes = attributes(Partners::pair, NonContiguous::ddt, Primitive::fence_get, Completion::none),
       .capabilities = {.fixed_buffers = true, .collective_plan = true},
       .requirements = needs::same_layout,
       .source = source::thesis(17),
       .algorithm = one_sided_algorithm<FencePlan<Access::get, true>>(),
       .expectation = growth::fences},
  };
}

}  // namespace adcl::codelets
