// The MPI library's own neighborhood collective.
// Source: MPI 3.1, section 7.6; Hoefler and Schneider, "Optimization Principles for Collective Neighborhood
// Communications", SC 2012.
#include "codelets/neighborhood/blocking_plan.hpp"
#include "codelets/neighborhood/collective/neighbor_graph.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

class NeighborAlltoallwPlan final : public BlockingPlan {
 public:
  NeighborAlltoallwPlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : types_(problem, context.comm(), buffers), graph_(neighbor_graph(problem, context)) {}

  void start(const Buffers& buffers) override {
    types_.call(buffers, [this](auto... arguments) {
      mpi::check(MPI_Neighbor_alltoallw(arguments..., graph_->get()), "MPI_Neighbor_alltoallw");
    });
  }

 private:
  NeighborTypes types_;
  std::shared_ptr<mpi::Communicator> graph_;
};

}  // namespace

Rows neighbor_alltoallw() {
  return {
      {.name = "Neighbor_alltoallw",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::neighbor_collective, Completion::none),
       .capabilities = {.fixed_several = true, .collective_plan = true},
       .requirements = needs::nothing,
       .source = source::mpi3,
       .algorithm = {[](const Problem& /*problem*/) { return no_neighbor_collectives(); },
                     [](const Problem& problem) { return NeighborTypes::bytes(halo(problem)); },
                     [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
                       return std::make_unique<NeighborAlltoallwPlan>(halo(problem), context, buffers);
                     },
                     no_neighbor_collectives},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
