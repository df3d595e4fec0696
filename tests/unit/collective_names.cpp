// Names of MPI operations, which identify stored problems.
#include <gtest/gtest.h>

#include "codelets/collectives/collective_problem.hpp"

namespace adcl::codelets {
namespace {

/// A change of a name invalidates the entries of existing history folders.
TEST(OperationNames, AreThoseOfStoredProblems) {
  EXPECT_EQ(name_of(MPI_SUM), "MPI_SUM");
  EXPECT_EQ(name_of(MPI_OP_NULL), "an operation of the application");
}

}  // namespace
}  // namespace adcl::codelets
