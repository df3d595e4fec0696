// with: common/recording.cpp
// links: bench_mpi adcl_objects
// Records tables of the times of all codelets of the collectives, for expectations and for replays of searches;
// codelets.cpp records such tables for the neighborhood. FILE can be stored as
// data/recorded/collectives/LIBRARY-MACHINE.json. Usage: bench_collective_codelets FILE [--plans=N] [--rounds=N]
// [SET...].
#include <ADCL.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "codelets/sets.hpp"
#include "common/document.hpp"
#include "common/recording.hpp"
#include "preselected.hpp"

namespace {

using bench::Json;
using bench::Recorded;

const std::vector<std::size_t> all_bytes{8, 64, 512, 4096, 32768, 262144, 2097152};

const adcl::FunctionSet& set_named(const std::string& name) {
  const auto sets = adcl::codelets::sets();
  return std::find_if(sets.begin(), sets.end(), [&](const auto& one) { return one.set().name == name; })->set();
}

Json record(const adcl::bench::Pattern& pattern, const adcl::bench::Setting& setting, const bench::Effort& effort) {
  const adcl::FunctionSet& set = set_named(pattern.set);
  std::vector<adcl::bench::OperationPointer> operations;
  std::vector<Recorded> all;
  for (const adcl::Codelet& codelet : set.codelets) {
    try {
      for (int plan = 0; plan < effort.plans; ++plan) {
        operations.push_back(pattern.make(setting, set.name, codelet.name));
        const ADCL_Request request = adcl::bench::request_of(*operations.back());
        all.push_back({codelet.name, [request] { return ADCL_Request_start(request); }});
      }
    } catch (const adcl::bench::NotApplicable&) {
      continue;
    }
  }
  return {{"name", set.name + "_" + std::to_string(setting.bytes)},
          {"set", set.name},
          {"bytes", setting.bytes},
          {"codelets", bench::record(all, effort)}};
}

int run(int argc, char** argv) {
  std::vector<std::string> names;
  const bench::Effort effort = bench::effort_of(argc, argv, names);
  adcl::bench::Setting setting;
  setting.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(setting.comm, &setting.rank);
  MPI_Comm_size(setting.comm, &setting.size);
  Json tables = Json::array();
  for (const adcl::bench::Pattern& pattern : adcl::bench::collective_patterns()) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), pattern.set) != names.end();
    if (!wanted || set_named(pattern.set).overlaps) {  // their time depends on the overlapped computation
      continue;
    }
    if (setting.rank == 0) {
      std::fprintf(stderr, "%s\n", pattern.set.c_str());
    }
    for (const std::size_t bytes : bench::in_form(all_bytes)) {
      setting.bytes = pattern.unit_bytes == 0 ? 0 : bytes;
      tables.push_back(record(pattern, setting, effort));
      if (pattern.unit_bytes == 0) {
        break;
      }
    }
  }
  return bench::write_tables(argv[1], tables);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr,
                 "usage: %s FILE [--plans=N] [--rounds=N] [SET...]   (the tables are written to FILE as JSON)\n",
                 argv[0]);
    return 2;
  }
  MPI_Init(&argc, &argv);
  bench::check(ADCL_Init(), "ADCL_Init");
  const int code = run(argc, argv);
  ADCL_Finalize();
  MPI_Finalize();
  return code;
}
