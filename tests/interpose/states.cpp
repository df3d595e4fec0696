// The states of a search that are rare in practice: a codelet fails on one rank, its plan cannot be created, a winner
// becomes slower, communicators are freed in each state, and sizes share a winner. The clock is scripted: slow_mpi.c
// and planted_codelet.cpp determine all times. The program is compiled without ADCL.
#include <dlfcn.h>
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "planted.h"
#include "report_check.hpp"

namespace {

int failures = 0;
int rank = 0;
int size = 1;
adcl_planted* planted = nullptr;
adcl_slow_mpi* slow = nullptr;

void expect(bool good, const char* what, long value) {
  if (!good && ++failures < 20) {
    std::fprintf(stderr, "rank %d: %s (%ld)\n", rank, what, value);
  }
}

/// MPI_Alltoall of \p n ints per rank; checks the result. Returns MPI's code.
int exchange(MPI_Comm comm, int n) {
  static std::vector<int> send;
  static std::vector<int> receive;
  static int round = 0;
  ++round;
  send.assign(static_cast<std::size_t>(n * size), 0);
  receive.assign(send.size(), -1);
  for (int to = 0; to < size; ++to) {
    for (int i = 0; i < n; ++i) {
      send[static_cast<std::size_t>(to * n + i)] = round + 10 * i + 1000 * to + 100000 * rank;
    }
  }
  const int code = MPI_Alltoall(send.data(), n, MPI_INT, receive.data(), n, MPI_INT, comm);
  bool good = true;
  for (int from = 0; from < size; ++from) {
    for (int i = 0; i < n; ++i) {
      good = good && receive[static_cast<std::size_t>(from * n + i)] == round + 10 * i + 1000 * rank + 100000 * from;
    }
  }
  expect(good, "an exchange has a wrong result", n);
  return code;
}

/// Exchanges until \p done returns true. Returns the number of exchanges; \p most: it never did.
long exchange_until(MPI_Comm comm, int n, long most, const std::function<bool()>& done) {
  long calls = 0;
  while (calls < most && !done()) {
    exchange(comm, n);
    ++calls;
  }
  return calls;
}

/// Whether the last \p calls exchanges ran the codelet, or ran the MPI library's call.
class Streak {
 public:
  explicit Streak(bool of_codelet) : of_codelet_(of_codelet), runs_(planted->codelet_runs) {}
  bool operator()(long calls) {
    const bool ran = planted->codelet_runs != runs_;
    runs_ = planted->codelet_runs;
    length_ = ran == of_codelet_ ? length_ + 1 : 0;
    return length_ >= calls;
  }

 private:
  bool of_codelet_;
  long runs_;
  long length_ = -1;  // no exchange before the first call
};

constexpr double native_s = 4e-3;
constexpr double codelet_s = 1e-4;  // long enough for a check every few hundred calls
constexpr long long_streak = 40;    // longer than any part of a search or a comparison
constexpr long most_calls = 3000;

void restart() {
  *planted = {codelet_s, 0, 0, 0, planted->plans};
  *slow = {slow->clock_s, native_s, 0};
}

MPI_Comm new_comm() {
  restart();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

void reach_production(MPI_Comm comm, int n) {
  Streak codelet(true);
  const long calls = exchange_until(comm, n, most_calls, [&] { return codelet(long_streak); });
  expect(calls < most_calls, "the faster codelet does not win", n);
}

/// Exchanges until only the MPI library's call runs, and checks that it stays.
void expect_native(MPI_Comm comm, int n, const char* what) {
  Streak native(false);
  const long calls = exchange_until(comm, n, most_calls, [&] { return native(160); });
  expect(calls < most_calls, what, calls);
  const long runs = planted->codelet_runs;
  for (int i = 0; i < 300; ++i) {
    exchange(comm, n);
  }
  expect(planted->codelet_runs == runs, "a withdrawn codelet ran again", planted->codelet_runs - runs);
}

void slower_winner() {
  MPI_Comm comm = new_comm();
  reach_production(comm, 8);
  planted->codelet_s = 3 * native_s;
  expect_native(comm, 8, "a winner that has become slower stays");
  MPI_Comm_free(&comm);
}

long handled = 0;
int handled_code = MPI_SUCCESS;
void count_error(MPI_Comm* /*comm*/, int* code, ...) {
  ++handled;
  handled_code = *code;
}

/// Checks that only the failing rank has errors, and that they reach the error handler of the communicator.
void fails_on_one_rank(bool in_production) {
  MPI_Comm comm = new_comm();
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  if (in_production) {
    reach_production(comm, 16);
  }
  const int failing = size - 1;
  handled = 0;
  planted->codelet_fails = rank == failing ? 1 : 0;
  long codes = 0;
  Streak native(false);
  long calls = 0;
  const long before = planted->codelet_runs;
  do {
    codes += exchange(comm, 16) != MPI_SUCCESS ? 1 : 0;
    ++calls;
  } while (calls < most_calls && !(planted->codelet_runs > before && native(60)));
  expect(calls < most_calls, "a codelet that has failed stays", calls);
  expect(codes == handled, "the codes and the calls of the error handler differ", handled);
  if (rank == failing) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(handled_code, &error_class);
    expect(codes > 0 && error_class == MPI_ERR_OTHER, "the failure has no error", codes);
  } else {
    expect(codes == 0, "a failure of another rank is an error here", codes);
  }
  planted->codelet_fails = 0;
  expect_native(comm, 16, "a codelet that has failed runs");
  MPI_Comm_free(&comm);
}

/// The plan of the codelet cannot be created on one rank: the program sees no error.
void plan_fails() {
  MPI_Comm comm = new_comm();
  planted->plan_fails = rank == 0 ? 1 : 0;
  for (int i = 0; i < 200; ++i) {
    expect(exchange(comm, 24) == MPI_SUCCESS, "a plan that cannot be created is an error", i);
  }
  expect(planted->codelet_runs == 0, "a codelet without a plan on a rank runs", planted->codelet_runs);
  MPI_Comm_free(&comm);
}

/// The plan of the winner cannot be created for another size of the class.
void plan_of_another_size_fails() {
  MPI_Comm comm = new_comm();
  reach_production(comm, 33);
  planted->plan_fails = rank == 0 ? 1 : 0;
  const long runs = planted->codelet_runs;
  for (int i = 0; i < 300; ++i) {
    expect(exchange(comm, 34) == MPI_SUCCESS, "a plan that cannot be created is an error", i);
  }
  expect(planted->codelet_runs == runs, "a codelet without a plan on a rank runs", planted->codelet_runs);
  MPI_Comm_free(&comm);
}

/// Frees communicators after each number of calls, so in each state.
void freed_in_each_state() {
  const long plans = planted->plans;
  for (const int calls : {0, 1, 127, 128, 129, 130, 132, 136, 146, 166, 186, 196, 216, 246, 296, 396}) {
    MPI_Comm comm = new_comm();
    for (int i = 0; i < calls; ++i) {
      exchange(comm, 4);
    }
    MPI_Comm_free(&comm);
    expect(planted->plans == plans, "a communicator that is free has plans", planted->plans);
  }
}

/// Other sizes of the class need no search: they prove the winner of the first size.
void sizes_share_a_winner() {
  MPI_Comm comm = new_comm();
  reach_production(comm, 70);
  for (const int n : {80, 90, 128}) {
    const long slow_calls = slow->alltoall_calls;
    reach_production(comm, n);
    // Timed calls before it begins, and four calls for each of up to 32 pairs.
    expect(slow->alltoall_calls - slow_calls <= 2 * 16 + 32 * 4, "a size with a known winner searches",
           slow->alltoall_calls - slow_calls);
  }
  MPI_Comm_free(&comm);
}

/// Other sizes of a class without a winner keep the MPI library's call.
void sizes_share_a_rejection() {
  MPI_Comm comm = new_comm();
  planted->codelet_s = 2 * native_s;
  expect_native(comm, 70, "a slower codelet wins");
  const long runs = planted->codelet_runs;
  for (int i = 0; i < 300; ++i) {
    exchange(comm, 71 + i % 3);
  }
  expect(planted->codelet_runs == runs, "a rejected codelet runs for another size", planted->codelet_runs - runs);
  MPI_Comm_free(&comm);
}

/// A codelet that fails for one size is withdrawn for all sizes of the class.
void failure_withdraws_all_sizes() {
  MPI_Comm comm = new_comm();
  reach_production(comm, 70);
  reach_production(comm, 80);
  planted->codelet_fails = rank == 0 ? 1 : 0;
  Streak native(false);
  exchange_until(comm, 70, most_calls, [&] { return native(160); });
  planted->codelet_fails = 0;
  const long runs = planted->codelet_runs;
  for (int i = 0; i < 100; ++i) {
    exchange(comm, 80);
  }
  expect(planted->codelet_runs == runs, "a codelet that has failed runs for another size", runs);
  MPI_Comm_free(&comm);
}

/// Sizes that are not used for long give back their requests, and prove the winner again when they return.
void unused_requests_are_given_back() {
  MPI_Comm comm = new_comm();
  const long plans = planted->plans;
  reach_production(comm, 70);
  expect(planted->plans == plans + 1, "a winner has more plans than one", planted->plans - plans);
  reach_production(comm, 300);
  slow->alltoall_s = 1e-6;
  exchange_until(comm, 700, 30'000, [&] { return planted->plans == plans; });
  expect(planted->plans == plans, "requests that are not used are not given back", planted->plans - plans);
  slow->alltoall_s = native_s;
  reach_production(comm, 70);
  MPI_Comm_free(&comm);
  expect(planted->plans == plans, "a communicator that is free has plans", planted->plans);
}

/// The number of requests of the process is limited to 128. Neither freed communicators nor searches that keep the MPI
/// library's call count.
void ended_requests_do_not_count(bool rejected) {
  constexpr int most_requests = 128;
  constexpr int more = 6;
  constexpr int n = 1100;  // blocks above 4096 bytes, whose searches begin after 32 calls
  int searches = 0;
  for (int i = 0; i < most_requests + more; ++i) {
    MPI_Comm comm = new_comm();
    planted->codelet_s = rejected ? 2 * native_s : codelet_s;
    exchange_until(comm, n, 100, [] { return planted->codelet_runs > 0; });
    searches += planted->codelet_runs > 0 ? 1 : 0;
    if (rejected) {
      Streak native(false);
      const long calls = exchange_until(comm, n, 300, [&] { return native(24); });
      expect(calls < 300, "a slower codelet is not rejected", i);
    }
    MPI_Comm_free(&comm);
  }
  expect(searches == most_requests + more, "not all communicators have a search after earlier searches have ended",
         searches);
}

constexpr int reported_n = 5000;        // no other part uses this size class
constexpr long reported_bytes = 16384;  // smaller than its size class, larger than the other classes
double reported_s = 0.0;                // time of its calls

/// The report estimates the time of the calls, most of which are not timed. Calls of the codelet are not estimated with
/// the time of the MPI library's call. The communicator is freed between two timed calls.
void time_of_the_codelet() {
  MPI_Comm comm = new_comm();
  const double begin_s = MPI_Wtime();
  reach_production(comm, reported_n);
  for (int i = 0; i < 6000; ++i) {
    exchange(comm, reported_n);
  }
  reported_s = MPI_Wtime() - begin_s;
  MPI_Comm_free(&comm);
}

/// Returns 1 if the report does not state the time that time_of_the_codelet() took.
int report_has_another_time() {
  const nlohmann::json report = read_report();
  double seconds = 0.0;
  if (report.is_object()) {
    for (const auto& row : report["searched"]) {
      seconds += row["up_to_bytes"].get<long>() > reported_bytes ? row["seconds"].get<double>() : 0.0;
    }
  }
  const bool good = std::abs(seconds - reported_s) <= 0.001 * reported_s;
  if (!good) {
    std::fprintf(stderr, "the report states %.2f s for calls that took %.2f s\n", seconds, reported_s);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  planted = static_cast<adcl_planted*>(dlsym(RTLD_DEFAULT, "adcl_planted_state"));
  slow = static_cast<adcl_slow_mpi*>(dlsym(RTLD_DEFAULT, "adcl_slow_mpi_state"));
  if (planted == nullptr || slow == nullptr) {
    std::fprintf(stderr, "the libraries are not preloaded\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const struct {
    const char* name;
    std::function<void()> run;
  } parts[] = {{"slower winner", slower_winner},
               {"failure in a search", [] { fails_on_one_rank(false); }},
               {"failure in production", [] { fails_on_one_rank(true); }},
               {"plan fails", plan_fails},
               {"plan of another size fails", plan_of_another_size_fails},
               {"freed in each state", freed_in_each_state},
               {"sizes share a winner", sizes_share_a_winner},
               {"sizes share a rejection", sizes_share_a_rejection},
               {"failure withdraws all sizes", failure_withdraws_all_sizes},
               {"unused requests", unused_requests_are_given_back},
               {"freed requests", [] { ended_requests_do_not_count(false); }},
               {"rejected requests", [] { ended_requests_do_not_count(true); }},
               {"time of the codelet", time_of_the_codelet}};
  for (const auto& part : parts) {
    if (argc > 1 && std::strcmp(argv[1], part.name) != 0) {
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    part.run();
    if (rank == 0) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      std::printf("%s: %.2f s, %d failures\n", part.name, elapsed.count(), failures);
    }
  }
  // Searches in several states are open at the end.
  restart();
  for (int i = 0; i < 600; ++i) {
    exchange(MPI_COMM_WORLD, 1 + i % 3);
  }
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) {
    failures += report_lacks_searches() + (reported_s > 0.0 ? report_has_another_time() : 0);
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
