// What a rank sends of its options is what another one receives, value by value.
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "runtime/options.hpp"

namespace adcl::runtime {
namespace {

Settings settings_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> values;
  for (const Option& option : option_table()) {
    const auto change = changes.find(option.name);
    values.push_back(change == changes.end() ? option.default_value : checked_value(option, change->second));
  }
  return Settings::parse(values);
}

TEST(Settings, TravelAsTheyAre) {
  const Settings sent = settings_with({{"ADCL_SEARCH", "racing"},
                                       {"ADCL_MEASUREMENTS", "7"},
                                       {"ADCL_TIMING", "barrier"},
                                       {"ADCL_OUTLIER_BOUND", "2.7182818284590451"},
                                       {"ADCL_OUTLIER_FRACTION", "0.1"},
                                       {"ADCL_CONFIDENCE", "3"},
                                       {"ADCL_CODELETS", "neighborhood:^A,B;mine:c"},
                                       {"ADCL_MERGE_REQUESTS", "0"},
                                       {"ADCL_OVERLAP_BLOCKING", "1"},
                                       {"ADCL_DEVICE", "1"},
                                       {"ADCL_MEMORY_LIMIT", "1e9"},
                                       {"ADCL_REPORT", "./a report"},
                                       {"ADCL_TRACE", "traces"}});
  const Settings received = Settings::unpack(sent.pack());
  EXPECT_EQ(received.search, "racing");
  EXPECT_EQ(received.measurements, 7);
  EXPECT_TRUE(received.barrier);
  EXPECT_EQ(received.outlier_bound, 2.7182818284590451);
  EXPECT_EQ(received.outlier_fraction, 0.1);
  EXPECT_EQ(received.confidence, 3);
  EXPECT_FALSE(received.codelets.admits("neighborhood", "B"));
  EXPECT_TRUE(received.codelets.admits("neighborhood", "c"));
  EXPECT_TRUE(received.codelets.admits("mine", "c"));
  EXPECT_FALSE(received.codelets.admits("mine", "A"));
  EXPECT_FALSE(received.merge_requests);
  EXPECT_TRUE(received.overlap_blocking && received.device);
  EXPECT_EQ(received.memory_limit, 1e9);
  EXPECT_EQ(received.report, "./a report");
  EXPECT_EQ(received.trace, "traces");
  EXPECT_EQ(received.decision_hash, sent.decision_hash);
  EXPECT_EQ(received.pack(), sent.pack());
}

TEST(Settings, WhatCannotChangeADecisionIsNotInItsHash) {
  const std::uint64_t hash = settings_with({}).decision_hash;
  EXPECT_EQ(settings_with({{"ADCL_REPORT", "stderr"}, {"ADCL_TRACE", "t"}, {"ADCL_ERRORS", "abort"}}).decision_hash,
            hash);
  EXPECT_EQ(settings_with({{"ADCL_OUTLIER_FRACTION", ".2"}}).decision_hash, hash);
  EXPECT_NE(settings_with({{"ADCL_OUTLIER_FRACTION", "0.3"}}).decision_hash, hash);
  EXPECT_NE(settings_with({{"ADCL_CODELETS", "neighborhood:A"}}).decision_hash, hash);
}

TEST(Settings, TooFewOrTooManyBytesAreRefused) {
  auto bytes = settings_with({}).pack();
  bytes.push_back(std::byte{0});
  EXPECT_THROW(Settings::unpack(bytes), Error);
  bytes.resize(bytes.size() - 2);
  EXPECT_THROW(Settings::unpack(bytes), Error);
}

}  // namespace
}  // namespace adcl::runtime
