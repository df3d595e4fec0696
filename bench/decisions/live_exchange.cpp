// with: halo/twins/*.cpp
// options: -O3
// One program that exchanges halos, for search_live.py and disturbed.py: a block of N^3 points of doubles per process,
// two processes one behind the other along the first dimension (contiguous faces) or the last dimension (strided
// faces).
//
//   live_exchange N contiguous|strided STARTS FILE KIND...
//
// Runs STARTS exchanges of each KIND and writes the time of each KIND to FILE, including creation and destruction of
// its objects, on the slower process: `plain`, derived types and nonblocking messages as in typical programs;
// `search=NAME`, ADCL with a selection logic; `codelet=NAME`, ADCL with one codelet. `during=SECONDS` runs the default
// search for this time instead of STARTS exchanges. `codelets` measures each codelet in turns and writes the median of
// its mean times. The data to send are written before each exchange; this is not timed.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ADCL.h"
#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "common/median.hpp"
#include "halo/twins/faces.hpp"
#include "halo/twins/twins.hpp"

namespace {

using bench::check;
using bench::Json;

constexpr int rounds = 7;
constexpr double round_s = 2e-3;

struct Field {
  MPI_Comm cart = MPI_COMM_NULL;
  std::vector<double> data;
  twins::Block block;
  std::vector<twins::Side> sides;

  Field(int points, bool strided) {
    const std::array<int, 3> processes{strided ? 1 : 2, 1, strided ? 2 : 1};
    const std::array<int, 3> periods{1, 1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 3, processes.data(), periods.data(), 0, &cart);
    const auto side = static_cast<std::size_t>(points) + 2;
    data.assign(side * side * side, 1.0);
    block.cart = cart;
    block.dims.assign(3, points + 2);
    block.fields = {data.data()};
    sides = twins::sides_of(block);
  }
  ~Field() { MPI_Comm_free(&cart); }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  ADCL_Request request() {
    ADCL_Request made = ADCL_REQUEST_NULL;
    check(ADCL_Halo_init(ADCL_HALO(data.data(), 3, block.dims.data(), 0, 1, MPI_DOUBLE), cart, &made),
          "ADCL_Halo_init");
    return made;
  }

  void write() {
    for (const twins::Side& side : sides) {
      twins::increment(side.send, data.data());
    }
  }
};

template <typename Run>
double seconds_of(Field& field, int starts, const Run& run) {
  double seconds = 0.0;
  for (int i = 0; i < starts; ++i) {
    field.write();
    const double begin = MPI_Wtime();
    run();
    seconds += MPI_Wtime() - begin;
  }
  return seconds;
}

std::string text_of(int (*get)(ADCL_Request, char*, int), ADCL_Request request) {
  std::array<char, ADCL_MAX_NAME> text{};
  check(get(request, text.data(), ADCL_MAX_NAME), "ADCL_Request_get_winner or _get_curr_function");
  return text.data();
}

Json plain(Field& field, int starts) {
  const double begin = MPI_Wtime();
  const std::unique_ptr<twins::Twin> twin = twins::datatype_twins().front().make(field.block);
  const double made_s = MPI_Wtime() - begin;
  return {{"seconds", made_s + seconds_of(field, starts, [&] { twin->exchange(); })}};
}

Json what_runs(ADCL_Request request) {
  int state = 0;
  check(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  return {{"last", text_of(ADCL_Request_get_curr_function, request)},
          {"winner", text_of(ADCL_Request_get_winner, request)},
          {"settled", state == ADCL_STATE_PRODUCTION}};
}

Json tuned(Field& field, int starts, const std::string& search, const std::string& codelet) {
  check(ADCL_Option_set("ADCL_SEARCH", search.c_str()), "ADCL_Option_set");
  check(ADCL_Option_set("ADCL_CODELETS", codelet.empty() ? "" : ("neighborhood:" + codelet).c_str()),
        "ADCL_Option_set");
  double begin = MPI_Wtime();
  ADCL_Request request = field.request();
  double seconds = MPI_Wtime() - begin;
  seconds += seconds_of(field, starts, [&] { ADCL_Request_start(request); });
  Json result = what_runs(request);
  begin = MPI_Wtime();
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  result["seconds"] = seconds + (MPI_Wtime() - begin);
  return result;
}

Json tuned_during(Field& field, double wanted_s) {
  constexpr int block = 50;
  ADCL_Request request = field.request();
  const double begin = MPI_Wtime();
  int starts = 0;
  int goes_on = 1;
  for (; goes_on != 0; starts += block) {
    seconds_of(field, block, [&] { ADCL_Request_start(request); });
    goes_on = MPI_Wtime() - begin < wanted_s ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, field.cart);
  }
  Json result = what_runs(request);
  result["starts"] = starts;
  result["seconds"] = MPI_Wtime() - begin;
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return result;
}

/// The median over the rounds of the mean time of an exchange, on the slower process.
Json all_codelets(int points, bool strided) {
  Field field(points, strided);
  std::vector<std::string> names;
  std::vector<ADCL_Request> requests;
  check(ADCL_Option_set("ADCL_CODELETS", ""), "ADCL_Option_set");
  ADCL_Request all = field.request();
  int count = 0;
  check(ADCL_Request_get_functions_num(all, &count), "ADCL_Request_get_functions_num");
  for (int i = 0; i < count; ++i) {
    std::array<char, ADCL_MAX_NAME> name{};
    check(ADCL_Request_get_statistics(all, i, name.data(), ADCL_MAX_NAME, nullptr, nullptr, nullptr, nullptr),
          "ADCL_Request_get_statistics");
    names.emplace_back(name.data());
  }
  check(ADCL_Request_free(&all), "ADCL_Request_free");
  for (const std::string& name : names) {
    check(ADCL_Option_set("ADCL_CODELETS", ("neighborhood:" + name).c_str()), "ADCL_Option_set");
    requests.push_back(field.request());
  }
  std::map<std::string, std::vector<double>> times;
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto exchange = [&] { ADCL_Request_start(requests[i]); };
      double once = seconds_of(field, 2, exchange) / 2.0;
      MPI_Bcast(&once, 1, MPI_DOUBLE, 0, field.cart);
      const int calls = std::clamp(static_cast<int>(round_s / std::max(once, 1e-7)), 2, 200);
      double mean_s = seconds_of(field, calls, exchange) / calls;
      MPI_Allreduce(MPI_IN_PLACE, &mean_s, 1, MPI_DOUBLE, MPI_MAX, field.cart);
      if (round >= 0) {
        times[names[i]].push_back(mean_s);
      }
    }
  }
  Json medians;
  for (std::size_t i = 0; i < names.size(); ++i) {
    medians[names[i]] = bench::median_of(times[names[i]]).median;
    check(ADCL_Request_free(&requests[i]), "ADCL_Request_free");
  }
  return medians;
}

Json result_of(const std::string& kind, int points, bool strided, int starts) {
  if (kind == "codelets") {
    return all_codelets(points, strided);
  }
  Field field(points, strided);
  const auto value = kind.substr(kind.find('=') + 1);
  Json result = kind == "plain"                 ? plain(field, starts)
                : kind.rfind("during=", 0) == 0 ? tuned_during(field, std::atof(value.c_str()))
                : kind.rfind("search=", 0) == 0 ? tuned(field, starts, value, "")
                                                : tuned(field, starts, "model", value);
  double seconds = result["seconds"];
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  result["seconds"] = seconds;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  // Without history, searches are independent.
  check(ADCL_Option_set("ADCL_HISTORY", "off"), "ADCL_Option_set");
  int code = 2;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 6 || size != 2) {
    std::fprintf(stderr, "usage, with two processes: %s N contiguous|strided STARTS FILE KIND...\n", argv[0]);
  } else {
    Json results;
    for (int i = 5; i < argc; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      results[argv[i]] = result_of(argv[i], std::atoi(argv[1]), std::string(argv[2]) == "strided", std::atoi(argv[3]));
    }
    code = bench::write_document(argv[4], {{"results", results}}, Json::array());
  }
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
