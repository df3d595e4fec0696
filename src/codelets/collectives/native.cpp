// The MPI library's own collective calls.
#include "codelets/collectives/call_arguments.hpp"
#include "codelets/collectives/call_defects.hpp"
#include "codelets/collectives/rows.hpp"
#include "mpi/check.hpp"

namespace adcl::codelets {
namespace {

class CallPlan final : public Plan {
 public:
  CallPlan(const CollectiveProblem& problem, mpi::Context& context) : arguments_(problem), comm_(context.comm()) {}
  void start(const Buffers& buffers) override { call(arguments_, buffers.front(), comm_, nullptr); }
  bool test() override { return true; }
  void wait() override {}
  void run(const Buffers& buffers) override { call(arguments_, buffers.front(), comm_, nullptr); }

 private:
  CallArguments arguments_;
  MPI_Comm comm_;
};

class NonblockingCallPlan final : public Plan {
 public:
  NonblockingCallPlan(const CollectiveProblem& problem, mpi::Context& context)
      : arguments_(problem), comm_(context.comm()) {}
  void start(const Buffers& buffers) override { call(arguments_, buffers.front(), comm_, &request_); }
  bool test() override {
    int done = 0;
    mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  void wait() override { mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

 private:
  CallArguments arguments_;
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

std::size_t call_bytes(const Problem& problem) {
  const CollectiveProblem& what = collective(problem);
  return sizeof(CallArguments) + (what.send.counts.size() + what.receive.counts.size()) * 2 * sizeof(int);
}

template <typename PlanType, auto defect>
constexpr Algorithm call_algorithm() {
  return {[](const Problem& problem) { return defect(collective(problem)); }, &call_bytes,
          [](const Problem& problem, mpi::Context& context, const Buffers& /*buffers*/) -> PlanPointer {
            return std::make_unique<PlanType>(collective(problem), context);
          }};
}

}  // namespace

Rows native() {
  return {{.name = "Native",
           .attributes = Attributes{.family = Family::native, .carrier = Carrier::call}.values(),
           .capabilities = {.reference_order = true},
           .requirements = "",
           .source = "MPI 3.1 chapter 5",
           .algorithm = call_algorithm<CallPlan, &defect_of_call>()},
          {.name = "Native_nonblocking",
           .attributes = Attributes{.family = Family::native, .carrier = Carrier::nonblocking_call}.values(),
           .capabilities = {.nonblocking = true, .reference_order = true},
           .requirements = "",
           .source = "MPI 3.1 section 5.12",
           .algorithm = call_algorithm<NonblockingCallPlan, &defect_of_nonblocking_call>()}};
}

}  // namespace adcl::codelets
