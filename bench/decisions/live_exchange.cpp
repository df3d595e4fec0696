// with: halo/twins/*.cpp
// options: -O3
// Exchanges halos, for search_live.py, busy.py and history.py: a block of N^3 points of doubles per process, two
// processes along the first (contiguous faces) or the last dimension (strided faces).
//
//   live_exchange N contiguous|strided STARTS FILE KIND...
//
// Runs STARTS exchanges of each KIND and writes to FILE the time on the slower process, including the creation and
// release of what the exchanges need:
//
// - `plain`: derived types and non-blocking messages, as in programs without ADCL;
// - `search=NAME`: ADCL with this search;
// - `codelet=NAME`: ADCL with this codelet;
// - `during=SECONDS`: ADCL with the default search, for this time instead of STARTS exchanges;
// - `sizes=N,N...`: ADCL with the default options, STARTS cycles of an exchange of each size, as in a multigrid cycle;
// - `codelets`: instead of the time, the median of the mean times of each codelet; the codelets run alternately.
//
// The program writes the sent points before each exchange; this is not timed. Except with `sizes`, searches have no
// history.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "common/median.hpp"
#include "decisions/requests.hpp"
#include "halo/twins/faces.hpp"
#include "halo/twins/twins.hpp"

namespace {

using bench::check;
using bench::Json;
using bench::set_option;

constexpr int rounds = 7;
constexpr double round_s = 2e-3;

/// Two processes along the last dimension (strided faces) or the first.
class Cart {
 public:
  explicit Cart(bool strided) {
    const std::array<int, 3> processes{strided ? 1 : 2, 1, strided ? 2 : 1};
    const std::array<int, 3> periods{1, 1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 3, processes.data(), periods.data(), 0, &cart_);
  }
  ~Cart() { MPI_Comm_free(&cart_); }
  Cart(const Cart&) = delete;
  Cart& operator=(const Cart&) = delete;
  [[nodiscard]] MPI_Comm get() const { return cart_; }

 private:
  MPI_Comm cart_ = MPI_COMM_NULL;
};

struct Field {
  MPI_Comm cart;
  std::vector<double> data;
  twins::Block block;
  std::vector<twins::Side> sides;

  Field(int points, MPI_Comm communicator) : cart(communicator) {
    const auto side = static_cast<std::size_t>(points) + 2;
    data.assign(side * side * side, 1.0);
    block.cart = cart;
    block.dims.assign(3, points + 2);
    block.fields = {data.data()};
    sides = twins::sides_of(block);
  }

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

Json plain(Field& field, int starts) {
  const double begin = MPI_Wtime();
  const std::unique_ptr<twins::Twin> twin = twins::datatype_twins().front().make(field.block);
  const double made_s = MPI_Wtime() - begin;
  return {{"seconds", made_s + seconds_of(field, starts, [&] { twin->exchange(); })}};
}

Json tuned(Field& field, int starts, const std::string& search, const std::string& codelet) {
  set_option("ADCL_SEARCH", search);
  set_option("ADCL_CODELETS", codelet.empty() ? "" : "neighborhood:" + codelet);
  double begin = MPI_Wtime();
  ADCL_Request request = field.request();
  double seconds = MPI_Wtime() - begin;
  seconds += seconds_of(field, starts, [&] { ADCL_Request_start(request); });
  Json result = bench::decision_of(request);
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
  for (double now_s = 0.0; now_s < wanted_s; starts += block) {
    seconds_of(field, block, [&] { ADCL_Request_start(request); });
    now_s = bench::of_root(MPI_Wtime() - begin);
  }
  Json result = bench::decision_of(request);
  result["starts"] = starts;
  result["seconds"] = MPI_Wtime() - begin;
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return result;
}

/// Exchanges of blocks of several sizes alternately, with strided faces.
Json tuned_sizes(const std::string& sizes, int cycles) {
  const Cart cart(true);
  std::vector<Field> fields;
  std::istringstream words(sizes);
  for (std::string word; std::getline(words, word, ',');) {
    fields.emplace_back(std::atoi(word.c_str()), cart.get());
  }
  std::vector<ADCL_Request> requests;
  double begin = MPI_Wtime();
  for (Field& field : fields) {
    requests.push_back(field.request());
  }
  double seconds = MPI_Wtime() - begin;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      seconds += seconds_of(fields[i], 1, [&] { bench::start(requests[i]); });
    }
  }
  Json last = Json::array();
  for (ADCL_Request& request : requests) {
    last.push_back(bench::last_of(request));
    begin = MPI_Wtime();
    check(ADCL_Request_free(&request), "ADCL_Request_free");
    seconds += MPI_Wtime() - begin;
  }
  return {{"seconds", seconds}, {"last", last}};
}

/// The median over the rounds of the mean time of an exchange, on the slower process.
Json all_codelets(int points, bool strided) {
  const Cart cart(strided);
  Field field(points, cart.get());
  set_option("ADCL_CODELETS", "");
  const std::vector<std::string> names = bench::codelets_of(field.request());
  std::vector<ADCL_Request> requests;
  for (const std::string& name : names) {
    set_option("ADCL_CODELETS", "neighborhood:" + name);
    requests.push_back(field.request());
  }
  std::map<std::string, std::vector<double>> times;
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto exchange = [&] { ADCL_Request_start(requests[i]); };
      const double once = bench::of_root(seconds_of(field, 2, exchange) / 2.0);
      const int calls = std::clamp(static_cast<int>(round_s / std::max(once, 1e-7)), 2, 200);
      const double mean_s = bench::slowest(seconds_of(field, calls, exchange) / calls);
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

Json timed(const std::string& name, const std::string& value, int points, bool strided, int starts) {
  if (name == "sizes") {
    return tuned_sizes(value, starts);
  }
  const Cart cart(strided);
  Field field(points, cart.get());
  return name == "plain"    ? plain(field, starts)
         : name == "during" ? tuned_during(field, std::atof(value.c_str()))
         : name == "search" ? tuned(field, starts, value, "")
                            : tuned(field, starts, "model", value);
}

Json result_of(const std::string& kind, int points, bool strided, int starts) {
  const std::string name = kind.substr(0, kind.find('='));
  if (name != "sizes") {
    set_option("ADCL_HISTORY", "off");
  }
  if (name == "codelets") {
    return all_codelets(points, strided);
  }
  Json result = timed(name, kind.substr(kind.find('=') + 1), points, strided, starts);
  result["seconds"] = bench::slowest(result["seconds"]);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
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
