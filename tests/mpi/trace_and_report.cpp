// ranks: 1 2 3 4
// The trace and the report contain every measurement, every agreement, and the decision with its reason; the decision
// is the same on all ranks. If a folder or file cannot be written, ADCL_Finalize returns an error and writes the
// others.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "support/checks.hpp"

namespace {

using Json = nlohmann::json;
using adcl::text;
using adcl::test::expect;
using adcl::test::ok;
using adcl::test::read;
namespace fs = std::filesystem;

int rank = 0;

std::vector<Json> records(const fs::path& path) {
  std::vector<Json> list;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    list.push_back(Json::parse(line));
  }
  return list;
}

void run_search(MPI_Comm cart) {
  const int dims[2] = {9, 9};
  std::vector<double> data(81);
  ADCL_Request request = ADCL_REQUEST_NULL;
  ok(ADCL_Halo_init(ADCL_HALO(data.data(), 2, dims, 0, 1, MPI_DOUBLE), cart, &request), "ADCL_Halo_init");
  for (int i = 0; i < 12; ++i) {
    ok(ADCL_Request_start(request), "ADCL_Request_start");
    if (i == 2 || i == 10) {  // a sample during the search; ignored in production
      ok(ADCL_Request_update(request, 0.5), "ADCL_Request_update");
    }
  }
  ok(ADCL_Request_free(&request), "ADCL_Request_free");
}

void check_trace(const fs::path& folder, int expected_of_production) {
  std::string winner;
  int measured = 0;
  int replaced = 0;
  int agreements = 0;
  int produced = 0;
  for (const Json& record : records(folder / ("adcl." + std::to_string(rank) + ".jsonl"))) {
    expect(record.at("schema") == 5 && record.at("rank") == rank && record.at("time_s").get<double>() >= 0.0,
           "members of every record");
    const std::string event = record.at("event");
    if (event == "request") {
      expect(record.at("candidates").size() == 2 && record.at("function_set") == "neighborhood", "request record");
      expect(record.at("search") == "brute_force" && record.at("options").at("ADCL_MEASUREMENTS") == 3,
             "search and outlier method");
      expect(record.at("expected").size() == 2, "an expectation for each candidate");
      const Json& features = record.at("features");
      expect(features.at("datatype") == "MPI_DOUBLE" && features.at("extents") == "9x9", "features that are words");
      expect(features.at("bytes_out") == 8.0 * 7.0 * features.at("messages_out").get<double>(),
             "bytes of the features");
      expect(!features.at("mpi_library").get<std::string>().empty() &&
                 !features.at("mpi_version").get<std::string>().empty(),
             "the MPI library is a feature");
    } else if (event == "measurement") {
      expect(record.at("seconds").get<double>() >= 0.0, "a time is not negative");
      if (record.at("production").get<bool>()) {
        expect(record.at("sample") == -1 && record.at("start").get<int>() > 6, "a start in production");
        ++produced;
      } else if (record.at("replaces").get<bool>()) {
        ++replaced;
        expect(record.at("seconds") == 0.5 && record.at("start") == 3, "the time from the application");
      } else {
        ++measured;
        expect(record.at("start") == measured, "measurements have the numbers of their starts");
      }
    } else if (event == "agreement") {
      expect(record.at("entries").size() == 2, "an agreement about both codelets");
      ++agreements;
    } else if (event == "decision") {
      winner = record.at("winner");
      expect(!record.at("reason").get<std::string>().empty(), "a decision has a reason");
    }
  }
  expect(replaced == 1, "one measurement was replaced");
  expect(produced == expected_of_production, text("starts of production in the trace: ", produced));
  expect(measured == 6 && agreements == 1, "2 codelets x 3 measurements, 1 agreement");
  expect(winner == "IsIr_aao" || winner == "IsIr_aao_pack", "the winner is one of the two");
  const auto of_zero = records(folder / "adcl.0.jsonl");
  const auto decided = std::find_if(of_zero.rbegin(), of_zero.rend(),
                                    [](const Json& record) { return record.at("event") == "decision"; });
  expect(decided != of_zero.rend() && decided->at("winner") == winner, "the decision of rank 0");
}

/// The second search of a problem starts with the winner of the first search.
void check_history(const fs::path& folder) {
  std::string known;
  int hits = 0;
  for (const Json& record : records(folder / ("adcl." + std::to_string(rank) + ".jsonl"))) {
    if (record.at("event") == "history") {
      ++hits;
      known = record.at("winner");
      expect(record.at("kind") == "same problem" && !known.empty(), "a result from the history");
      expect(record.at("words").get<std::string>().empty() == (rank != 0), "only rank 0 records the source");
    } else if (record.at("event") == "decision" && hits > 0) {
      const std::string reason = record.at("reason");
      expect(record.at("confirmed") == (reason.find(known + ", the former winner") == 0),
             "a confirmed decision: " + reason);
    }
  }
  expect(hits == 1, text("history hits: ", hits));
}

/// A verification run: one codelet, with a record of every start.
void check_production(const fs::path& folder) {
  int starts = 0;
  for (const Json& record : records(folder / ("adcl." + std::to_string(rank) + ".jsonl"))) {
    if (record.at("event") == "measurement" && !record.at("replaces").get<bool>()) {
      ++starts;
      expect(record.at("production").get<bool>() && record.at("start") == starts, "each start in order");
      expect(record.at("codelet") == "IsIr_aao_pack", "the preselected codelet");
    }
  }
  expect(starts == 12, text("starts in the trace: ", starts));
}

void check_report(const fs::path& path) {
  const std::string report = read(path);
  for (const char* part : {"winner  IsIr_aao", "IsIr_aao_pack", "brute_force", "halo of 9x9 points"}) {
    expect(report.find(part) != std::string::npos, std::string("the report mentions ") + part);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const fs::path folder = fs::temp_directory_path() / ("adcl_trace_test_" + std::to_string(size));
  if (rank == 0) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int dims[2] = {0, 0};
  const int periods[2] = {1, 1};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);

  ok(ADCL_Init(), "ADCL_Init");
  ok(ADCL_Option_set("ADCL_SEARCH", "brute_force"), "option");
  ok(ADCL_Option_set("ADCL_MEASUREMENTS", "3"), "option");
  ok(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"), "option");
  ok(ADCL_Option_set("ADCL_MONITOR", "1000"), "option");
  ok(ADCL_Option_set("ADCL_TRACE", (folder / "trace").c_str()), "option");
  ok(ADCL_Option_set("ADCL_REPORT", (folder / "report.txt").c_str()), "option");
  run_search(cart);
  // Only measurements may be buffered.
  const fs::path trace = folder / "trace";
  const std::string written =
      fs::exists(trace) ? read(adcl::test::only_run(trace) / text("adcl.", rank, ".jsonl")) : std::string();
  expect(written.find("\"event\":\"decision\"") != std::string::npos, "a decision is written immediately");
  ok(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Barrier(MPI_COMM_WORLD);
  // Six of 12 starts are measured, and one waits for the agreement. The other five belong to a production check
  // (ADCL_MONITOR); the application updates the time of one of them.
  check_trace(adcl::test::only_run(folder / "trace"), 6);
  if (rank == 0) {
    check_report(folder / "report.txt");
  }

  ok(ADCL_Init(), "ADCL_Init");
  ok(ADCL_Option_set("ADCL_SEARCH", "brute_force"), "option");
  ok(ADCL_Option_set("ADCL_MEASUREMENTS", "3"), "option");
  ok(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"), "option");
  ok(ADCL_Option_set("ADCL_TRACE", (folder / "hits").c_str()), "option");
  ok(ADCL_Option_set("ADCL_HISTORY", (folder / "history").c_str()), "option");
  run_search(cart);
  run_search(cart);
  ok(ADCL_Option_set("ADCL_HISTORY", "off"), "option");
  ok(ADCL_Option_set("ADCL_TRACE", (folder / "verification").c_str()), "option");
  ok(ADCL_Option_set("ADCL_TRACE_PRODUCTION", "1"), "option");
  ok(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao_pack"), "option");
  run_search(cart);
  ok(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Barrier(MPI_COMM_WORLD);
  check_history(adcl::test::only_run(folder / "hits"));
  check_production(adcl::test::only_run(folder / "verification"));

  ok(ADCL_Init(), "ADCL_Init");
  ok(ADCL_Option_set("ADCL_TRACE", "/proc/no/such/folder"), "option");
  run_search(cart);
  expect(ADCL_Finalize() == ADCL_ERR_FILE, "a trace that cannot be written is an error");
  int flag = 1;
  ADCL_Initialized(&flag);
  expect(flag == 0, "the library is finalized despite the error");
  ok(ADCL_Init(), "ADCL_Init");
  ok(ADCL_Finalize(), "the failure is reported once");
  if (rank == 0) {
    const std::string report = read(folder / "report.txt");
    expect(report.find("winner  ") == report.rfind("winner  "), "a search is reported once");
  }

  MPI_Comm_free(&cart);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    fs::remove_all(folder);
  }
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
