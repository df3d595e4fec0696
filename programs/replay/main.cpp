// adcl-replay: runs searches on recorded measurements, for `adcl replay`. Uses neither MPI nor a clock.
//
//   adcl-replay < DOCUMENT
//
// The document has schema 1, "function_set", "candidates" (name and expected time), "times" (for each candidate and
// rank, the seconds of its starts), "searches", "outliers" and "measurements" (the values to combine), "windows"
// (number of equidistant first starts within the recording), "starts" (of the program), "options", and "truth": a
// statistical method, and the times of verification runs if there are any. Each output line is a document: first the
// true time of each codelet, then one line for each combination. Exit code 1: the document is invalid; a line on
// standard error states the reason.
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "replay.hpp"

namespace {

using Json = nlohmann::ordered_json;
using adcl::replay::Outcome;
using adcl::replay::Recording;
using adcl::replay::Setup;
using adcl::replay::Times;

constexpr int schema = 1;

const adcl::FunctionSet* set_named(const std::string& name) {
  for (const auto& predefined : adcl::codelets::sets()) {
    if (predefined.set().name == name) {
      return &predefined.set();
    }
  }
  return nullptr;
}

double number_or_nan(const Json& object, const char* name) {
  const auto found = object.find(name);
  const bool there = found != object.end() && found->is_number();
  return there ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Attributes come from the library's table; user-defined codelets and combinations of a timer have no attributes.
adcl::select::Candidate candidate_of(const Json& object, const adcl::FunctionSet* set) {
  adcl::select::Candidate candidate;
  candidate.name = object.at("name").get<std::string>();
  candidate.expected = {number_or_nan(object, "log_time"), number_or_nan(object, "first")};
  if (set != nullptr) {
    for (const adcl::Codelet& codelet : set->codelets) {
      if (codelet.name == candidate.name) {
        candidate.attributes = codelet.attributes;
        return candidate;
      }
    }
    throw adcl::Error(adcl::Code::argument,
                      adcl::text("'", candidate.name, "' is not a codelet of ", set->name, " in this version"));
  }
  return candidate;
}

Recording recording_of(const Json& document, const Json& times) {
  Recording recording;
  const adcl::FunctionSet* set = set_named(document.at("function_set").get<std::string>());
  if (set != nullptr) {
    recording.attributes = set->attributes;
  }
  for (const Json& object : document.at("candidates")) {
    recording.candidates.push_back(candidate_of(object, set));
    recording.times.push_back(
        Times{times.at(recording.candidates.back().name).get<std::vector<std::vector<double>>>()});
  }
  adcl::replay::check(recording);
  return recording;
}

/// Options are strings or numbers; no search has options of another kind.
std::map<std::string, std::string> options_of(const Json& document) {
  std::map<std::string, std::string> options;
  for (const auto& [name, value] : document.at("options").items()) {
    options[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return options;
}

void write(const Json& line) { std::cout << line.dump() << std::endl; }

void write_truth(const Json& document, const Recording& recording) {
  const Json& truth = document.at("truth");
  const auto& method = adcl::measure::find(truth.at("outliers").get<std::string>());
  const bool apart = truth.contains("times");
  const auto seconds =
      adcl::replay::judged(apart ? recording_of(document, truth.at("times")) : recording, method, options_of(document));
  Json line = {{"schema", schema}, {"truth", Json::object()}};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    line["truth"][recording.candidates[i].name] = seconds[i];
  }
  write(line);
}

Json line_of(const Setup& setup, int window, const Outcome& outcome, const Recording& recording) {
  const auto name = [&](int candidate) { return recording.candidates[static_cast<std::size_t>(candidate)].name; };
  Json ties = Json::array();
  for (const int candidate : outcome.ties) {
    ties.push_back(name(candidate));
  }
  return {{"search", setup.logic->name},
          {"outliers", setup.method->name},
          {"measurements_per_codelet", setup.measurements},
          {"window", window},
          {"winner", outcome.winner < 0 ? "" : name(outcome.winner)},
          {"reason", outcome.reason},
          {"ties", ties},
          {"starts", outcome.starts},
          {"measurements", outcome.measurements},
          {"reused", outcome.reused},
          {"seconds", outcome.seconds}};
}

void replay_all(const Json& document) {
  const Recording recording = recording_of(document, document.at("times"));
  write_truth(document, recording);
  const int windows = document.at("windows").get<int>();
  Setup setup;
  setup.options = options_of(document);
  setup.starts = document.at("starts").get<int>();
  for (const Json& search : document.at("searches")) {
    setup.logic = &adcl::select::find(search.get<std::string>());
    for (const Json& outliers : document.at("outliers")) {
      setup.method = &adcl::measure::find(outliers.get<std::string>());
      for (const Json& measurements : document.at("measurements")) {
        setup.measurements = measurements.get<int>();
        for (int window = 0; window < windows; ++window) {
          setup.begin = static_cast<double>(window) / windows;
          write(line_of(setup, window, adcl::replay::replay(recording, setup), recording));
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** /*argv*/) {
  if (argc > 1) {
    std::cerr << "usage: adcl-replay < DOCUMENT; run `adcl evaluate replay` instead\n";
    return 2;
  }
  try {
    const Json document = Json::parse(std::cin);
    adcl::require(document.at("schema") == schema, adcl::Code::argument, "the document has schema ",
                  document.at("schema").dump(), ", but this adcl-replay reads schema ", schema,
                  "; install the adcl command and the library from the same version");
    replay_all(document);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "adcl-replay: " << error.what() << '\n';
    return 1;
  }
}
