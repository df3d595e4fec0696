// The MPI library's own neighborhood collective, nonblocking. It has a separate row, because MPI does not match
// blocking calls with nonblocking calls. Source: MPI 3.1, section 7.7.
#include "codelets/neighborhood/collective/neighbor_graph.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

class IneighborAlltoallwPlan final : public Plan {
 public:
  IneighborAlltoallwPlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : types_(problem, context.comm(), buffers), graph_(neighbor_graph(problem, context)) {}

  void start(const Buffers& buffers) override {
    types_.call(buffers, [this](auto... arguments) {
      mpi::check(MPI_Ineighbor_alltoallw(arguments..., graph_->get(), &request_), "MPI_Ineighbor_alltoallw");
    });
  }
  bool test() override {
    int done = 0;
    mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  void wait() override { mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 private:
  NeighborTypes types_;
  std::shared_ptr<mpi::Communicator> graph_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

Rows ineighbor_alltoallw() {
  return {
      {.name = "Ineighbor_alltoallw",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::neighbor_collective, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_several = true, .collective_plan = true},
       .requirements = needs::nothing,
       .source = source::mpi3,
       .algorithm = {[](const Problem& /*problem*/) { return no_neighbor_collectives(); },
                     [](const Problem& problem) { return NeighborTypes::bytes(halo(problem)); },
                     [](const Problem& problem, mpi::Context& context, const Buffers& buffers) -> PlanPointer {
                       return std::make_unique<IneighborAlltoallwPlan>(halo(problem), context, buffers);
                     },
                     no_neighbor_collectives},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
