// From the texts of options to the values the library works with.
#include <cstdlib>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "runtime/options.hpp"

namespace adcl::runtime {

Settings Settings::parse(std::span<const std::string> values) {
  std::map<std::string, std::string> by_name;
  Hash decision;
  const auto table = option_table();
  require(values.size() == table.size(), Code::internal, "settings of another version of the library: ", values.size(),
          " values for ", table.size(), " options");
  for (std::size_t i = 0; i < table.size(); ++i) {
    by_name[table[i].name] = values[i];
    if (table[i].name != "ADCL_REPORT" && table[i].name != "ADCL_TRACE") {
      decision.add(values[i]);
    }
  }
  const auto number = [&](const char* name) { return std::strtod(by_name.at(name).c_str(), nullptr); };
  const auto toggle = [&](const char* name) { return by_name.at(name) == "1"; };
  Settings settings;
  settings.search = by_name.at("ADCL_SEARCH");
  settings.measurements = static_cast<int>(number("ADCL_MEASUREMENTS"));
  settings.barrier = by_name.at("ADCL_TIMING") == "barrier";
  settings.outliers = by_name.at("ADCL_OUTLIERS");
  settings.outlier_bound = number("ADCL_OUTLIER_BOUND");
  settings.outlier_fraction = number("ADCL_OUTLIER_FRACTION");
  settings.confidence = static_cast<int>(number("ADCL_CONFIDENCE"));
  settings.codelets = CodeletFilter(by_name.at("ADCL_CODELETS"));
  settings.merge_requests = toggle("ADCL_MERGE_REQUESTS");
  settings.overlap_blocking = toggle("ADCL_OVERLAP_BLOCKING");
  settings.device = toggle("ADCL_DEVICE");
  settings.memory_limit = number("ADCL_MEMORY_LIMIT");
  settings.report = by_name.at("ADCL_REPORT");
  settings.trace = by_name.at("ADCL_TRACE");
  settings.decision_hash = decision.value();
  return settings;
}

}  // namespace adcl::runtime
