#include "record.hpp"

#include "ADCL.h"

namespace adcl::bench {
namespace {

constexpr int schema = 1;

Json context_of(const Machine& machine, const Synchronization& synchronization, const Options& options) {
  Json labels = Json::object();
  for (const auto& [name, value] : options.labels) {
    labels[name] = value;
  }
  const std::string version = std::to_string(ADCL_VERSION_MAJOR) + "." + std::to_string(ADCL_VERSION_MINOR) + "." +
                              std::to_string(ADCL_VERSION_PATCH);
  return {{"program", "adcl-bench"},
          {"version", version},
          {"mpi_library", machine.library.name},
          {"mpi_version", machine.library.version},
          {"mpi_standard", machine.mpi_standard},
          {"ranks", machine.ranks},
          {"hosts", machine.hosts},
          {"ranks_per_host", machine.max_ranks_per_host},
          {"cores", machine.min_cores_per_host},
          {"oversubscribed", machine.oversubscribed},
          {"simulated", machine.simulated},
          {"start", options.start == Start::window ? "window" : "barrier"},
          {"clocks", synchronization.clocks},
          {"clock_error_s", synchronization.error_s},
          {"warmup", options.warmup},
          {"labels", labels}};
}

}  // namespace

Json record_of(const Function& function, const Setting& setting, const Samples& samples, const Machine& machine,
               const Synchronization& synchronization, const Options& options) {
  Json parameters = {{"p", setting.size}};
  if (function.unit_bytes > 0) {
    parameters["bytes"] = setting.bytes;
  }
  if (function.has_block) {
    parameters["block"] = setting.block;
    if (setting.components > 1) {
      parameters["components"] = setting.components;
    }
  }
  Json context = context_of(machine, synchronization, options);
  if (machine.oversubscribed && samples.sharing > 0.0) {
    context["sharing"] = samples.sharing;
  }
  return {{"schema", schema},
          {"context", context},
          {"function", function.name},
          {"metric", function.measured == Measured::time ? "time_s" : "memory_bytes"},
          {"expectation", function.expectation},
          {"parameters", parameters},
          {"repetitions", samples.repetitions},
          {"discarded", samples.discarded}};
}

}  // namespace adcl::bench
