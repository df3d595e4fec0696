#include "interpose/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "core/text.hpp"
#include "interpose/process.hpp"
#include "mpi/environment.hpp"
#include "mpi/library.hpp"

namespace adcl::interpose {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

/// "MPI_Reduce_scatter_block" for "reduce_scatter_block", with "_init" for persistent requests.
std::string mpi_name(const Summary& summary) {
  std::string name = codelets::name_of(summary.operation);
  if (summary.neighborhood) {
    return "MPI_Neighbor_" + name;
  }
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return "MPI_" + name + (summary.persistent ? "_init" : "");
}

Json interval(double value, double low, double high) { return {{"seconds", value}, {"low", low}, {"high", high}}; }

/// Time that ADCL_INTERPOSE_BITS=any would have saved in addition; null if unknown.
Json any_bits(const Summary& summary) {
  return summary.rehearsed_pairs > 0 ? interval(summary.any_saved_s, summary.any_saved_low_s, summary.any_saved_high_s)
                                     : Json();
}

/// Speedup of the winner in the pairs of its proof; null without a proof.
Json proof(const Summary& summary) {
  return summary.proof.has_value()
             ? Json{{"speedup", summary.proof->speedup}, {"low", summary.proof->low}, {"high", summary.proof->high}}
             : Json();
}

Json guidelines(const Summary& summary) {
  Json broken = Json::array();
  for (const Guideline& one : summary.guidelines) {
    broken.push_back({{"composition", one.composition}, {"factor", one.factor}, {"low", one.low}});
  }
  return broken;
}

Json row(const Summary& summary) {
  Json json = {{"call", mpi_name(summary)},
               {"up_to_bytes", summary.up_to_bytes},
               {"state", state_name(summary.state)},
               {"winner", summary.winner},
               {"reason", summary.reason},
               {"searches", summary.searches},
               {"calls", summary.calls},
               {"winner_calls", summary.production_calls},
               {"seconds", summary.seconds},
               {"winner_seconds", summary.production_s},
               {"search_seconds", summary.spent_s},
               {"pairs", summary.pairs},
               {"proof", proof(summary)},
               {"saved", nullptr},
               {"would_save", nullptr},
               {"with_any_bits", any_bits(summary)},
               {"guidelines", guidelines(summary)}};
  if (summary.compared_calls > 0) {
    json[summary.measured ? "would_save" : "saved"] =
        interval(summary.saved_s - summary.spent_s, summary.saved_low_s - summary.spent_s,
                 summary.saved_high_s - summary.spent_s);
  }
  return json;
}

Json passed_calls() {
  Json calls = Json::object();
  for (std::size_t i = 0; i < profile::call_count; ++i) {
    if (const auto number = passed[i].load(); number > 0) {
      calls[profile::call_table[i].name] = number;
    }
  }
  return calls;
}

Json history_of(const HistoryUse& use) {
  return {{"folder", use.folder}, {"known", use.known}, {"stored", use.stored}, {"trouble", use.trouble}};
}

Json document(const Process& process) {
  Json rows = Json::array();
  Summary all;
  Summary measured;
  std::vector<Summary> summaries = process.summaries();
  std::ranges::sort(summaries, std::greater<>(), &Summary::seconds);
  for (const Summary& summary : summaries) {
    rows.push_back(row(summary));
    (summary.measured ? measured : all).add(summary);
  }
  const double spent_s = all.spent_s + measured.spent_s;
  return {{"adcl_interpose", schema},
          {"program", program_invocation_short_name},
          {"mpi_library", mpi::library_version()},
          {"ranks", mpi::world_size()},
          {"seconds", process.seconds()},
          {"bits", process.options().any_bits ? "any" : "native"},
          {"mode", process.options().measures ? "measure" : "tune"},
          {"collective_seconds", all.seconds + measured.seconds},
          {"search_seconds", spent_s},
          {"saved", interval(all.saved_s - spent_s, all.saved_low_s - spent_s, all.saved_high_s - spent_s)},
          {"would_save", interval(measured.saved_s - measured.spent_s, measured.saved_low_s - measured.spent_s,
                                  measured.saved_high_s - measured.spent_s)},
          {"history", history_of(process.history())},
          {"with_any_bits", any_bits(all)},
          {"searched", rows},
          {"passed", passed_calls()}};
}

}  // namespace

void write_report(const Process& process) {
  const std::string& path = process.options().report;
  const std::string temporary = text(path, ".", getpid(), ".tmp");
  try {
    std::ofstream file(temporary);
    file << document(process).dump(2) << '\n';
    file.close();
    if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
      unlink(temporary.c_str());
    }
  } catch (const std::exception&) {
    unlink(temporary.c_str());
  }
}

}  // namespace adcl::interpose
