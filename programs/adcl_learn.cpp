// adcl-learn: searches for the winners of given problems and stores them in the folder of ADCL_HISTORY (`adcl learn`).
//
//   mpirun -n RANKS adcl-learn SECONDS PROBLEM...
//
// A problem is halo:DIMENSIONS:POINTS:FIELDS, a block of POINTS per side and rank, which all ranks exchange in a
// periodic grid, or bcast:BYTES, allreduce:BYTES, allgather:BYTES or alltoall:BYTES, with BYTES for each receiver of a
// rank. Each problem has one search with start and one with init and wait. Rank 0 writes a line of JSON at the end of
// each search. The program ends after SECONDS: a search takes at most a quarter of the remaining time, and unfinished
// searches restart while there is time. Exit code 0: all searches finished, or the time is over; 1: an error; 2: usage.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ADCL.h"

namespace {

using Json = nlohmann::ordered_json;

constexpr int most_starts = 20000;
constexpr double most_bytes = 512e6;  ///< limit of the memory on each rank
constexpr int largest_dimensions = 3;
constexpr std::size_t most_parts = 4;  ///< a search takes at most 1 / most_parts of the remaining time
/// Starts of a re-check of a stored winner: warm-up, timed starts, and the agreement.
constexpr int recheck_starts = 12;

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(int code, const char* call) {
  if (code != ADCL_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": " + ADCL_Last_error());
  }
}

int number(std::string_view text, std::string_view whole, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw Usage("problem '" + std::string(whole) + "': '" + std::string(text) + "' is not a whole number from " +
                std::string(Json(least).dump()) + " to " + std::string(Json(most).dump()));
  }
  return value;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

struct Problem {
  std::string text;
  std::string name;  ///< "halo", or the collective
  int dimensions = 0;
  int points = 0;
  int fields = 0;
  int bytes = 0;
};

constexpr std::array<std::string_view, 4> collectives{"bcast", "allreduce", "allgather", "alltoall"};

Problem parsed(const std::string& text) {
  const auto parts = parts_of(text);
  Problem problem;
  problem.text = text;
  problem.name = parts.front();
  if (problem.name == "halo" && parts.size() == 4) {
    problem.dimensions = number(parts[1], text, 1, largest_dimensions);
    problem.points = number(parts[2], text, 1, 4096);
    problem.fields = number(parts[3], text, 1, 64);
  } else if (parts.size() == 2 &&
             std::find(collectives.begin(), collectives.end(), parts.front()) != collectives.end()) {
    problem.bytes = number(parts[1], text, 1, 1 << 30);
  } else {
    throw Usage("problem '" + text +
                "': expected halo:DIMENSIONS:POINTS:FIELDS or OPERATION:BYTES; OPERATION is bcast, allreduce, "
                "allgather, or alltoall");
  }
  return problem;
}

int ranks_of_world() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/// Bytes of the application's arrays on each rank.
double memory_of(const Problem& problem) {
  if (problem.name == "halo") {
    return std::pow(problem.points + 2.0, problem.dimensions) * problem.fields * sizeof(double);
  }
  const double all = static_cast<double>(problem.bytes) * ranks_of_world();
  return problem.name == "alltoall"    ? 2.0 * all
         : problem.name == "allgather" ? problem.bytes + all
                                       : 2.0 * problem.bytes;
}

/// A problem's data and its request, created again for each mode.
class Subject {
 public:
  explicit Subject(const Problem& problem) {
    if (problem.name == "halo") {
      make_halo(problem);
    } else {
      make_collective(problem);
    }
  }
  ~Subject() {
    if (request != ADCL_REQUEST_NULL) {
      ADCL_Request_free(&request);
    }
    if (cart_ != MPI_COMM_NULL) {
      MPI_Comm_free(&cart_);
    }
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  ADCL_Request request = ADCL_REQUEST_NULL;

 private:
  void make_halo(const Problem& problem) {
    const int dimensions = problem.dimensions;
    std::array<int, largest_dimensions> processes{};
    const std::array<int, largest_dimensions> periods{1, 1, 1};
    MPI_Dims_create(ranks_of_world(), dimensions, processes.data());
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, processes.data(), periods.data(), 0, &cart_);
    const std::vector<int> extents(static_cast<std::size_t>(dimensions), problem.points + 2);
    const auto count = static_cast<std::size_t>(std::lround(std::pow(problem.points + 2, dimensions)));
    const auto fields = static_cast<std::size_t>(problem.fields);
    send_.assign(fields * count, 0.0);
    std::vector<ADCL_Halo> halos(fields, *ADCL_HALO(send_.data(), dimensions, extents.data(), 0, 1, MPI_DOUBLE));
    for (std::size_t i = 0; i < fields; ++i) {
      halos[i].buf = send_.data() + i * count;
      halos[i].next = i + 1 < fields ? &halos[i + 1] : nullptr;
    }
    check(ADCL_Halo_init(halos.data(), cart_, &request), "ADCL_Halo_init");
  }

  void make_collective(const Problem& problem) {
    const std::string& name = problem.name;
    const int count = std::max(1, problem.bytes / static_cast<int>(sizeof(double)));
    const auto own = static_cast<std::size_t>(count);
    const auto all = own * static_cast<std::size_t>(ranks_of_world());
    send_.assign(name == "alltoall" ? all : own, 1.0);
    receive_.assign(name == "allreduce" ? own : all, 0.0);
    if (name == "bcast") {
      check(ADCL_Bcast_init(send_.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request), "ADCL_Bcast_init");
    } else if (name == "allreduce") {
      check(ADCL_Allreduce_init(send_.data(), receive_.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request),
            "ADCL_Allreduce_init");
    } else if (name == "allgather") {
      check(ADCL_Allgather_init(send_.data(), count, MPI_DOUBLE, receive_.data(), count, MPI_DOUBLE, MPI_COMM_WORLD,
                                &request),
            "ADCL_Allgather_init");
    } else {
      check(ADCL_Alltoall_init(send_.data(), count, MPI_DOUBLE, receive_.data(), count, MPI_DOUBLE, MPI_COMM_WORLD,
                               &request),
            "ADCL_Alltoall_init");
    }
  }

  MPI_Comm cart_ = MPI_COMM_NULL;
  std::vector<double> send_;
  std::vector<double> receive_;
};

/// A mode for which each problem has a search.
struct Use {
  const char* name;
  void (*start)(ADCL_Request);
};

constexpr std::array<Use, 2> uses{{
    {"start", [](ADCL_Request r) { check(ADCL_Request_start(r), "ADCL_Request_start"); }},
    {"init and wait",
     [](ADCL_Request r) {
       check(ADCL_Request_init(r), "ADCL_Request_init");
       check(ADCL_Request_wait(r), "ADCL_Request_wait");
     }},
}};

/// A time limit. Rank 0 reads its clock and broadcasts the result, so that all ranks stop at the same start.
class Limit {
 public:
  explicit Limit(double seconds) : seconds_(seconds) {}

  /// Remaining seconds. Only rank 0's result counts, because clocks may differ.
  [[nodiscard]] double left() const { return seconds_ - (MPI_Wtime() - begin_); }

  /// Collective.
  [[nodiscard]] bool over() const { return starts_until_check(1, 0.0) == 0; }

  /// Returns the number of starts until the next check of the limit; 0 when the time is over. The last `starts` starts
  /// took `seconds`. Collective.
  [[nodiscard]] int starts_until_check(int starts, double seconds) const {
    int count = 0;
    if (left() > 0.0) {
      const double of_one_s = std::max(seconds / starts, 1e-9);
      count = static_cast<int>(std::clamp(check_interval_s / of_one_s, 1.0, 100.0));
    }
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return count;
  }

 private:
  /// The check synchronizes the ranks; frequent checks disturb the measurements.
  static constexpr double check_interval_s = 0.05;

  double begin_ = MPI_Wtime();
  double seconds_;
};

/// One search: a problem and a mode.
struct Task {
  const Problem* problem;
  const Use* use;
  Json record;  ///< result of the last attempt
};

enum class Outcome { finished, out_of_time, gave_up };

/// Starts the request until the search ends, the time is over, or there were too many starts.
Outcome search(Task& task, const Limit& limit) {
  Subject subject(*task.problem);
  const double begin = MPI_Wtime();
  int starts = 0;
  int next_check = 1;
  int state = ADCL_STATE_SEARCH;
  bool in_time = true;
  while (state == ADCL_STATE_SEARCH && starts < most_starts && in_time) {
    task.use->start(subject.request);
    ++starts;
    check(ADCL_Request_get_state(subject.request, &state), "ADCL_Request_get_state");
    if (starts == next_check && state == ADCL_STATE_SEARCH) {
      const int more = limit.starts_until_check(starts, MPI_Wtime() - begin);
      next_check += more;
      in_time = more > 0;
    }
  }
  task.record = {
      {"problem", task.problem->text}, {"use", task.use->name}, {"starts", starts}, {"seconds", MPI_Wtime() - begin}};
  if (state == ADCL_STATE_SEARCH) {
    return in_time ? Outcome::gave_up : Outcome::out_of_time;
  }
  std::array<char, ADCL_MAX_NAME> winner{};
  check(ADCL_Request_get_winner(subject.request, winner.data(), ADCL_MAX_NAME), "ADCL_Request_get_winner");
  task.record["winner"] = winner.data();
  task.record["known"] = starts <= recheck_starts;
  return Outcome::finished;
}

void write(const Json& record) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::puts(record.dump().c_str());
    std::fflush(stdout);
  }
}

/// Returns the searches that fit into memory, the smallest first. Reports the reason for each search that it skips.
std::vector<Task> tasks_of(const std::vector<Problem>& problems) {
  std::vector<Task> tasks;
  for (const Problem& problem : problems) {
    for (const Use& use : uses) {
      if (memory_of(problem) > most_bytes) {
        write({{"problem", problem.text}, {"use", use.name}, {"skipped", "needs too much memory on each rank"}});
      } else {
        tasks.push_back({&problem, &use, Json()});
      }
    }
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& one, const Task& other) {
    return memory_of(*one.problem) < memory_of(*other.problem);
  });
  return tasks;
}

/// Runs searches with little data first, because they are short. A search takes at most a quarter of the remaining
/// time, so that a long search leaves time for the other searches. (With equal parts of the time, most searches on a
/// busy machine would not finish.) Unfinished searches run again in the time that remains at the end.
void learn(const Limit& limit, const std::vector<Problem>& problems) {
  if (limit.over()) {
    return;
  }
  std::vector<Task> open = tasks_of(problems);
  while (!open.empty() && !limit.over()) {
    std::vector<Task> unfinished;
    for (std::size_t i = 0; i < open.size() && !limit.over(); ++i) {
      const auto parts = static_cast<double>(std::min(open.size() - i, most_parts));
      const Outcome outcome = search(open[i], Limit(limit.left() / parts));
      if (outcome == Outcome::out_of_time) {
        unfinished.push_back(std::move(open[i]));
      } else {
        write(open[i].record);
      }
    }
    open = std::move(unfinished);
  }
  for (const Task& task : open) {
    write(task.record);
  }
}

int fail(const std::string& message, int code) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::fprintf(stderr, "adcl-learn: %s\n", message.c_str());
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    if (argc < 3) {
      throw Usage("usage: adcl-learn SECONDS PROBLEM...; run `adcl learn` instead");
    }
    const Limit limit(number(argv[1], argv[1], 0, 1000000000));
    std::vector<Problem> problems;
    for (int i = 2; i < argc; ++i) {
      problems.push_back(parsed(argv[i]));
    }
    check(ADCL_Init(), "ADCL_Init");
    learn(limit, problems);
    check(ADCL_Finalize(), "ADCL_Finalize");
  } catch (const Usage& error) {
    code = fail(error.what(), 2);
  } catch (const std::exception& error) {
    code = fail(error.what(), 1);
  }
  MPI_Finalize();
  return code;
}
