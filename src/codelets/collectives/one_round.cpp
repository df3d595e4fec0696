#include "codelets/collectives/one_round.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "codelets/collectives/rows.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

/// Every rank sends its whole input to every other rank, and combines all inputs in the order of the ranks. Therefore
/// all ranks have the same result, bit for bit.
void combine_all(Script& script) {
  const Piece input = script.input();
  const Piece result{Place::receive, input.type, 0, input.count};
  std::vector<Piece> arrived(static_cast<std::size_t>(script.size()), input);
  for (int step = 1; step < script.size(); ++step) {
    const int from = script.around(-step);
    Piece& place = arrived[static_cast<std::size_t>(from)];
    place = from == 0 ? result : script.scratch_like(input);
    script.send(script.around(step), input);
    script.receive(from, place);
  }
  script.copy(arrived.front(), result);
  for (std::size_t rank = 1; rank < arrived.size(); ++rank) {
    script.combine(arrived[rank], result);
  }
}

/// The algorithm of "Shm_Linear", whose messages belong to one round. For an allreduce, it would have two rounds.
std::pair<std::string, Algorithm> algorithm_of(const FunctionSet& set, Operation operation) {
  if (operation == Operation::allreduce) {
    return {"Shm_Linear", scheduled_in_memory<&combine_all, Needs{.commutative = true}>()};
  }
  const auto row = std::ranges::find(set.codelets, "Shm_Linear", &Codelet::name);
  require(row != set.codelets.end(), Code::unsupported, set.name, " has no codelet with one round of messages");
  return {row->name, row->algorithm};
}

}  // namespace

OneRound make_one_round(const FunctionSet& set, const CollectiveProblem& problem, mpi::Context& context) {
  OneRound made;
  mpi::run_collectively(context.comm(), [&] {
    require(problem.size <= most_one_round_ranks, Code::unsupported, "the communicator has more than ",
            most_one_round_ranks, " processes");
    const auto [name, algorithm] = algorithm_of(set, problem.operation);
    if (const auto reason = algorithm.applicable(problem)) {
      throw Error(Code::unsupported, *reason);
    }
    made.name = name;
  });
  mpi::run_collectively(context.comm(), [&] {
    PlanPointer plan = algorithm_of(set, problem.operation).second.plan(problem, context, {});
    made.plan.reset(static_cast<SharedSchedulePlan*>(plan.release()));
  });
  mpi::run_collectively(context.comm(), [&] {
    require(made.plan->sends_all_at_start(), Code::unsupported, "the codelet of ", set.name,
            " needs several rounds of messages");
  });
  return made;
}

}  // namespace adcl::codelets
