// ranks: 1 2 3 4
// Results of a ballot on all ranks: whether values are equal, maxima, sums, marks, and the rank that failed.
#include <cstdint>
#include <limits>

#include "mpi/agreement.hpp"
#include "mpi/context.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();

void combines_values(Suite& suite, mpi::Context& context) {
  suite.step("values, sums and marks");
  const auto rank = static_cast<std::uint64_t>(suite.rank());
  const auto size = static_cast<std::uint64_t>(suite.size());
  mpi::Ballot own;
  own.same("equal", 17);
  own.same("zero", 0);
  own.same("top", top);
  own.same("rank", rank);
  own.largest("largest", rank * rank);
  own.add("ranks", rank + 1);
  own.add("wraps", suite.rank() == 0 ? top : (size > 1 && rank == 1 ? 1 : 0));
  own.set_mask(static_cast<std::size_t>(suite.rank()));
  own.set_mask(mpi::Ballot::max_codelets - 1);
  const mpi::Ballot all = mpi::combine(context, own);

  suite.expect(!all.failed(), "no rank failed");
  suite.expect(all.agreed("equal") && all.agreed("zero") && all.agreed("top"), "equal values are agreed on");
  suite.expect(all.agreed("rank") == (suite.size() == 1), "ranks differ where there are several");
  suite.expect(all.largest("largest") == (size - 1) * (size - 1), text("largest ", all.largest("largest")));
  suite.expect(all.largest("top") == top, "the largest value of any rank");
  suite.expect(all.sum("ranks") == size * (size + 1) / 2, text("sum ", all.sum("ranks")));
  suite.expect(all.sum("wraps") == (suite.size() == 1 ? top : 0), text("modulo 2^64: ", all.sum("wraps")));
  for (std::size_t i = 0; i < 8; ++i) {
    suite.expect(all.mask(i) == (i < size), text("mark ", i));
  }
  suite.expect(all.mask(mpi::Ballot::max_codelets - 1), "the last mark");
  suite.expect(mpi::error_of([&] { static_cast<void>(all.agreed("no such name")); }).has_value(), "an unknown name");
}

/// If one rank fails, the ballot ignores its other values, even earlier values, and all ranks see the failure.
void one_rank_fails(Suite& suite, mpi::Context& context, int victim) {
  suite.step(text("rank ", victim, " fails"));
  mpi::Ballot own;
  own.same("value", 1);
  if (suite.rank() == victim) {
    own.fail();
  } else {
    own.add("sum", 1);
  }
  suite.expect(mpi::combine(context, own).failed(), "all ranks see the failure");
}

void run(Suite& suite) {
  const auto context = mpi::Context::of(MPI_COMM_WORLD);
  combines_values(suite, *context);
  for (int victim = 0; victim < suite.size(); ++victim) {
    one_rank_fails(suite, *context, victim);
  }
  combines_values(suite, *context);
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) { return adcl::test::run_suite(argc, argv, adcl::test::run); }
