// The interposer with two candidates for MPI_Alltoall: the MPI library's call, and a codelet whose time and failures
// the test program chooses.
#include <mpi.h>

#include <memory>

#include "codelets/collectives/collective_problem.hpp"
#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "interpose/engine.hpp"
#include "mpi/context.hpp"
#include "planted.h"

extern "C" __attribute__((visibility("default"))) adcl_planted adcl_planted_state;
adcl_planted adcl_planted_state;

namespace adcl::interpose {

void* preloaded_library() noexcept { return &adcl_planted_state; }

}  // namespace adcl::interpose

namespace adcl::codelets {

// The linker option --wrap replaces alltoall() by planted_alltoall().
const FunctionSet& real_alltoall() asm("__real__ZN4adcl8codelets8alltoallEv");
const FunctionSet& planted_alltoall() asm("__wrap__ZN4adcl8codelets8alltoallEv");

namespace {

class PlantedPlan final : public Plan {
 public:
  PlantedPlan(const CollectiveProblem& problem, mpi::Context& context)
      : bytes_(static_cast<int>(problem.block_bytes())), comm_(context.comm()) {
    if (adcl_planted_state.plan_fails != 0) {
      throw Error(Code::unsupported, "planted");
    }
    ++adcl_planted_state.plans;
  }
  ~PlantedPlan() override { --adcl_planted_state.plans; }
  void start(const Buffers& buffers) override {
    ++adcl_planted_state.codelet_runs;
    PMPI_Alltoall(buffers.front().send, bytes_, MPI_BYTE, buffers.front().receive, bytes_, MPI_BYTE, comm_);
    adcl_slow_mpi_state.clock_s += adcl_planted_state.codelet_s;
    if (adcl_planted_state.codelet_fails != 0) {
      throw Error(Code::unsupported, "planted");
    }
  }
  bool test() override { return true; }
  void wait() override {}

 private:
  int bytes_;
  MPI_Comm comm_;
};

FunctionSet planted_set() {
  FunctionSet set = real_alltoall();
  Codelet planted = set.codelets.back();
  planted.name = "Planted";
  planted.algorithm = {[](const Problem& /*problem*/) -> std::optional<std::string> { return std::nullopt; },
                       [](const Problem& /*problem*/) { return sizeof(PlantedPlan); },
                       [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
                         return std::make_unique<PlantedPlan>(collective(problem), context);
                       }};
  planted.capabilities = {};
  set.codelets = {set.codelets.front(), planted};
  set.expected = nullptr;
  return set;
}

}  // namespace

const FunctionSet& planted_alltoall() {
  static const FunctionSet set = planted_set();
  return set;
}

}  // namespace adcl::codelets
