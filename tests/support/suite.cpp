#include "support/suite.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>

#include "mpi/context.hpp"
#include "mpi/environment.hpp"
#include "support/ledger.hpp"
#include "support/random.hpp"

namespace adcl::test {
namespace {

constexpr std::size_t printed_failures = 10;
constexpr int wall_times = 5;  ///< seconds of wall time for each second of processor time

// Text that the signal handler prints; written only between watch(0) and watch(n).
std::array<char, 4096> current_step{};
std::size_t current_step_length = 0;

void deadlocked(int /*signal*/) {
  static constexpr char prefix[] = "no progress, probably a deadlock: ";
  if (write(STDERR_FILENO, prefix, sizeof prefix - 1) < 0 ||
      write(STDERR_FILENO, current_step.data(), current_step_length) < 0) {
    _exit(3);
  }
  // Give the other ranks time to print their step before the launcher ends them.
  sleep(2);
  std::abort();
}

/// Calls deadlocked() after this process has used \p seconds of processor time, which takes a busy machine into
/// account. A sleeping process uses none, so there is also a limit of wall time. 0: no limit.
void watch(int seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(static_cast<unsigned>(seconds * wall_times));
}

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

Suite::Suite() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  struct {
    std::uint64_t seed;
    double seconds;
    double share;
    long long problem;
    int watchdog_s;
    std::array<char, 1024> codelets;
  } agreed{};
  if (rank_ == 0) {
    const std::string seed = environment_value("ADCL_TEST_SEED");
    const std::string seconds = environment_value("ADCL_TEST_SECONDS");
    const std::string share = environment_value("ADCL_TEST_SHARE");
    const std::string problem = environment_value("ADCL_TEST_PROBLEM");
    const std::string watchdog = environment_value("ADCL_TEST_WATCHDOG");
    agreed.seed = seed.empty() ? std::random_device()() : std::stoull(seed);
    agreed.seconds = seconds.empty() ? -1 : std::stod(seconds);
    agreed.share = share.empty() ? 1 : std::stod(share);
    agreed.problem = problem.empty() ? -1 : std::stoll(problem);
    agreed.watchdog_s = watchdog.empty() ? 0 : std::stoi(watchdog);
    std::snprintf(agreed.codelets.data(), agreed.codelets.size(), "%s",
                  environment_value("ADCL_TEST_CODELETS").c_str());
  }
  MPI_Bcast(&agreed, sizeof agreed, MPI_BYTE, 0, MPI_COMM_WORLD);
  seed_ = agreed.seed;
  seconds_ = agreed.seconds;
  share_ = agreed.share;
  only_problem_ = agreed.problem;
  watchdog_s_ = agreed.watchdog_s;
  codelets_ = agreed.codelets.data();
  std::signal(SIGALRM, deadlocked);
  std::signal(SIGPROF, deadlocked);
  // Failed calls become exceptions with a description.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank_ == 0) {
    std::printf("ADCL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed_));
    std::fflush(stdout);
  }
}

bool Suite::wants_codelet(const std::string& name) const {
  return codelets_.empty() || ("," + codelets_ + ",").find("," + name + ",") != std::string::npos;
}

void Suite::step(const std::string& what) {
  watch(0);
  step_ = loop_.empty() ? what : loop_ + ": " + what;
  const std::string line = "rank " + std::to_string(rank_) + " of " + std::to_string(size_) + ": " + step_ + "\n";
  current_step_length = std::min(line.size(), current_step.size());
  std::memcpy(current_step.data(), line.data(), current_step_length);
  watch(watchdog_s_ > 0 ? watchdog_s_ : patience_s_);
}

void Suite::be_patient(int seconds) noexcept { patience_s_ = seconds; }

void Suite::fail(const std::string& message) {
  failures_.push_back(message);
  if (failures_.size() <= printed_failures) {
    std::fprintf(stderr, "FAILED on rank %d of %d: %s\n  while: %s\n", rank_, size_, message.c_str(), step_.c_str());
    std::fflush(stderr);
  }
}

void Suite::allow(double seconds) {
  // A simulator's clock does not measure the duration of the test.
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::microseconds(static_cast<long long>(1e6 * (seconds_ >= 0 ? seconds_ : share_ * seconds)));
}

bool Suite::has_time(MPI_Comm comm) const {
  int more = only_problem_ >= 0 || std::chrono::steady_clock::now() < deadline_ ? 1 : 0;
  MPI_Bcast(&more, 1, MPI_INT, 0, comm);
  return more != 0;
}

void Suite::repeat(const char* what, double seconds, const std::function<void(std::uint64_t)>& body) {
  const auto is_over = [this](long long problems) {
    const int mine = static_cast<int>(failures_.size());
    int most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    constexpr int enough_failures = 100;
    return most > enough_failures || (problems > 0 && !has_time(MPI_COMM_WORLD));
  };
  allow(seconds);
  const long long first = only_problem_ >= 0 ? only_problem_ : 0;
  long long number = first;
  do {
    loop_ = std::string(what) + " (ADCL_TEST_SEED=" + std::to_string(seed_) +
            " ADCL_TEST_PROBLEM=" + std::to_string(number) + ")";
    step("agreement on the next problem");
    body(mixed(seed_ ^ mixed(static_cast<std::uint64_t>(number))));
    ++number;
    step("agreement on the next problem");
  } while (only_problem_ < 0 && !is_over(number));
  if (rank_ == 0) {
    std::printf("%s: %lld problems\n", what, number - first);
    std::fflush(stdout);
  }
  loop_.clear();
}

void Suite::count_codelet(const std::string& codelet, const std::string& reason) {
  auto entry = std::find_if(counts_.begin(), counts_.end(), [&](const Count& c) { return c.codelet == codelet; });
  if (entry == counts_.end()) {
    entry = counts_.insert(entry, Count{codelet, 0, 0, ""});
  }
  if (reason.empty()) {
    ++entry->done;
  } else {
    ++entry->refused;
    entry->last_reason = reason;
  }
}

int Suite::verdict(const char* program) {
  step("verdict");
  const std::string left = left_behind();
  expect(left.empty(), left + " were not freed");
  int mine[2] = {static_cast<int>(failures_.size()), failures_.empty() ? size_ : rank_};
  int failures = 0;
  int first = 0;
  MPI_Allreduce(&mine[0], &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&mine[1], &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  long long exchanges = 0;
  MPI_Allreduce(&exchanges_, &exchanges, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank_ == 0) {
    for (const Count& count : counts_) {
      if (count.done == 0) {
        std::printf("%s: not applicable to any of %d problems, the last time because %s\n", count.codelet.c_str(),
                    count.refused, count.last_reason.c_str());
      }
    }
    if (failures != 0) {
      std::printf("%s: %d FAILURES, first failing rank %d, ADCL_TEST_SEED=%llu\n", program, failures, first,
                  static_cast<unsigned long long>(seed_));
    } else {
      std::printf("%s: passed on %d ranks, %zu codelets, %lld exchanges checked\n", program, size_, counts_.size(),
                  exchanges);
    }
    std::fflush(stdout);
  }
  watch(0);
  return failures == 0 ? 0 : 1;
}

int run_suite(int argc, char** argv, const std::function<void(Suite&)>& body) {
  MPI_Init(&argc, &argv);
  int code = 2;
  try {
    mpi::open_environment();
    Suite suite;
    body(suite);
    suite.step("end of the library");
    mpi::Context::release_all();
    mpi::close_environment();
    code = suite.verdict(argc > 0 ? argv[0] : "test");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "FAILED: unexpected exception: %s\n%.*s", failure.what(),
                 static_cast<int>(current_step_length), current_step.data());
    std::fflush(stderr);
#ifdef SMPI_H
    std::_Exit(2);  // MPI_Abort of SMPI ends the simulation with exit code 0.
#endif
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return code;
}

}  // namespace adcl::test
