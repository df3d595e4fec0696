// Settings: serialization, and the hash of the options that can change a decision.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "options/options.hpp"

namespace adcl::runtime {
namespace {

std::vector<Option> table() {
  const auto rows = option_table();
  return {rows.begin(), rows.end()};
}

/// The library's table with an additional row that no other code uses.
std::vector<Option> longer_table(const Option& row) {
  auto rows = table();
  rows.insert(rows.begin() + 3, row);
  return rows;
}

/// A value of the option that is not its default.
std::string other_value(const Option& option) {
  switch (option.type) {
    case OptionType::choice:
      return option.choices.front() != option.default_value ? option.choices.front() : option.choices.back();
    case OptionType::integer:
      return std::to_string(std::stoi(option.default_value) + 1);
    case OptionType::real:
      return std::to_string((option.minimum + option.maximum) / 4);
    case OptionType::toggle:
      return option.default_value == "1" ? "0" : "1";
    case OptionType::text:
      return option.name == "ADCL_MONITOR" || option.name == "ADCL_CONFIDENCE" ? "7" : "neighborhood:A";
    case OptionType::path:
      return "/a/folder";
  }
  return "";
}

OptionValues values_with(const std::vector<Option>& rows, const Option& option, const std::string& value) {
  OptionValues values(rows);
  values.set(option, value);
  return values;
}

OptionValues received(const OptionValues& sent, const std::vector<Option>& rows) {
  const auto packed = pack_values(sent, rows);
  std::span<const std::byte> bytes(packed);
  auto values = unpack_values(bytes, rows);
  EXPECT_TRUE(bytes.empty());
  return values;
}

Settings settings_with(const std::map<std::string, std::string>& changes) {
  OptionValues values(option_table());
  for (const auto& [name, value] : changes) {
    values.set(find_option(name), value);
  }
  return Settings::from(std::move(values));
}

TEST(Settings, SerializeAllOptionsExceptProcessOptions) {
  const auto rows = table();
  for (const Option& option : rows) {
    const auto sent = values_with(rows, option, other_value(option));
    ASSERT_NE(sent.all(), OptionValues(rows).all()) << option.name;
    const bool stays = option.role == OptionRole::process;
    EXPECT_EQ(received(sent, rows).all(), stays ? OptionValues(rows).all() : sent.all()) << option.name;
  }
}

TEST(Settings, HashIncludesExactlyTheOptionsThatDecide) {
  const auto rows = table();
  const auto hash_of = [&rows](const OptionValues& values) {
    return decision_hash_of(values, rows, "hypothesis", "cluster");
  };
  const std::uint64_t hash = hash_of(OptionValues(rows));
  for (const Option& option : rows) {
    const auto has = [&option](const char* user) {
      return std::ranges::find(option.users, user) != option.users.end();
    };
    const bool counts =
        option.role == OptionRole::decides && (option.users.empty() || has("hypothesis") || has("cluster"));
    EXPECT_EQ(hash_of(values_with(rows, option, other_value(option))) != hash, counts) << option.name;
  }
}

TEST(Settings, HashExcludesOutputAndTimers) {
  const std::uint64_t hash = settings_with({}).decision_hash;
  EXPECT_EQ(settings_with({{"ADCL_REPORT", "stderr"},
                           {"ADCL_TRACE", "t"},
                           {"ADCL_TRACE_PRODUCTION", "1"},
                           {"ADCL_ERRORS", "abort"},
                           {"ADCL_VECTOR_MEMORY", "private"},
                           {"ADCL_TIMER_INTERVAL", "3"},
                           {"ADCL_TIMER_COMBINATIONS", "3"}})
                .decision_hash,
            hash);
  EXPECT_EQ(settings_with({{"ADCL_OUTLIER_FRACTION", ".2"}}).decision_hash, hash) << "the same number";
  EXPECT_NE(settings_with({{"ADCL_CODELETS", "neighborhood:A"}}).decision_hash, hash);
  EXPECT_NE(settings_with({{"ADCL_HISTORY", "/a/folder"}}).decision_hash, hash);
}

TEST(Settings, SupportAdditionalRows) {
  const std::vector<Option> added = {Option::integer("ADCL_NEW", 0, 9, "3", "help"),
                                     Option::real("ADCL_NEW", 0, 9, "3", ""), Option::toggle("ADCL_NEW", "0", ""),
                                     Option::text("ADCL_NEW", "", "")};
  for (const Option& option : added) {
    for (const OptionRole role : {OptionRole::decides, OptionRole::timer, OptionRole::output, OptionRole::process}) {
      const auto rows = longer_table(option.with_role(role));
      const auto sent = values_with(rows, option, other_value(option));
      EXPECT_EQ(received(sent, rows).all() == sent.all(), role != OptionRole::process);
      const auto hash_of = [&rows](const OptionValues& values) {
        return decision_hash_of(values, rows, "model", "none");
      };
      EXPECT_EQ(hash_of(sent) != hash_of(OptionValues(rows)), role == OptionRole::decides);
    }
  }
}

TEST(Settings, AreDerivedFromTheValues) {
  const Settings sent = settings_with({{"ADCL_SEARCH", "hypothesis"},
                                       {"ADCL_CONFIDENCE", "3"},
                                       {"ADCL_TIMING", "barrier"},
                                       {"ADCL_OUTLIER_BOUND", "2.7182818284590451"},
                                       {"ADCL_MERGE_REQUESTS", "0"},
                                       {"ADCL_MONITOR", "12"},
                                       {"ADCL_MEMORY_LIMIT", "1e9"},
                                       {"ADCL_TRACE", "traces"},
                                       {"ADCL_TRACE_PRODUCTION", "1"}});
  const auto bytes = sent.pack();
  std::span<const std::byte> rest(bytes);
  const Settings received = *Settings::adopt(std::make_shared<const Settings>(settings_with({})), rest);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(received.search, "hypothesis");
  EXPECT_EQ(received.outliers, "heuristic");
  EXPECT_EQ(received.search_options.word("ADCL_CONFIDENCE"), "3");
  EXPECT_EQ(received.search_options.real("ADCL_OUTLIER_BOUND"), 2.7182818284590451);
  EXPECT_EQ(received.timing, Timing::barrier);
  EXPECT_FALSE(received.merge_requests);
  EXPECT_EQ(received.monitor, 12);
  EXPECT_EQ(received.values.real("ADCL_MEMORY_LIMIT"), 1e9);
  EXPECT_EQ(received.trace, "traces");
  EXPECT_TRUE(received.trace_production);
  EXPECT_EQ(received.decision_hash, sent.decision_hash);
  EXPECT_EQ(received.pack(), sent.pack());
  EXPECT_FALSE(settings_with({{"ADCL_TRACE_PRODUCTION", "1"}}).trace_production) << "no trace";
  EXPECT_EQ(settings_with({}).monitor, Settings::by_time);
  EXPECT_THROW(static_cast<void>(settings_with({}).search_options.word("ADCL_CONFIDENCE")), Error);
}

TEST(Settings, ConvertEveryTiming) {
  std::vector<Timing> values;
  for (const std::string& word : find_option("ADCL_TIMING").choices) {
    values.push_back(timing_of(word));
  }
  EXPECT_EQ(values, (std::vector<Timing>{Timing::arrival, Timing::nobarrier, Timing::barrier, Timing::interval}));
}

TEST(Settings, RejectBytesOfAnotherTable) {
  const auto bytes = pack_values(OptionValues(table()), table());
  std::span<const std::byte> span(bytes);
  EXPECT_THROW(unpack_values(span, longer_table(Option::toggle("ADCL_NEW", "0", ""))), Error);
}

TEST(Settings, AreSharedIfEqual) {
  const auto own = std::make_shared<const Settings>(settings_with({{"ADCL_MONITOR", "12"}}));
  for (const bool same : {true, false}) {
    auto bytes = settings_with({{"ADCL_MONITOR", same ? "12" : "13"}}).pack();
    bytes.push_back(std::byte{7});
    std::span<const std::byte> rest(bytes);
    EXPECT_EQ(Settings::adopt(own, rest) == own, same);
    ASSERT_EQ(rest.size(), 1U) << "the remaining bytes";
    EXPECT_EQ(rest.front(), std::byte{7});
  }
}

TEST(Settings, RejectTooFewBytes) {
  auto bytes = settings_with({{"ADCL_MONITOR", "12"}}).pack();
  bytes.pop_back();
  std::span<const std::byte> rest(bytes);
  EXPECT_THROW(Settings::adopt(std::make_shared<const Settings>(settings_with({})), rest), Error);
}

}  // namespace
}  // namespace adcl::runtime
