#include "history/entry.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace adcl::history {
namespace {

using Json = nlohmann::ordered_json;

std::string hexadecimal(std::uint64_t value) {
  std::string word(16, '0');
  for (auto digit = word.rbegin(); value != 0; ++digit, value >>= 4U) {
    *digit = "0123456789abcdef"[value & 15U];
  }
  return word;
}

std::uint64_t from_hexadecimal(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  require(error == std::errc() && end == word.data() + word.size() && word.size() == 16, Code::file, "'", word,
          "' is not a number of 16 hexadecimal digits");
  return value;
}

Json json_of(const Decision& decision) {
  Json estimates = Json::array();
  for (const Estimate& estimate : decision.estimates) {
    estimates.push_back({{"codelet", estimate.codelet},
                         {"mean_s", estimate.numbers.mean_s},
                         {"filtered_mean_s", estimate.numbers.filtered_mean_s},
                         {"outliers", estimate.numbers.outliers},
                         {"measurements", estimate.numbers.measurements},
                         {"spread_s", estimate.numbers.spread_s},
                         {"judged_s", estimate.judged_s}});
  }
  return {
      {"winner", decision.winner},       {"winner_s", decision.winner_s},   {"reason", decision.reason},
      {"search", decision.search},       {"outliers", decision.outliers},   {"decided", decision.decided},
      {"confirmed", decision.confirmed}, {"decisions", decision.decisions}, {"confirmations", decision.confirmations},
      {"version", decision.version},     {"expected", decision.expected},   {"untried", decision.untried},
      {"estimates", estimates}};
}

/// Throws Error(file) for a negative or infinite number.
double number_of(const Json& object, const char* name) {
  const auto value = object.at(name).get<double>();
  require(std::isfinite(value) && value >= 0.0, Code::file, name, " is ", value,
          "; it must be a finite number of at least 0");
  return value;
}

/// The time of one operation in seconds, at most a day.
double seconds_of(const Json& object, const char* name) {
  constexpr double longest_s = 86400.0;
  const double value = number_of(object, name);
  require(value <= longest_s, Code::file, name, " is ", value, "; it must be at most ", longest_s, " seconds");
  return value;
}

std::int64_t count_of(const Json& object, const char* name) {
  const Json& value = object.at(name);
  require(value.is_number_unsigned() && value.get<std::uint64_t>() < (std::uint64_t{1} << 62U), Code::file, name,
          " is not a count");
  return value.get<std::int64_t>();
}

Estimate estimate_of(const Json& object) {
  return {object.at("codelet").get<std::string>(),
          {seconds_of(object, "mean_s"), seconds_of(object, "filtered_mean_s"), number_of(object, "outliers"),
           number_of(object, "measurements"), seconds_of(object, "spread_s")},
          seconds_of(object, "judged_s")};
}

/// Optional numbers by codelet, at least \p lowest.
std::map<std::string, double> numbers_of(const Json& object, const char* name, double lowest) {
  auto numbers = object.value(name, Json::object()).get<std::map<std::string, double>>();
  for (const auto& [codelet, number] : numbers) {
    require(std::isfinite(number) && number >= lowest, Code::file, "the value of ", codelet, " in ", name, " is ",
            number, "; it must be a finite number of at least ", lowest);
  }
  return numbers;
}

Decision decision_of(const Json& object) {
  Decision decision;
  decision.winner = object.at("winner").get<std::string>();
  decision.winner_s = seconds_of(object, "winner_s");
  decision.reason = object.at("reason").get<std::string>();
  decision.search = object.at("search").get<std::string>();
  decision.outliers = object.at("outliers").get<std::string>();
  decision.decided = object.at("decided").get<std::string>();
  decision.confirmed = object.at("confirmed").get<std::string>();
  decision.decisions = count_of(object, "decisions");
  decision.confirmations = count_of(object, "confirmations");
  decision.version = object.at("version").get<std::string>();
  decision.expected = numbers_of(object, "expected", 1.0);
  decision.untried = numbers_of(object, "untried", std::numeric_limits<double>::lowest());
  bool found = false;
  for (const Json& item : object.at("estimates")) {
    const Estimate& estimate = decision.estimates.emplace_back(estimate_of(item));
    found = found || (estimate.codelet == decision.winner && estimate.numbers.measurements >= 1.0);
  }
  require(found, Code::file, "the winner ", decision.winner, " has no estimate");
  return decision;
}

Features features_of(const Json& object) {
  Features features;
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) {
      features.push_back({name, value.get<std::string>()});
    } else {
      features.push_back({name, value.get<double>()});
    }
  }
  return features;
}

Entry entry_of(const Json& document) {
  const Json& stored = document.at("schema");
  require(stored.is_number_integer() && stored.get<int>() == schema, Code::file, "the schema is ", stored.dump(),
          ", but this library reads schema ", schema);
  Entry entry;
  entry.identity.function_set = document.at("function_set").get<std::string>();
  entry.identity.problem = from_hexadecimal(document.at("signature").get<std::string>());
  entry.identity.processor = document.at("processor").get<std::string>();
  entry.identity.barrier = document.at("barrier").get<bool>();
  entry.identity.candidates = document.at("candidates").get<std::vector<std::string>>();
  require(document.at("identity").get<std::string>() == entry.identity.word(), Code::file,
          "the identity does not match the other contents");
  entry.problem = document.at("problem").get<std::string>();
  entry.features = features_of(document.at("features"));
  for (const auto& [mode, decision] : document.at("decisions").items()) {
    entry.decisions[mode] = decision_of(decision);
  }
  return entry;
}

}  // namespace

std::uint64_t Identity::hash() const {
  Hash hash;
  hash.add(function_set).add(problem).add(processor).add(static_cast<std::uint64_t>(barrier));
  for (const std::string& candidate : candidates) {
    hash.add(candidate);
  }
  return hash.add(candidates.size()).value();
}

std::string Identity::word() const { return hexadecimal(hash()); }

std::string to_text(const Entry& entry) {
  Json features = Json::object();
  for (const Feature& feature : entry.features) {
    std::visit([&](const auto& value) { features[feature.name] = value; }, feature.value);
  }
  Json decisions = Json::object();
  for (const auto& [mode, decision] : entry.decisions) {
    decisions[mode] = json_of(decision);
  }
  const Json document = {{"schema", schema},
                         {"identity", entry.identity.word()},
                         {"function_set", entry.identity.function_set},
                         {"problem", entry.problem},
                         {"signature", hexadecimal(entry.identity.problem)},
                         {"processor", entry.identity.processor},
                         {"barrier", entry.identity.barrier},
                         {"features", features},
                         {"candidates", entry.identity.candidates},
                         {"decisions", decisions}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Entry from_text(const std::string& text) {
  try {
    return entry_of(Json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(Code::file, adcl::text("invalid JSON at byte ", error.byte));
  } catch (const nlohmann::json::exception& error) {
    throw Error(Code::file, error.what());
  }
}

void add_decision(Entry& entry, const std::string& mode, Decision decision, Outcome outcome) {
  const auto found = entry.decisions.find(mode);
  if (found == entry.decisions.end()) {
    entry.decisions.emplace(mode, std::move(decision));
    return;
  }
  Decision& known = found->second;
  if (outcome == Outcome::confirmed && known.winner == decision.winner) {
    known.confirmed = decision.decided;
    ++known.confirmations;
    return;
  }
  decision.decisions = known.decisions + (outcome == Outcome::refined ? 0 : decision.decisions);
  decision.confirmed = known.winner == decision.winner ? known.confirmed : "";
  decision.confirmations = known.winner == decision.winner ? known.confirmations : 0;
  known = std::move(decision);
}

}  // namespace adcl::history
