// The MPI library's own neighborhood collective, persistent: the library can plan it once.
// Source: MPI 4.0, section 8.8. Open MPI 4 has it as an extension with the prefix MPIX_.
#include <mpi.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4 && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "codelets/neighborhood/collective/neighbor_graph.hpp"
#include "codelets/neighborhood/rows.hpp"
#include "core/error.hpp"
#include "mpi/check.hpp"
#include "mpi/environment.hpp"
#include "mpi/library.hpp"
#include "mpi/together.hpp"

namespace adcl::codelets {
namespace {

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
// MPICH 4.0.2: MPI_Test alone may never complete a started operation, even with one process. Intel MPI 2021.18, which
// identifies as MPICH 3.4: one of three ranks hangs while another rank has completed.
#define ADCL_WHY_NOT "persistent neighborhood collectives of MPICH before version 5 do not always complete"
#elif MPI_VERSION >= 4
#define ADCL_NEIGHBOR_ALLTOALLW_INIT MPI_Neighbor_alltoallw_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
#define ADCL_NEIGHBOR_ALLTOALLW_INIT MPIX_Neighbor_alltoallw_init
#endif

#ifndef ADCL_WHY_NOT
#define ADCL_WHY_NOT "the MPI library that ADCL was built with has no MPI_Neighbor_alltoallw_init (MPI 4.0)"
#endif

#ifdef ADCL_NEIGHBOR_ALLTOALLW_INIT

class NeighborAlltoallwInitPlan final : public Plan {
 public:
  NeighborAlltoallwInitPlan(const HaloProblem& problem, mpi::Context& context, const Buffers& buffers)
      : types_(problem, context.comm(), buffers), graph_(neighbor_graph(problem, context)) {
    mpi::run_collectively(context.comm(), [&] {
      types_.call(buffers, [this](auto... arguments) {
        mpi::check(ADCL_NEIGHBOR_ALLTOALLW_INIT(arguments..., graph_->get(), MPI_INFO_NULL, &request_),
                   "MPI_Neighbor_alltoallw_init");
      });
    });
  }
  NeighborAlltoallwInitPlan(const NeighborAlltoallwInitPlan&) = delete;
  NeighborAlltoallwInitPlan& operator=(const NeighborAlltoallwInitPlan&) = delete;
  ~NeighborAlltoallwInitPlan() override {
    if (!mpi::is_finalized()) {
      MPI_Request_free(&request_);
    }
  }

  void start(const Buffers& /*buffers*/) override {
    mpi::check(MPI_Start(&request_), "MPI_Start");
    active_ = true;
  }
  bool test() override {
    // MPICH 4.0 reports a persistent collective that was never started as incomplete.
    int done = active_ ? 0 : 1;
    if (active_) {
      mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
      active_ = done == 0;
    }
    return done != 0;
  }
  void wait() override {
    if (active_) {
      mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
      active_ = false;
    }
  }

 private:
  NeighborTypes types_;
  std::shared_ptr<mpi::Communicator> graph_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool active_ = false;
};

/// With the standard ABI of MPI 5.0, the library at run time may differ from the library of the build.
std::optional<std::string> unavailable() {
  if (mpi::library_version().starts_with("Intel")) {
    return "persistent neighborhood collectives of Intel MPI (2021.18) do not always complete, or give wrong data";
  }
  return std::nullopt;
}

PlanPointer plan(const Problem& problem, mpi::Context& context, const Buffers& buffers) {
  return std::make_unique<NeighborAlltoallwInitPlan>(halo(problem), context, buffers);
}

#else

std::optional<std::string> unavailable() { return ADCL_WHY_NOT; }

PlanPointer plan(const Problem& /*problem*/, mpi::Context& /*context*/, const Buffers& /*buffers*/) {
  throw Error(Code::unsupported, ADCL_WHY_NOT);
}

#endif

}  // namespace

Rows neighbor_alltoallw_init() {
  return {
      {.name = "Neighbor_alltoallw_init",
       .attributes = attributes(Partners::aao, NonContiguous::ddt, Primitive::neighbor_persistent, Completion::waitall),
       .capabilities = {.nonblocking = true, .fixed_buffers = true, .collective_plan = true},
       .requirements = "MPI 4, or Open MPI 4 with its extension pcollreq",
       .source = "MPI 4.0 section 8.8",
       .algorithm = {[](const Problem& /*problem*/) { return unavailable(); },
                     [](const Problem& problem) { return NeighborTypes::bytes(halo(problem)); }, plan, unavailable},
       .expectation = growth::flat},
  };
}

}  // namespace adcl::codelets
