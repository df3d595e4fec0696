/// \file one_round.hpp
/// Collectives that need no progress after their start, for the persistent operations of other libraries.
#pragma once

#include <memory>
#include <string>

#include "codelets/collectives/collective_problem.hpp"
#include "codelets/collectives/shared_plan.hpp"
#include "core/codelet.hpp"
#include "mpi/context.hpp"

namespace adcl::codelets {

/// A plan with SharedSchedulePlan::sends_all_at_start() on all ranks.
struct OneRound {
  std::string name;
  std::unique_ptr<SharedSchedulePlan> plan;
};

/// Largest number of ranks: each rank sends a message to each other rank.
inline constexpr int most_one_round_ranks = 32;

/// Creates the plan for a settled problem of \p set. Collective over the context's communicator. Throws the same error
/// on all ranks: Error(unsupported) if the ranks are on several nodes, are more than most_one_round_ranks, or if the
/// operation has no such plan.
OneRound make_one_round(const FunctionSet& set, const CollectiveProblem& problem, mpi::Context& context);

}  // namespace adcl::codelets
