// The MPI library's own neighbourhood collective.
// Source: MPI 3.1, section 7.6; Hoefler and Schneider, "Optimization Principles for Collective Neighborhood
// Communications", SC 2012.
#include "codelets/neighborhood/algorithms.hpp"
#include "codelets/neighborhood/collective/neighbor_graph.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

class NeighborAlltoallwPlan final : public Plan {
 public:
  NeighborAlltoallwPlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : types_(problem, context.comm(), buffers), graph_(neighbor_graph(problem, context)) {}

  void start(const Buffers& buffers) override {
    types_.call(buffers, [this](auto... arguments) {
      mpi::check(MPI_Neighbor_alltoallw(arguments..., graph_->get()), "MPI_Neighbor_alltoallw");
    });
  }
  bool test() override { return true; }
  void wait() override {}

 private:
  NeighborTypes types_;
  std::shared_ptr<mpi::Communicator> graph_;
};

}  // namespace

const Algorithm Neighbor_alltoallw = {
    [](const Problem& /*problem*/) { return no_neighbor_collectives(); },
    [](const Problem& problem) { return NeighborTypes::bytes(halo(problem)); },
    [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
      return std::make_unique<NeighborAlltoallwPlan>(halo(problem), context, buffers);
    },
    no_neighbor_collectives};

}  // namespace adcl::codelets
