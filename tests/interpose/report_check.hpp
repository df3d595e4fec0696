/// \file report_check.hpp
/// Reads the report of the interposer after MPI_Finalize.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

/// The report that ADCL_INTERPOSE_REPORT names; null if there is none.
inline nlohmann::json read_report() {
  const char* const path = std::getenv("ADCL_INTERPOSE_REPORT");
  std::ifstream file(path != nullptr ? path : "");
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

/// Returns 1 if no search of the report has run candidates.
inline int report_lacks_searches() {
  const nlohmann::json report = read_report();
  long compared = 0;
  if (report.is_object()) {
    for (const auto& row : report["searched"]) {
      const std::string state = row["state"];
      compared += row["search_seconds"].get<double>() > 0.0 && state != "watching" ? 1 : 0;
      std::printf("%s up to %ld bytes: %s %s%s (%ld calls)\n", row["call"].get<std::string>().c_str(),
                  row["up_to_bytes"].get<long>(), state.c_str(), row["winner"].get<std::string>().c_str(),
                  row["reason"].get<std::string>().c_str(), row["calls"].get<long>());
    }
  }
  if (compared == 0) {
    std::fprintf(stderr, "the report has no search that ran candidates\n");
  }
  return compared == 0 ? 1 : 0;
}
