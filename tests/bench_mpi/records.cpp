// Tests the whole program adcl-bench: bench_mpi_records FILE measures every function, and checks all members of the
// records.
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "heap.hpp"
#include "program.hpp"

namespace {

using Json = nlohmann::json;
using adcl::bench::Measured;

constexpr int repetitions = 3;

std::string defect_of(const Json& record, const adcl::bench::Function& function) {
  const bool timed = function.measured == Measured::time;
  if (record["schema"] != 1 || record["metric"] != (timed ? "time_s" : "memory_bytes")) {
    return "schema or metric";
  }
  const std::size_t wanted = adcl::bench::is_of_process(function.measured) ? 1 : repetitions;
  if (record["repetitions"].size() != wanted || !record["discarded"].is_number_unsigned()) {
    return "the number of repetitions";
  }
  for (const Json& value : record["repetitions"]) {
    // On one rank, an object may share another object's memory and allocate nothing.
    if (!value.is_number() || !(timed ? value > 0.0 && value < 10.0 : value >= 0.0 && value < 1e9)) {
      return "the value " + value.dump();
    }
  }
  const Json& parameters = record["parameters"];
  if (parameters["p"] != record["context"]["ranks"] || parameters.contains("bytes") != (function.unit_bytes > 0)) {
    return "the parameters";
  }
  // The time that a rank waits for a core is measured only if ranks share cores, and after a barrier.
  const Json& context = record["context"];
  const bool shared = timed && context["oversubscribed"] == true && context["start"] == "barrier";
  if (context.contains("sharing") != shared || (shared && !(context["sharing"].get<double>() >= 1.0))) {
    return "the sharing of cores";
  }
  return "";
}

bool measurable(const adcl::bench::Function& function) {
  return function.measured == Measured::time || adcl::bench::heap::is_counted();
}

/// Returns the errors in the records of a file.
std::string defects(const std::string& path, const adcl::bench::Functions& table) {
  std::multiset<std::string> seen;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const Json record = Json::parse(line);
    for (const auto& function : table) {
      if (function.name == record["function"]) {
        const std::string defect = defect_of(record, function);
        if (!defect.empty()) {
          return function.name + ": " + defect + " in " + line;
        }
        seen.insert(function.name);
      }
    }
  }
  for (const auto& function : table) {
    const std::size_t sizes = !adcl::bench::is_of_process(function.measured) && function.unit_bytes > 0 ? 2 : 1;
    if (seen.count(function.name) != (measurable(function) ? sizes : 0)) {
      return function.name + " has " + std::to_string(seen.count(function.name)) + " records";
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " FILE [option...]\n";
    return 2;
  }
  const auto& table = adcl::bench::function_table();
  std::string count = std::to_string(repetitions);
  std::vector<std::string> arguments = {
      argv[0],  "--output",         argv[1],       "--repetitions",
      count,    "--warmup",         "1",           "--bytes",
      "8,2000", "--oversubscribed", "--functions", adcl::bench::heap::is_counted() ? "all" : "time,nonblocking"};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const int code = adcl::bench::run_program(static_cast<int>(arguments.size()), pointers.data(), "adcl-bench", table);
  if (code != 0) {
    std::cerr << "exit code " << code << '\n';
    return 1;
  }
  const std::string wrong = defects(argv[1], table);
  if (!wrong.empty()) {
    std::cerr << wrong << '\n';
    return 1;
  }
  return 0;
}
