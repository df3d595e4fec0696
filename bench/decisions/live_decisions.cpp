// in simulators too
// in make check
// Program that makes many decisions, for decision_quality.py, on any number of processes.
//
//   live_decisions OPERATION SIZE SLICE SECONDS CODELETS FILE RUN...
//
// OPERATION is `halo`, of a periodic block of SIZE^3 points of doubles per process, or `alltoall` of SIZE bytes for
// each process. CODELETS are the names of the codelets that take part, joined by commas, or `all`. Writes the result of
// each RUN to FILE, in order:
//
// - `look`: for each codelet, the mean time of three operations after one operation that is not counted;
// - `codelet=NAME`: a verification run starts a request with this codelet alone for about SLICE seconds, at least five
//   times. Result: the mean time of an operation on the slowest process;
// - `tuned=SEARCH,OUTLIERS,TIMING,MEASUREMENTS`: starts a request for at least SECONDS, until it has decided or thirty
//   times SECONDS and a second are over. Result: the winner, and the starts and seconds of the run;
// - `watch=SEARCH,CHECK`: starts a request for SECONDS, whose production is monitored every CHECK starts. Result: for
//   each quarter of a second its begin, the mean time of an operation, and the codelet that ran last.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/document.hpp"
#include "decisions/requests.hpp"

namespace {

using bench::check;
using bench::Json;
using bench::set_option;
using bench::slowest;

constexpr int counted_looks = 3;
constexpr int fewest_starts = 5;
constexpr int most_starts = 200000;
constexpr int starts_between_looks_at_the_clock = 8;

/// An operation, and requests for it.
class Operation {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  [[nodiscard]] virtual const char* set() const = 0;
  [[nodiscard]] virtual ADCL_Request request() = 0;
  /// Writes to the data to send, as a program does between operations.
  virtual void write() = 0;
};

class Halo final : public Operation {
 public:
  explicit Halo(int points) : side_(points + 2) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::array<int, 3> processes{};
    const std::array<int, 3> periods{1, 1, 1};
    MPI_Dims_create(size, 3, processes.data());
    MPI_Cart_create(MPI_COMM_WORLD, 3, processes.data(), periods.data(), 0, &cart_);
    const auto side = static_cast<std::size_t>(side_);
    data_.assign(side * side * side, 1.0);
  }
  ~Halo() override { MPI_Comm_free(&cart_); }
  [[nodiscard]] const char* set() const override { return "neighborhood"; }
  [[nodiscard]] ADCL_Request request() override {
    ADCL_Request made = ADCL_REQUEST_NULL;
    const std::array<int, 3> dims{side_, side_, side_};
    check(ADCL_Halo_init(ADCL_HALO(data_.data(), 3, dims.data(), 0, 1, MPI_DOUBLE), cart_, &made), "ADCL_Halo_init");
    return made;
  }
  void write() override {
    // The outer two planes of cells of the block, which are sent across contiguous faces.
    const std::size_t plane = static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_);
    for (std::size_t i = 0; i < plane; ++i) {
      data_[plane + i] += 1.0;
      data_[data_.size() - 2 * plane + i] += 1.0;
    }
  }

 private:
  int side_;
  MPI_Comm cart_ = MPI_COMM_NULL;
  std::vector<double> data_;
};

class Alltoall final : public Operation {
 public:
  explicit Alltoall(int bytes) : bytes_(bytes) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sent_.assign(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(size), 1);
    received_ = sent_;
  }
  [[nodiscard]] const char* set() const override { return "alltoall"; }
  [[nodiscard]] ADCL_Request request() override {
    ADCL_Request made = ADCL_REQUEST_NULL;
    check(ADCL_Alltoall_init(sent_.data(), bytes_, MPI_BYTE, received_.data(), bytes_, MPI_BYTE, MPI_COMM_WORLD, &made),
          "ADCL_Alltoall_init");
    return made;
  }
  void write() override { std::fill(sent_.begin(), sent_.end(), static_cast<unsigned char>(++round_)); }

 private:
  int bytes_;
  unsigned round_ = 0;
  std::vector<unsigned char> sent_;
  std::vector<unsigned char> received_;
};

double seconds_of(Operation& operation, ADCL_Request request, int starts) {
  double seconds = 0.0;
  for (int i = 0; i < starts; ++i) {
    operation.write();
    const double begin = MPI_Wtime();
    bench::start(request);
    seconds += MPI_Wtime() - begin;
  }
  return seconds;
}

void admit(const Operation& operation, const std::string& codelets) {
  set_option("ADCL_CODELETS", codelets == "all" ? "" : std::string(operation.set()) + ":" + codelets);
}

Json look(Operation& operation, const std::string& codelets) {
  admit(operation, codelets);
  Json found = Json::array();
  for (const std::string& name : bench::codelets_of(operation.request())) {
    admit(operation, name);
    ADCL_Request request = operation.request();
    seconds_of(operation, request, 1);
    const double mean_s = slowest(seconds_of(operation, request, counted_looks) / counted_looks);
    check(ADCL_Request_free(&request), "ADCL_Request_free");
    found.push_back({{"codelet", name}, {"seconds", mean_s}});
  }
  return {{"codelets", found}};
}

Json verify(Operation& operation, const std::string& name, double seconds) {
  admit(operation, name);
  ADCL_Request request = operation.request();
  seconds_of(operation, request, 1);
  const double once = slowest(seconds_of(operation, request, 2) / 2.0);
  const int starts = std::clamp(static_cast<int>(seconds / std::max(once, 1e-7)), fewest_starts, most_starts);
  const double mean_s = slowest(seconds_of(operation, request, starts) / starts);
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  return {{"seconds", mean_s}, {"starts", starts}};
}

Json decide(Operation& operation, const std::string& codelets, const std::string& how, double shortest_s) {
  const double longest_s = 1.0 + 30.0 * shortest_s;
  constexpr std::array options{"ADCL_SEARCH", "ADCL_OUTLIERS", "ADCL_TIMING", "ADCL_MEASUREMENTS"};
  std::istringstream words(how);
  std::string word;
  for (const char* option : options) {
    if (!std::getline(words, word, ',')) {
      std::fprintf(stderr, "tuned=%s lacks a word for %s\n", how.c_str(), option);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    set_option(option, word);
  }
  admit(operation, codelets);
  const double begin = MPI_Wtime();
  ADCL_Request request = operation.request();
  bool over = false;
  int starts = 0;
  double seconds = 0.0;
  while (starts < most_starts && seconds <= (over ? shortest_s : longest_s)) {
    seconds_of(operation, request, starts_between_looks_at_the_clock);
    starts += starts_between_looks_at_the_clock;
    over = bench::settled(request);  // changes after the same start on all processes
    seconds = bench::of_root(MPI_Wtime() - begin);
  }
  seconds = slowest(MPI_Wtime() - begin);
  Json result = bench::decision_of(request);
  result.update({{"starts", starts}, {"seconds", seconds}});
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  set_option("ADCL_TIMING", "arrival");
  return result;
}

Json watch(Operation& operation, const std::string& codelets, const std::string& how, double longest_s) {
  constexpr double window_s = 0.25;
  set_option("ADCL_SEARCH", how.substr(0, how.find(',')));
  set_option("ADCL_MONITOR", how.substr(how.find(',') + 1));
  admit(operation, codelets);
  ADCL_Request request = operation.request();
  Json windows = Json::array();
  const double begin = MPI_Wtime();
  double now = 0.0;
  double window_begin = 0.0;
  double sum_s = 0.0;
  int starts = 0;
  bool searched = false;
  while (now < longest_s) {
    sum_s += seconds_of(operation, request, starts_between_looks_at_the_clock);
    starts += starts_between_looks_at_the_clock;
    searched = searched || !bench::settled(request);
    now = bench::of_root(MPI_Wtime() - begin);
    if (now - window_begin < window_s) {
      continue;
    }
    windows.push_back({{"begin", window_begin},
                       {"seconds", slowest(sum_s / starts)},
                       {"starts", starts},
                       {"codelet", bench::last_of(request)},
                       {"settled", !searched}});
    window_begin = now;
    searched = false;
    sum_s = 0.0;
    starts = 0;
  }
  check(ADCL_Request_free(&request), "ADCL_Request_free");
  set_option("ADCL_MONITOR", "0");
  return {{"windows", windows}};
}

struct Durations {
  double slice_s;
  double run_s;
};

Json result_of(Operation& operation, const std::string& run, const std::string& codelets, const Durations& durations) {
  const std::string value = run.substr(run.find('=') + 1);
  if (run == "look") {
    return look(operation, codelets);
  }
  if (run.rfind("codelet=", 0) == 0) {
    return verify(operation, value, durations.slice_s);
  }
  if (run.rfind("watch=", 0) == 0) {
    return watch(operation, codelets, value, durations.run_s);
  }
  return decide(operation, codelets, value, durations.run_s);
}

std::unique_ptr<Operation> operation_of(const std::string& name, int size) {
  if (name == "halo") {
    return std::make_unique<Halo>(size);
  }
  if (name == "alltoall") {
    return std::make_unique<Alltoall>(size);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  // Without history, searches are independent.
  set_option("ADCL_HISTORY", "off");
  int code = 2;
  {
    const std::unique_ptr<Operation> operation = argc < 8 ? nullptr : operation_of(argv[1], std::atoi(argv[2]));
    if (operation == nullptr) {
      std::fprintf(stderr, "usage: %s halo|alltoall SIZE SLICE SECONDS CODELETS FILE RUN...\n", argv[0]);
    } else {
      Json results = Json::array();
      for (int i = 7; i < argc; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        results.push_back(result_of(*operation, argv[i], argv[5], {std::atof(argv[3]), std::atof(argv[4])}));
      }
      code = bench::write_document(argv[6], {{"results", results}}, Json::array());
    }
  }
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
