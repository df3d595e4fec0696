// What a rank sends of its options is what another one receives, value by value.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "runtime/options.hpp"

namespace adcl::runtime {
namespace {

Settings settings_with(const std::map<std::string, std::string>& changes) {
  OptionValues values(option_table());
  for (const auto& [name, value] : changes) {
    values.set(find_option(name), value);
  }
  return Settings::from(values);
}

TEST(Settings, TravelAsTheyAre) {
  const Settings sent = settings_with({{"ADCL_SEARCH", "hypothesis"},
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
                                       {"ADCL_TRACE", "traces"},
                                       {"ADCL_TRACE_PRODUCTION", "1"}});
  const Settings received = Settings::unpack(sent.pack());
  EXPECT_EQ(received.search, "hypothesis");
  EXPECT_EQ(received.outliers, "heuristic");
  EXPECT_EQ(received.search_options.integer("ADCL_MEASUREMENTS"), 7);
  EXPECT_EQ(received.search_options.real("ADCL_OUTLIER_BOUND"), 2.7182818284590451);
  EXPECT_EQ(received.search_options.real("ADCL_OUTLIER_FRACTION"), 0.1);
  EXPECT_EQ(received.search_options.integer("ADCL_CONFIDENCE"), 3);
  EXPECT_EQ(received.timing, Timing::barrier);
  EXPECT_FALSE(received.codelets.admits("neighborhood", "B"));
  EXPECT_TRUE(received.codelets.admits("neighborhood", "c"));
  EXPECT_TRUE(received.codelets.admits("mine", "c"));
  EXPECT_FALSE(received.codelets.admits("mine", "A"));
  EXPECT_FALSE(received.merge_requests);
  EXPECT_TRUE(received.overlap_blocking && received.device);
  EXPECT_EQ(received.memory_limit, 1e9);
  EXPECT_EQ(received.report, "./a report");
  EXPECT_EQ(received.trace, "traces");
  EXPECT_TRUE(received.trace_production);
  EXPECT_FALSE(settings_with({{"ADCL_TRACE_PRODUCTION", "1"}}).trace_production) << "there is no trace";
  EXPECT_EQ(received.decision_hash, sent.decision_hash);
  EXPECT_EQ(received.pack(), sent.pack());
}

TEST(Settings, WhatCannotChangeADecisionIsNotInItsHash) {
  const std::uint64_t hash = settings_with({}).decision_hash;
  EXPECT_EQ(
      settings_with(
          {{"ADCL_REPORT", "stderr"}, {"ADCL_TRACE", "t"}, {"ADCL_TRACE_PRODUCTION", "1"}, {"ADCL_ERRORS", "abort"}})
          .decision_hash,
      hash);
  EXPECT_EQ(settings_with({{"ADCL_OUTLIER_FRACTION", ".2"}}).decision_hash, hash);
  EXPECT_NE(settings_with({{"ADCL_OUTLIER_FRACTION", "0.3"}}).decision_hash, hash);
  EXPECT_NE(settings_with({{"ADCL_CODELETS", "neighborhood:A"}}).decision_hash, hash);
}

TEST(Settings, OnlyOptionsThatTheChosenRowsReadCanChangeADecision) {
  const auto hash_of = [](const std::string& search, const std::string& confidence) {
    return settings_with({{"ADCL_SEARCH", search}, {"ADCL_CONFIDENCE", confidence}}).decision_hash;
  };
  EXPECT_NE(hash_of("hypothesis", "2"), hash_of("hypothesis", "3"));
  EXPECT_EQ(hash_of("factorial", "2"), hash_of("factorial", "3")) << "factorial has no hypotheses to confirm";
  EXPECT_THROW(static_cast<void>(settings_with({}).search_options.integer("ADCL_CONFIDENCE")), Error);
}

TEST(Settings, ValuesOfEveryTypeTravel) {
  Settings sent = settings_with({});
  const std::map<std::string, OptionValues::Value> values = {
      {"ADCL_A", true}, {"ADCL_B", -3}, {"ADCL_C", 0.1}, {"ADCL_D", std::string("a word")}};
  sent.search_options = OptionValues(values);
  EXPECT_EQ(Settings::unpack(sent.pack()).search_options.all(), values);
}

TEST(Settings, AValueOfAnUnknownTypeIsRefused) {
  Settings sent = settings_with({});
  const auto index_of_bool = [&](const OptionValues& options) {
    sent.search_options = options;
    return sent.pack();
  };
  auto bytes = index_of_bool(OptionValues({{"ADCL_A", true}}));
  const auto other = index_of_bool(OptionValues({{"ADCL_A", 1}}));
  const auto place = std::mismatch(bytes.begin(), bytes.end(), other.begin()).first;
  ASSERT_NE(place, bytes.end());
  *place = std::byte{9};
  EXPECT_THROW(Settings::unpack(bytes), Error);
}

TEST(Settings, TooFewOrTooManyBytesAreRefused) {
  auto bytes = settings_with({}).pack();
  bytes.push_back(std::byte{0});
  EXPECT_THROW(Settings::unpack(bytes), Error);
  bytes.pop_back();
  bytes.pop_back();
  EXPECT_THROW(Settings::unpack(bytes), Error);
}

}  // namespace
}  // namespace adcl::runtime
