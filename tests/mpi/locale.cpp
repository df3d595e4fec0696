// ranks: 1 2 3 4
// One rank has a locale with a decimal comma and groups of digits, in C and in C++: the ranks choose the same winner
// from the same numbers, and options, messages, trace and report are the same as without this locale.
#include <mpi.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "support/checks.hpp"
#include "support/comma_locale.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using adcl::test::comma_locale;
using adcl::test::expect;
using adcl::test::ok;
using adcl::test::read;

int rank = 0;
int size = 1;

void set_locale(bool comma) {
  std::setlocale(LC_ALL, comma ? comma_locale : "C");
  std::locale::global(comma ? std::locale(comma_locale) : std::locale::classic());
}

void check_messages() {
  ADCL_Vmap vmap = ADCL_VMAP_NULL;
  const auto said = [](const char* part) { return std::string(ADCL_Last_error()).find(part) != std::string::npos; };
  expect(ADCL_Vmap_halo_allocate(-12345, &vmap) == ADCL_ERR_ARGUMENT && said("hwidth is -12345;"), "no digit grouping");
  expect(ADCL_Option_set("ADCL_OUTLIER_BOUND", "0.5") == ADCL_ERR_OPTION && said("from 1 to 1e+09"), "a range");
  expect(ADCL_Option_set("ADCL_OUTLIER_BOUND", "2,5") == ADCL_ERR_OPTION, "a decimal comma is an error everywhere");
}

/// With a fraction of 0.2, one outlier of ten is filtered and IsIr_aao wins; with a fraction of 0 the outlier counts
/// and IsIr_aao loses.
std::string winner_of_search(MPI_Comm cart) {
  const int dims[2] = {1204, 8};
  std::vector<double> data(1204U * 8U);
  ADCL_Request request = ADCL_REQUEST_NULL;
  ok(ADCL_Halo_init(ADCL_HALO(data.data(), 2, dims, 0, 2, MPI_DOUBLE), cart, &request), "ADCL_Halo_init");
  int aao_starts = 0;
  char name[ADCL_MAX_NAME] = "";
  for (int i = 0; i < 22; ++i) {
    ok(ADCL_Request_start(request), "ADCL_Request_start");
    ok(ADCL_Request_get_curr_function(request, name, sizeof name), "ADCL_Request_get_curr_function");
    const bool aao = std::string(name) == "IsIr_aao";
    aao_starts += aao ? 1 : 0;
    ok(ADCL_Request_update(request, aao ? (aao_starts == 5 ? 100.0 : 1.0) : 2.5), "ADCL_Request_update");
  }
  ok(ADCL_Request_get_winner(request, name, sizeof name), "ADCL_Request_get_winner");
  ok(ADCL_Request_free(&request), "ADCL_Request_free");
  return name;
}

struct Outcome {
  std::string report;
  std::string form;  ///< the part of the trace that is the same in each run
};

std::string form_of_trace(const fs::path& path) {
  std::string form;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    Json record = Json::parse(line, nullptr, false);
    expect(record.is_object(), "a line of the trace is not JSON: " + line);
    if (record.is_object() && record["event"] != "measurement") {
      for (const char* differs : {"communicator", "time_s", "searching_s", "preparation_s", "lost_s"}) {
        record.erase(differs);
      }
      form += record.dump() + "\n";
    }
  }
  return form;
}

/// Initializes, uses and finalizes the library; rank \p with_comma has the other locale, -1: none.
Outcome run(MPI_Comm cart, const fs::path& folder, int with_comma) {
  const std::string path = (folder / std::to_string(with_comma)).string();
  set_locale(rank == with_comma);
  ok(ADCL_Init(), "ADCL_Init");
  check_messages();
  ok(ADCL_Option_set("ADCL_SEARCH", "brute_force"), "option");
  ok(ADCL_Option_set("ADCL_MEASUREMENTS", "10"), "option");
  ok(ADCL_Option_set("ADCL_OUTLIER_BOUND", "2.5"), "option");
  ok(ADCL_Option_set("ADCL_OUTLIER_FRACTION", "0.2"), "option");
  ok(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"), "option");
  ok(ADCL_Option_set("ADCL_TRACE", path.c_str()), "option");
  ok(ADCL_Option_set("ADCL_REPORT", (path + ".txt").c_str()), "option");
  expect(winner_of_search(cart) == "IsIr_aao", "a decimal comma changes the winner");
  ok(ADCL_Finalize(), "ADCL_Finalize");
  set_locale(false);
  MPI_Barrier(MPI_COMM_WORLD);
  Outcome outcome;
  outcome.form = form_of_trace(adcl::test::only_run(path) / ("adcl." + std::to_string(rank) + ".jsonl"));
  // Removes the times of the search and line breaks, which differ between runs.
  const std::string words = std::regex_replace(read(path + ".txt"), std::regex("[ \n]+"), " ");
  outcome.report = std::regex_replace(words, std::regex("(took|together) [0-9]+(\\.[0-9]+)? (s|ms|us|ns)"), "$1 # s");
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  int have = adcl::test::make_comma_locale() ? 1 : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const fs::path folder = fs::temp_directory_path() / ("adcl_locale_runs_" + std::to_string(size));
  if (rank == 0) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (have != 0) {
    int dims[2] = {0, 0};
    const int periods[2] = {1, 1};
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    const Outcome plain = run(cart, folder, -1);
    expect(plain.report.find("IsIr_aao") != std::string::npos, "a report");
    for (const int with_comma : {0, size - 1}) {
      const Outcome other = run(cart, folder, with_comma);
      expect(other.form == plain.form, "the trace differs:\n" + other.form + "and not\n" + plain.form);
      expect(other.report == plain.report, "the report differs:\n" + other.report + "and not\n" + plain.report);
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) {
        fs::remove_all(folder / std::to_string(with_comma));
        fs::remove(folder / (std::to_string(with_comma) + ".txt"));
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&cart);
  } else if (rank == 0) {
    std::printf("localedef cannot create the locale %s: nothing to test\n", comma_locale);
  }
  if (rank == 0) {
    fs::remove_all(folder);
  }
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
