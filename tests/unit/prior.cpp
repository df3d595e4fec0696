// Expected times of codelets before any measurement, from recorded tables.
#include "codelets/collectives/prior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codelets/collectives/collective_problem.hpp"
#include "codelets/neighborhood/prior.hpp"
#include "codelets/recorded.hpp"
#include "codelets/sets.hpp"
#include "core/machine.hpp"

namespace adcl::codelets {
namespace {

const Expectation& of(const std::vector<Expectation>& expected, const FunctionSet& set, const std::string& name) {
  const auto row = std::find_if(set.codelets.begin(), set.codelets.end(),
                                [&](const Codelet& codelet) { return codelet.name == name; });
  return expected.at(static_cast<std::size_t>(row - set.codelets.begin()));
}

TEST(HaloPrior, ManyFieldsAreBetterJoined) {
  const ExchangeSize size{200.0, 26.0, 18.0};
  const auto expected = expected_of(size, "openmpi4");
  ASSERT_EQ(expected.size(), neighborhood().codelets.size());
  const Expectation& native = of(expected, neighborhood(), "IsIr_aao");
  EXPECT_LT(of(expected, neighborhood(), "Joined_pack").log_time + 1.0, native.log_time);
  EXPECT_GT(native.first, of(expected, neighborhood(), "Joined_pack").first) << "a plan for each field";
  const auto others = expected_of(size, "openmpi4", "openmpi4");
  EXPECT_NE(of(others, neighborhood(), "IsIr_aao").log_time, native.log_time) << "a library can be excluded";
}

TEST(HaloPrior, WhatItsOwnLibraryTakesCountsMore) {
  // The recorded times of messages of 512 bytes are longest with MPICH 5.
  const auto native = [](const char* library) {
    return of(expected_of(ExchangeSize{512.0, 6.0, 1.0}, library), neighborhood(), "IsIr_aao").log_time;
  };
  EXPECT_GT(native("mpich5"), native("openmpi4"));
  EXPECT_LT(native("openmpi6"), native("")) << "another version of a library is nearer than another library";
}

TEST(CollectivePrior, SaysSomethingOfEachCodeletThatRunsOnTwoRanks) {
  for (const PredefinedSet& predefined : sets()) {
    const FunctionSet& set = predefined.set();
    if (set.name == "neighborhood" || set.overlaps) {
      continue;
    }
    const auto expected = expected_of(set, 512, "openmpi4");
    ASSERT_EQ(expected.size(), set.codelets.size()) << set.name;
    EXPECT_TRUE(std::isfinite(of(expected, set, "Native").log_time)) << set.name;
    EXPECT_GE(of(expected, set, "Native").first, 1.0) << set.name;
  }
}

TEST(CollectivePrior, OneSlotOfSharedMemoryIsBestForFewBytes) {
  const auto few = expected_of(allreduce(), 8, "openmpi4");
  EXPECT_LT(of(few, allreduce(), "Shm_Doubling").log_time + 0.5, of(few, allreduce(), "Doubling").log_time);
}

TEST(CollectivePrior, ALibraryCanBeLeftOut) {
  const auto all = expected_of(allreduce(), 8, "mpich5");
  const auto others = expected_of(allreduce(), 8, "mpich5", "mpich5");
  EXPECT_NE(of(all, allreduce(), "Native").log_time, of(others, allreduce(), "Native").log_time);
}

TEST(CollectivePrior, NothingIsExpectedBeyondWhatWasRecorded) {
  Machine machine;
  machine.library = "Open MPI";
  machine.version = "4.1.4";
  CollectiveProblem problem(&machine);
  problem.operation = Operation::barrier;
  const auto size = [&](int ranks, int nodes) {
    problem.size = ranks;
    machine.nodes.count = nodes;
    return expected_of(barrier(), problem).size();
  };
  EXPECT_EQ(size(2, 1), barrier().codelets.size());
  EXPECT_EQ(size(4, 1), barrier().codelets.size());
  EXPECT_EQ(size(1, 1), 0U);
  EXPECT_EQ(size(5, 1), 0U) << "on more ranks other algorithms win";
  EXPECT_EQ(size(2, 2), 0U) << "not between nodes";
  EXPECT_EQ(ibcast().expected, nullptr) << "the time depends on the overlapped computation";
}

TEST(Recorded, LibrariesAreNamedByFamilyAndMajorVersion) {
  const auto name = [](const char* library, const char* version) {
    Machine machine;
    machine.library = library;
    machine.version = version;
    return recorded_name(machine);
  };
  EXPECT_EQ(name("Open MPI", "4.1.4"), "openmpi4");
  EXPECT_EQ(name("MPICH", "5.0.2"), "mpich5");
  EXPECT_EQ(name("Intel(R) MPI Library", "2021.18"), "intel2021");
  EXPECT_EQ(name("IBM Spectrum MPI", "10.3"), "");
  EXPECT_EQ(name("", ""), "");
}

TEST(Recorded, ReadsTimesOneAfterTheOther) {
  std::string_view text = "28/167 - 0/3";
  RecordedTime time;
  ASSERT_TRUE(take_time(text, time));
  EXPECT_EQ(time.hundredths, 28);
  EXPECT_EQ(time.first, 167);
  EXPECT_FALSE(take_time(text, time)) << "it was not applicable";
  ASSERT_TRUE(take_time(text, time));
  EXPECT_EQ(time.first, 3);
  EXPECT_TRUE(text.empty());
}

TEST(Recorded, TheNearestComeFirst) {
  std::vector<NearSetting> settings;
  for (const double distance : {5.0, 1.0, 4.0, 1.0, 3.0, 2.0, 7.0, 6.0}) {
    settings.push_back({distance, settings.size()});
  }
  keep_nearest(settings);
  ASSERT_EQ(settings.size(), 6U);
  EXPECT_EQ(settings.front().place, 1U);
  EXPECT_EQ(settings[1].place, 3U) << "of two equally distant settings, the first comes first";
  EXPECT_EQ(settings.back().distance, 5.0);
}

TEST(Recorded, NearerSettingsCountMore) {
  RecordedMeans means(2);
  means.add({0, 100, 10}, 0.0);
  means.add({0, 200, 10}, 1.0);
  const auto expected = means.expectations();
  EXPECT_NEAR(expected[0].log_time, (1.0 + 0.5 * 2.0) / 1.5, 1e-12);
  EXPECT_NEAR(expected[0].first, 10.0, 1e-12);
  EXPECT_TRUE(std::isnan(expected[1].log_time)) << "the codelet has no recorded time";
}

}  // namespace
}  // namespace adcl::codelets
