// The table of options contains the library's options and the options of selection logics and statistical methods.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "options/options.hpp"
#include "select/batch_search.hpp"

namespace adcl::runtime {
namespace {

const Option depth = Option::integer("ADCL_TOY_DEPTH", 1, 9, "3", "toy: the candidate that wins");

/// Measures all candidates. The option is the index of the winner.
class Toy final : public select::BatchSearch {
 public:
  Toy(std::vector<select::Candidate> candidates, const AttributeSet& attributes, const select::Parameters& parameters)
      : BatchSearch(std::move(candidates), attributes, parameters),
        winner_(parameters.options.integer("ADCL_TOY_DEPTH")) {}

 private:
  void advance() override {
    const std::vector<int> rest = unmeasured();
    if (rest.empty()) {
      conclude("");
    } else {
      measure(rest);
    }
  }
  [[nodiscard]] int leader() const override { return is_measured(winner_) ? winner_ : -1; }

  int winner_;
};

std::unique_ptr<select::Search> make_toy(std::vector<select::Candidate> candidates, const AttributeSet& attributes,
                                         const select::Parameters& parameters) {
  auto search = std::make_unique<Toy>(std::move(candidates), attributes, parameters);
  search->begin();
  return search;
}

select::Logic toy_logic() { return {"toy", "s", "s", {select::measurements_option(), depth}, make_toy}; }

measure::Estimator toy_method(const Option& option) {
  const measure::Estimator& none = measure::find("none");
  return {"toy", "s", "s", {option}, none.summarize, none.judge};
}

std::vector<std::string> names_of(const std::vector<Option>& table) {
  std::vector<std::string> names;
  for (const Option& option : table) {
    names.push_back(option.name);
  }
  return names;
}

TEST(ComposedOptions, IncludeTheOptionsOfEachRow) {
  const std::vector<select::Logic> logics = {select::find("hypothesis"), select::find("factorial"), toy_logic()};
  const std::vector<measure::Estimator> methods = {measure::find("none"),
                                                   toy_method(Option::toggle("ADCL_TOY_MEDIAN", "1", "toy: median"))};
  const auto table = compose_options(logics, methods);
  const auto names = names_of(table);
  const std::vector<std::string> expected = {"ADCL_SEARCH", "ADCL_MEASUREMENTS", "ADCL_CONFIDENCE", "ADCL_TOY_DEPTH",
                                             "ADCL_TIMING", "ADCL_OUTLIERS",     "ADCL_TOY_MEDIAN"};
  ASSERT_GT(names.size(), expected.size());
  ASSERT_EQ(std::vector<std::string>(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(expected.size())),
            expected);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(table[0].choices.back(), "toy");
  EXPECT_EQ(table[5].choices.back(), "toy");
}

TEST(ComposedOptions, AreReadByName) {
  const std::vector<select::Logic> logics = {select::find("model"), toy_logic()};
  OptionValues values(compose_options(logics, measure::table()));
  for (const int wanted : {1, 2}) {
    values.set(depth, std::to_string(wanted));
    select::Parameters parameters;
    parameters.options.take(values, logics[1].options);
    const auto search = logics[1].make({{"a", {}}, {"b", {}}, {"c", {}}}, {}, parameters);
    while (!search->ready()) {
      search->record(search->next(), 1.0);
    }
    search->absorb(search->pending());
    ASSERT_TRUE(search->verdict().has_value());
    EXPECT_EQ(search->verdict()->winner, wanted);
  }
  EXPECT_THROW(values.set(depth, "10"), Error);
}

TEST(ComposedOptions, RejectReadingAnOptionMissingInTheRow) {
  select::Logic row = toy_logic();
  row.options.pop_back();
  select::Parameters parameters;
  parameters.options.add(row.options);
  EXPECT_THROW(row.make({{"a", {}}, {"b", {}}}, {}, parameters), Error);
}

TEST(ComposedOptions, ShareAnOptionBetweenRows) {
  const std::vector<select::Logic> logics = {toy_logic()};
  const auto once = compose_options(logics, {});
  const std::vector<measure::Estimator> methods = {toy_method(depth)};
  EXPECT_EQ(compose_options(logics, methods).size(), once.size());
}

TEST(ComposedOptions, RejectDifferentDescriptionsOfAnOption) {
  Option other = depth;
  other.default_value = "4";
  const std::vector<select::Logic> logics = {toy_logic()};
  const std::vector<measure::Estimator> methods = {toy_method(other)};
  try {
    compose_options(logics, methods);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::internal);
    EXPECT_NE(std::string(error.what()).find("ADCL_TOY_DEPTH"), std::string::npos) << error.what();
  }
  const std::vector<measure::Estimator> conflicting = {
      toy_method(Option::toggle("ADCL_DEVICE", "1", "another meaning"))};
  EXPECT_THROW(compose_options(logics, conflicting), Error) << "an option of the library";
}

TEST(OptionTable, RowsAreConsistent) {
  for (const Option& option : option_table()) {
    EXPECT_TRUE(option.name.starts_with("ADCL_")) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_EQ(option.help.find('\n'), std::string::npos) << option.name;
    EXPECT_NO_THROW(checked_value(option, option.default_value)) << option.name;
    if (!option.thesis_value.empty()) {
      EXPECT_EQ(checked_value(option, option.thesis_value), option.thesis_value) << option.name;
      EXPECT_NE(option.thesis_value, option.default_value) << option.name;
    }
    const bool numeric = option.type == OptionType::integer || option.type == OptionType::real;
    EXPECT_TRUE(!numeric || option.minimum < option.maximum) << option.name;
    const bool has_words = option.type == OptionType::choice || option.type == OptionType::path;
    EXPECT_EQ(option.choices.empty(), !has_words) << option.name;
  }
}

TEST(OptionStore, MethodThesisChangesOnlyDefaults) {
  const std::map<std::string, std::string> wanted = {{"ADCL_SEARCH", "brute_force"},
                                                     {"ADCL_TIMING", "nobarrier"},
                                                     {"ADCL_OUTLIERS", "heuristic"},
                                                     {"ADCL_HISTORY", "off"},
                                                     {"ADCL_MONITOR", "0"}};
  OptionStore store;
  store.set(Origin::program, "ADCL_METHOD", "thesis");
  for (const auto& [name, value] : wanted) {
    EXPECT_EQ(store.value(name), value) << name;
    EXPECT_EQ(store.origin(name), name == "ADCL_OUTLIERS" ? Origin::default_value : Origin::method) << name;
  }
  store.set(Origin::program, "ADCL_SEARCH", "hypothesis");
  EXPECT_EQ(store.value("ADCL_SEARCH"), "hypothesis");
  EXPECT_EQ(store.origin("ADCL_SEARCH"), Origin::program);
  EXPECT_EQ(store.values().word("ADCL_HISTORY"), "off") << "the values for requests";
  store.set(Origin::program, "ADCL_METHOD", "adcl");
  EXPECT_EQ(store.value("ADCL_HISTORY"), "memory");
  EXPECT_EQ(store.origin("ADCL_HISTORY"), Origin::default_value);
}

TEST(CodeletFilter, AcceptsASimilarNameOfAnotherExistingSet) {
  FunctionSet set;
  set.name = "pair";
  set.codelets.resize(1);
  set.codelets.front().name = "first";
  const CodeletFilter filter("pairs:second");
  EXPECT_NO_THROW(filter.check(set, {}));
  EXPECT_NO_THROW(filter.check(set, std::vector<std::string>{"pair", "pairs"}));
  EXPECT_THROW(filter.check(set, std::vector<std::string>{"pair", "other"}), Error);
  EXPECT_TRUE(filter.admits("pair", "first"));
  EXPECT_THROW(CodeletFilter("pair:second").check(set, {}), Error);
}

TEST(OptionStore, EnvironmentOverridesFileOverridesProgram) {
  OptionStore store;
  store.read_lines("ADCL_MEASUREMENTS = 5", "a file");
  EXPECT_EQ(store.origin("ADCL_MEASUREMENTS"), Origin::file);
  store.set(Origin::program, "ADCL_MEASUREMENTS", "6");
  EXPECT_EQ(store.value("ADCL_MEASUREMENTS"), "5");
  store.set(Origin::environment, "ADCL_MEASUREMENTS", "7");
  store.read_lines("ADCL_MEASUREMENTS = 8", "a file");
  EXPECT_EQ(store.value("ADCL_MEASUREMENTS"), "7");
}

/// No option may have a name that from_environment() ignores.
TEST(OptionTable, ReadsEveryVariable) {
  for (const Option& option : option_table()) {
    const bool any = option.type == OptionType::text || option.type == OptionType::path;
    const std::string wrong = any ? "" : "not a value";
    setenv(option.name.c_str(), wrong.empty() ? option.default_value.c_str() : wrong.c_str(), 1);
    if (wrong.empty()) {
      EXPECT_EQ(OptionStore::from_environment().origin(option.name), Origin::environment) << option.name;
    } else {
      EXPECT_THROW(OptionStore::from_environment(), Error) << option.name;
    }
    unsetenv(option.name.c_str());
  }
}

TEST(OptionValues, HaveTheTypeOfTheOption) {
  const std::vector<Option> options = {Option::integer("ADCL_I", 0, 9, "4", "h"),
                                       Option::real("ADCL_R", 0, 9, "4", "h"), Option::toggle("ADCL_T", "1", "h"),
                                       Option::text("ADCL_W", "4", "h")};
  const OptionValues values{std::span<const Option>(options)};
  EXPECT_EQ(values.integer("ADCL_I"), 4);
  EXPECT_EQ(values.real("ADCL_R"), 4.0);
  EXPECT_TRUE(values.toggle("ADCL_T"));
  EXPECT_EQ(values.word("ADCL_W"), "4");
  EXPECT_THROW(static_cast<void>(values.integer("ADCL_R")), Error);
  EXPECT_THROW(static_cast<void>(values.real("ADCL_I")), Error);
  EXPECT_THROW(static_cast<void>(values.word("ADCL_X")), Error);
}

}  // namespace
}  // namespace adcl::runtime
