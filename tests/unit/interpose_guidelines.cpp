#include <gtest/gtest.h>

#include "interpose/guidelines.hpp"

using namespace adcl;
using namespace adcl::interpose;
using codelets::Operation;

namespace {

Measured measured(std::string_view name, double mean_s, double spread_s, double number = 9.0) {
  return {name, {mean_s, mean_s, 0.0, number, spread_s}};
}

}  // namespace

TEST(InterposeGuidelines, ACompositionThatIsFasterBeyondTheNoiseBreaksAGuideline) {
  const auto found = broken_guidelines(
      Operation::allgather,
      {measured("Native", 20e-6, 1e-6), measured("Gather_bcast", 10e-6, 1e-6), measured("Ring", 1e-6, 1e-8)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].composition, "a gather and a broadcast");
  EXPECT_DOUBLE_EQ(found[0].factor, 2.0);
  EXPECT_DOUBLE_EQ(found[0].low, 19.0 / 11.0);  // three standard errors are 1 us
}

TEST(InterposeGuidelines, NoiseBreaksNone) {
  EXPECT_TRUE(
      broken_guidelines(Operation::allgather, {measured("Native", 20e-6, 9e-6), measured("Gather_bcast", 10e-6, 2e-6)})
          .empty());
  EXPECT_TRUE(broken_guidelines(Operation::allgather,
                                {measured("Native", 20e-6, 1e-6, 3.0), measured("Gather_bcast", 10e-6, 1e-6)})
                  .empty());
  EXPECT_TRUE(
      broken_guidelines(Operation::allgather, {measured("Native", 10e-6, 1e-7), measured("Gather_bcast", 9.9e-6, 1e-7)})
          .empty());
}

TEST(InterposeGuidelines, ACallWithoutMeasurementsBreaksNone) {
  EXPECT_TRUE(broken_guidelines(Operation::allgather, {measured("Gather_bcast", 10e-6, 1e-6)}).empty());
}

TEST(InterposeGuidelines, TheFasterOfTwoVariantsOfACompositionIsShown) {
  const auto found = broken_guidelines(
      Operation::allreduce, {measured("Native", 30e-6, 1e-9), measured("Nonoverlapping", 20e-6, 1e-9),
                             measured("Nonoverlapping_4", 15e-6, 1e-9), measured("Native_nonblocking", 10e-6, 1e-9)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].composition, "a reduction and a broadcast");
  EXPECT_NEAR(found[0].factor, 2.0, 1e-12);
  EXPECT_EQ(found[1].composition, "MPI_Iallreduce and MPI_Wait");
}
