/// \file document.hpp
/// The document of a bench that is an MPI program.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/median.hpp"

namespace bench {

using Json = nlohmann::ordered_json;

/// The form that BENCH_FORM names: "usual", or "short", which the tests use for every bench. The short form takes
/// seconds and writes all kinds of figures; their values are meaningless.
inline std::string form_name() {
  const char* name = std::getenv("BENCH_FORM");
  return name == nullptr || *name == '\0' ? "usual" : name;
}

inline bool short_form() { return form_name() == "short"; }

/// \p usual, or \p few in the short form.
inline int effort(int usual, int few) { return short_form() ? few : usual; }

/// In the short form, keeps only the first \p few of \p settings.
template <typename Setting>
std::vector<Setting> in_form(std::vector<Setting> settings, std::size_t few = 1) {
  if (short_form() && settings.size() > few) {
    settings.erase(settings.begin() + static_cast<std::ptrdiff_t>(few), settings.end());
  }
  return settings;
}

/// True if the command line is a single file name; otherwise prints the usage.
inline bool names_a_file(int argc, char** argv) {
  const bool good = argc == 2 && argv[1][0] != '-';
  if (!good) {
    std::fprintf(stderr, "usage: %s FILE   (the figures are written to FILE as JSON)\n", argv[0]);
  }
  return good;
}

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// A figure of a document; a bench may add further entries. bench/figures.toml has its unit and target.
inline Json figure(const std::string& name, double value) { return {{"name", name}, {"value", value}}; }

inline Json figure(const std::string& name, const Interval& value) {
  return {{"name", name}, {"value", value.median}, {"interval", {value.low, value.high}}};
}

/// The median ratio of two samples of each round, with its interval and its quartiles.
inline Json ratio_figure(const std::string& name, const std::vector<double>& of, const std::vector<double>& to) {
  const std::vector<double> found = ratios(of, to);
  const Interval quartiles = quartiles_of(found);
  Json ratio = figure(name, median_of(found));
  ratio["quartiles"] = {quartiles.low, quartiles.high};
  return ratio;
}

/// Name and version of the MPI library, up to the first comma or the end of the line.
inline std::string library_name() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string library = version;
  return library.substr(0, library.find_first_of(",\n"));
}

/// Rank 0 writes the figures, and \p context in addition to the number of ranks and the MPI library. Returns the exit
/// code. Collective.
inline int write_document(const char* path, const Json& context, const Json& figures) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int code = 0;
  if (rank == 0) {
    Json all = {{"form", form_name()}, {"ranks", size}, {"mpi_library", library_name()}};
    all.update(context);
    std::ofstream file(path);
    file << Json{{"context", std::move(all)}, {"figures", figures}}.dump(1) << '\n' << std::flush;
    code = file.good() ? 0 : 1;
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

/// Mean seconds of \p calls calls of \p run, after one call that is not counted; maximum over the ranks. Collective.
template <typename Run>
double mean_seconds(int calls, const Run& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  run();
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    run();
  }
  double seconds = (MPI_Wtime() - begin) / calls;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

}  // namespace bench
