// ranks: 1 2 3 4
// timeout: 120
// In production, pairs of starts compare the winner with the first codelet of the table, at the same start numbers on
// all ranks, for at most 1 % of the program's time. The gain is equal on all ranks. There is no comparison without
// monitoring, with preselected codelets, or if the first codelet is much too slow.
#include <mpi.h>

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
namespace fs = std::filesystem;

int rank = 0;

/// Times that the test sets.
struct Seconds {
  double first;
  double other;
};

void run(MPI_Comm cart, int starts, bool split, Seconds seconds) {
  const int dims[2] = {9, 9};
  std::vector<double> data(81);
  ADCL_Request request = ADCL_REQUEST_NULL;
  ok(ADCL_Halo_init(ADCL_HALO(data.data(), 2, dims, 0, 1, MPI_DOUBLE), cart, &request), "ADCL_Halo_init");
  char name[ADCL_MAX_NAME];
  for (int i = 0; i < starts; ++i) {
    if (split) {
      ok(ADCL_Request_init(request), "ADCL_Request_init");
      ok(ADCL_Request_wait(request), "ADCL_Request_wait");
    } else {
      ok(ADCL_Request_start(request), "ADCL_Request_start");
    }
    ok(ADCL_Request_get_curr_function(request, name, sizeof name), "ADCL_Request_get_curr_function");
    // Ranks differ: the times of the slowest rank count.
    const double share = rank == 0 ? 1.0 : 0.5;
    ok(ADCL_Request_update(request, share * (std::string(name) == "IsIr_aao" ? seconds.first : seconds.other)),
       "ADCL_Request_update");
  }
  ok(ADCL_Request_free(&request), "ADCL_Request_free");
}

/// Trace records of one search.
struct Found {
  std::vector<Json> gains;
  Json end;
  Json decision;
  long long first_in_production = 0;
  long long starts_of_search = 0;
};

Found found_in(const fs::path& folder) {
  Found found;
  std::ifstream file(adcl::test::only_run(folder) / text("adcl.", rank, ".jsonl"));
  for (std::string line; std::getline(file, line);) {
    const Json record = Json::parse(line);
    const std::string event = record.at("event");
    if (event == "gain") {
      found.gains.push_back(record);
    } else if (event == "end") {
      found.end = record;
    } else if (event == "decision") {
      found.decision = record;
    } else if (event == "measurement" && record.at("production").get<bool>() && !record.at("replaces").get<bool>()) {
      found.first_in_production += record.at("codelet") == "IsIr_aao" ? 1 : 0;
    }
  }
  return found;
}

Found traced(const fs::path& folder, MPI_Comm cart, int starts, bool split, Seconds seconds,
             const std::vector<std::pair<const char*, const char*>>& options) {
  ok(ADCL_Init(), "ADCL_Init");
  ok(ADCL_Option_set("ADCL_CODELETS", "neighborhood:IsIr_aao,IsIr_aao_pack"), "option");
  ok(ADCL_Option_set("ADCL_HISTORY", "off"), "option");
  ok(ADCL_Option_set("ADCL_TRACE", folder.c_str()), "option");
  for (const auto& [name, value] : options) {
    ok(ADCL_Option_set(name, value), name);
  }
  run(cart, starts, split, seconds);
  ok(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Barrier(MPI_COMM_WORLD);
  return found_in(folder);
}

/// Checks the bounds of the interval, which are equal on all ranks.
void expect_gain(const Found& found, double speedup, const std::string& what) {
  expect(!found.gains.empty(), what + ": there is a gain");
  if (found.gains.empty()) {
    return;
  }
  const Json& gain = found.gains.back();
  expect(gain.at("winner") == "IsIr_aao_pack" && gain.at("first") == "IsIr_aao", what + ": compares the two codelets");
  const double value = gain.at("speedup");
  expect(value > 0.999 * speedup && value < 1.001 * speedup, text(what, ": speedup ", value));
  expect(gain.at("low").get<double>() <= value && gain.at("high").get<double>() >= value,
         what + ": the interval contains the speedup");
  expect(gain.at("pairs").get<int>() >= 6, what + ": enough pairs");
  const double mine[2] = {value, gain.at("start").get<double>()};
  double theirs[2] = {0.0, 0.0};
  MPI_Allreduce(mine, theirs, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  expect(mine[0] == theirs[0] && mine[1] == theirs[1], what + ": equal on all ranks");
  const double extra = 2.0 * static_cast<double>(found.first_in_production) * (speedup - 1.0);
  expect(extra <= 0.01 * found.end.at("starts").get<double>(), text(what, ": it cost ", extra, " executions"));
}

void expect_starts(const Found& found, int starts, const std::string& what) {
  expect(found.end.at("starts") == starts, what + ": all starts are counted");
  const long long searching = starts - found.end.at("production").get<long long>();
  expect(searching == found.decision.at("searching_starts").get<long long>(),
         text(what, ": ", searching, " starts of the search, but the decision states ",
              found.decision.at("searching_starts").dump()));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const fs::path folder = fs::temp_directory_path() / ("adcl_gain_test_" + std::to_string(size));
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

  const Seconds twice{0.2, 0.1};
  for (const bool split : {false, true}) {
    const std::string way = split ? "init and wait" : "start";
    const Found decided = traced(folder / ("decided " + way), cart, 1600, split, twice,
                                 {{"ADCL_SEARCH", "brute_force"}, {"ADCL_MEASUREMENTS", "3"}});
    expect_gain(decided, 2.0, "after a decision, used by " + way);
    expect_starts(decided, 1600, "brute_force");
    const Found leading = traced(folder / ("leading " + way), cart, 1600, split, twice, {});
    expect_gain(leading, 2.0, "while the default search pauses, used by " + way);
    expect_starts(leading, 1600, "model");
  }
  const Found unmonitored = traced(folder / "unmonitored", cart, 1600, false, twice,
                                   {{"ADCL_SEARCH", "brute_force"}, {"ADCL_MEASUREMENTS", "3"}, {"ADCL_MONITOR", "0"}});
  expect(unmonitored.gains.empty() && unmonitored.first_in_production == 0, "no comparison without monitoring");
  const Found hopeless = traced(folder / "hopeless", cart, 1600, false, {96.1, 0.1},
                                {{"ADCL_SEARCH", "brute_force"}, {"ADCL_MEASUREMENTS", "3"}});
  expect(hopeless.gains.empty() && hopeless.first_in_production == 0, "a much slower first codelet does not run again");
  const Found kept = traced(folder / "kept", cart, 1600, false, {0.1, 0.2},
                            {{"ADCL_SEARCH", "brute_force"}, {"ADCL_MEASUREMENTS", "3"}});
  expect(kept.gains.empty(), "the first codelet has no gain over itself");
  const Found preselected =
      traced(folder / "preselected", cart, 1600, false, twice, {{"ADCL_CODELETS", "neighborhood:IsIr_aao_pack"}});
  expect(preselected.gains.empty() && preselected.first_in_production == 0, "no comparison after preselection");

  MPI_Comm_free(&cart);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    fs::remove_all(folder);
  }
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
