// config.adcl of ADCL 1.x, and the arrays of pointers of its programs.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capi/v1/config.hpp"
#include "capi/v1/pointer_array.hpp"
#include "core/error.hpp"

namespace adcl::capi::v1 {
namespace {

std::string failure_of(const std::string& content) {
  try {
    read_v1_config(content, "config.adcl", "/users/me");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(V1Config, FindsCurrentNamesOfCodelets) {
  struct Case {
    const char* set;
    const char* old;
    const char* today;
  };
  // Names in ADCL 1.x, from its files config.adcl.NAME and from the slides of 2007, and the current names.
  const std::vector<Case> cases{
      {"NEIGHBORHOOD", "IsIr_aao", "IsIr_aao"},
      {"NEIGHBORHOOD", "IsendIrecv_pair_pack", "IsIr_pair_pack"},
      {"NEIGHBORHOOD", "SendIrecv_aao", "SIr_aao"},
      {"NEIGHBORHOOD", "SendRecv_pair", "S_R_pair"},
      {"NEIGHBORHOOD", "Sendrecv_pair_pack", "Sr_pair_pack"},
      {"NEIGHBORHOOD", "SR_pair", "S_R_pair"},
      {"NEIGHBORHOOD", "Sr_pair", "Sr_pair"},
      {"NEIGHBORHOOD", "WinFencePut_aao", "WinfencePut_aao"},
      {"NEIGHBORHOOD", "PostStartGet_pair", "PostStartGet_pair"},
      {"ALLGATHERV", "Allgatherv_native", "Native"},
      {"ALLGATHERV", "Allgatherv_linear", "Linear"},
      {"ALLGATHERV", "Allgatherv_bruck", "Bruck"},
      {"ALLGATHERV", "Allgatherv_ring", "Ring"},
      {"ALLGATHERV", "Allgatherv_recursive_doubling", "Doubling"},
      {"ALLGATHERV", "Allgatherv_neighbor_exchange", "Neighbor_exchange"},
      {"ALLREDUCE", "Allreduce_native", "Native"},
      {"ALLREDUCE", "Allreduce_nonoverlapping", "Nonoverlapping"},
      {"ALLREDUCE", "Allreduce_recursive_doubling", "Doubling"},
      {"ALLREDUCE", "Allreduce_ring", "Ring"},
      {"ALLREDUCE", "Allreduce_linear", "Linear"},
      {"ALLTOALL", "Alltoall_bruck_SR", "Bruck"},
      {"ALLTOALL", "Alltoall_ladd_block2", "Linear_2"},
      {"ALLTOALL", "Alltoall_ladd_block8", "Linear_8"},
      {"ALLTOALL", "Alltoall_linear_SR", "Linear"},
      {"ALLTOALL", "Alltoall_linear_sync_SR", "Linear_sync"},
      {"ALLTOALL", "Alltoall_native_SR", "Native"},
      {"ALLTOALL", "Alltoall_pair_SR", "Pairwise"},
      {"ALLTOALL", "Alltoall_pair_excl_SR", "Pairwise_excl"},
      {"ALLTOALL", "Linear_4", "Linear_4"},
      {"REDUCE", "Reduce_linear", "Linear"},
      {"REDUCE", "Reduce_binomial", "Binomial"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(codelet_of_v1_name(std::string("ADCL_FNCTSET_") + one.set, one.old), one.today) << one.old;
  }
}

TEST(V1Config, ReadsLinesAsInVersion1) {
  const V1Config config = read_v1_config(
      "#ADCL_EMETHOD_NUMTESTS: 1\n"
      "no colon\n"
      "  ADCL_EMETHOD_NUMTESTS :\t12 trailing words\r\n"
      "ADCL_EMETHOD_USE_PERFHYPOTHESIS: 1\n"
      "ADCL_EMETHOD_SEARCH_ALGO: 0\n"
      "ADCL_OUTLIER_FRACTION: 50\n"
      "ADCL_HIST_LEARNING: 1\n"
      "ADCL_PRINTF_SILENCE: 0\n"
      "ADCL_HIST_PREDICTOR: 2",
      "config.adcl", "/users/me");
  std::vector<std::string> found;
  for (const V1Setting& setting : config.settings) {
    found.push_back(setting.option + "=" + setting.value + "@" + std::to_string(setting.line));
  }
  const std::vector<std::string> expected{"ADCL_MEASUREMENTS=12@3", "ADCL_SEARCH=brute_force@5",
                                          "ADCL_OUTLIER_FRACTION=0.5@6", "ADCL_HISTORY=/users/me/.adcl/history@7",
                                          "ADCL_REPORT=stderr@8"};
  EXPECT_EQ(found, expected);
  ASSERT_EQ(config.ignored.size(), 1U);
  EXPECT_TRUE(config.ignored.front().starts_with("line 9: ADCL_HIST_PREDICTOR no longer has an effect"));
}

TEST(V1Config, ReportsFileLineAndAcceptedValues) {
  EXPECT_EQ(failure_of("ADCL_EMETHOD_SELECTION: IsIr_aoa"),
            "config.adcl:1: function set neighborhood has no codelet 'IsIr_aoa'; did you mean IsIr_aao?");
  EXPECT_EQ(failure_of("\nADCL_USE_BARRIER: yes"),
            "config.adcl:2: ADCL_USE_BARRIER is yes; it must be a whole number from 0 to 1");
  EXPECT_EQ(failure_of("ADCL_EMETHOD_NUMTESTS:"), "config.adcl:1: ADCL_EMETHOD_NUMTESTS has no value");
}

TEST(PointerArray, PointsToEveryEntry) {
  std::vector<double> memory(std::size_t{3} * 4 * 5 * 2);
  std::vector<void*> pointers = pointer_array(memory.data(), {3, 4, 5, 2}, sizeof(double));
  EXPECT_EQ(pointers.size(), 3U + 12 + 60);
  auto**** const array = reinterpret_cast<double****>(pointers.data());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(&array[i][j][k][1], &memory[((i * 4 + j) * 5 + k) * 2 + 1]);
      }
    }
  }
  EXPECT_EQ(memory_below(pointers.data(), {3, 4, 5, 2}, sizeof(double)), memory.data());
}

TEST(PointerArray, IsDetected) {
  std::array<float, 12> memory{};
  std::array<float*, 2> first{};
  std::array<float*, 2> second{};
  for (std::size_t j = 0; j < 2; ++j) {
    first[j] = &memory[j * 3];
    second[j] = &memory[6 + j * 3];
  }
  // Levels with separate allocations.
  const std::array<float**, 2> planes{first.data(), second.data()};
  EXPECT_EQ(memory_below(planes.data(), {2, 2, 3}, sizeof(float)), memory.data());
}

TEST(PointerArray, DataAreNotPointers) {
  std::vector<std::int64_t> numbers(64);
  EXPECT_EQ(memory_below(numbers.data(), {8, 8}, 8), nullptr);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int64_t>(i + 1) * 4096;
  }
  // Increasing numbers that are not addresses; as addresses in two dimensions they would be rows of 4096 bytes.
  EXPECT_EQ(memory_below(numbers.data(), {8, 8}, 8), nullptr);
  EXPECT_EQ(memory_below(numbers.data(), {4, 4, 4}, 8), nullptr);
  // The first is an address, but the rows are not contiguous.
  const std::vector<void*> gaps{numbers.data(), numbers.data() + 9};
  EXPECT_EQ(memory_below(gaps.data(), {2, 8}, 8), nullptr);
  // A single row gives no evidence that it is a pointer.
  EXPECT_EQ(memory_below(gaps.data(), {1, 8}, 8), nullptr);
  // Less memory than the number of rows requires.
  const char few[4] = {1, 2, 3, 4};
  EXPECT_EQ(memory_below(few, {1000000, 2}, 1), nullptr);
}

}  // namespace
}  // namespace adcl::capi::v1
