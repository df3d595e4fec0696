// ranks: 1 2 3 4
// If one rank throws, all ranks throw the same error, whether the ranks are at the same agreement or at different
// agreements.
#include <new>
#include <stdexcept>
#include <string>

#include "core/error.hpp"
#include "mpi/context.hpp"
#include "mpi/together.hpp"
#include "support/suite.hpp"

namespace adcl::test {
namespace {

/// The error of rank \p victim, and the code that all ranks see.
struct Failure {
  const char* name;
  void (*fail)();
  Code code;
  const char* says;
};

const Failure failures[] = {
    {"Error", [] { throw Error(Code::unsupported, "not here"); }, Code::unsupported, "not here"},
    {"length_error", [] { throw std::length_error("too long"); }, Code::internal, "too long"},
    {"bad_alloc", [] { throw std::bad_alloc(); }, Code::memory, "out of memory"},
};

void expect_failure(Suite& suite, const Failure& failure, int victim, const std::function<void()>& action) {
  const auto error = mpi::error_of(action);
  suite.expect(error.has_value(), text(failure.name, ": nothing was thrown"));
  if (error.has_value()) {
    const std::string prefix = suite.size() > 1 ? text("rank ", victim, ": ") : "";
    suite.expect(error->code() == failure.code, text(failure.name, ": code ", static_cast<int>(error->code())));
    suite.expect(error->what() == prefix + failure.says, text(failure.name, ": ", error->what()));
  }
}

void at_one_agreement(Suite& suite, const Failure& failure, int victim) {
  expect_failure(suite, failure, victim, [&] {
    mpi::run_collectively(MPI_COMM_WORLD, [&] {
      if (suite.rank() == victim) {
        failure.fail();
      }
    });
  });
}

/// The victim fails before it reaches an agreement at which the other ranks already wait.
void at_different_agreements(Suite& suite, const Failure& failure, int victim, bool number) {
  expect_failure(suite, failure, victim, [&] {
    mpi::run_collectively(MPI_COMM_WORLD, [&] {
      if (suite.rank() == victim) {
        failure.fail();
      }
      if (number) {
        mpi::maximum(MPI_COMM_WORLD, suite.rank());
      }
      mpi::run_collectively(MPI_COMM_WORLD, [] {});
      suite.expect(suite.size() == 1, "a rank went on alone");
    });
  });
}

void one_victim(Suite& suite, const Failure& failure, int victim) {
  suite.step(text(failure.name, " on rank ", victim));
  at_one_agreement(suite, failure, victim);
  at_different_agreements(suite, failure, victim, false);
  at_different_agreements(suite, failure, victim, true);
  suite.expect(mpi::maximum(MPI_COMM_WORLD, suite.rank()) == suite.size() - 1, "the ranks are at different agreements");
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    for (const auto& failure : adcl::test::failures) {
      for (int victim = 0; victim < suite.size(); ++victim) {
        adcl::test::one_victim(suite, failure, victim);
      }
    }
  });
}
