// Many communicators: 10,000 that are created and freed, searches that are freed in each state, 64 communicators in 8
// threads. The program is compiled without ADCL; results are compared with the MPI library's (PMPI_).
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "report_check.hpp"

namespace {

std::atomic<int> failures{0};
int rank = 0;

void expect(bool good, const char* what, double value) {
  if (!good && ++failures < 20) {
    std::fprintf(stderr, "rank %d: %s (%g)\n", rank, what, value);
  }
}

/// Calls all searched functions \p rounds times, with \p n numbers.
void compare(MPI_Comm comm, int n, int rounds) {
  int me = 0;
  int size = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  const auto entries = static_cast<std::size_t>(n * size);
  std::vector<long> send(entries);
  std::vector<long> tried(entries);
  std::vector<long> expected(entries);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < entries; ++i) {
      send[i] = static_cast<long>(i) * (me + 3) + round;
    }
    const int root = round % size;
#define COMPARE(name, ...)                                                  \
  tried.assign(entries, -1);                                                \
  expected.assign(entries, -1);                                             \
  {                                                                         \
    long* receive = tried.data();                                           \
    expect(MPI_##name(__VA_ARGS__) == MPI_SUCCESS, #name " has failed", n); \
    receive = expected.data();                                              \
    PMPI_##name(__VA_ARGS__);                                               \
  }                                                                         \
  expect(tried == expected, #name " has a wrong result", n);
    COMPARE(Alltoall, send.data(), n, MPI_LONG, receive, n, MPI_LONG, comm)
    COMPARE(Allreduce, send.data(), receive, n, MPI_LONG, MPI_SUM, comm)
    COMPARE(Allgather, send.data(), n, MPI_LONG, receive, n, MPI_LONG, comm)
    COMPARE(Gather, send.data(), n, MPI_LONG, receive, n, MPI_LONG, root, comm)
    COMPARE(Scatter, send.data(), n, MPI_LONG, receive, n, MPI_LONG, root, comm)
    COMPARE(Reduce, send.data(), receive, n, MPI_LONG, MPI_MAX, root, comm)
    COMPARE(Reduce_scatter_block, send.data(), receive, n, MPI_LONG, MPI_SUM, comm)
#undef COMPARE
    long value = me == root ? 7 * round : -1;
    MPI_Bcast(&value, 1, MPI_LONG, root, comm);
    expect(value == 7 * round, "Bcast has a wrong result", n);
  }
}

MPI_Comm create(int i) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (i % 3 == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 == 0 ? 0 : rank % 2, -rank, &comm);
  } else {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  return comm;
}

/// Bytes that this process has allocated.
double allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// A call of two functions, for communicators that live for a short time.
void compare_briefly(MPI_Comm comm, int i) {
  int me = 0;
  int size = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  int sum = -1;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == size * (size - 1) / 2, "Allreduce has a wrong result", i);
  int value = me == size - 1 ? i : -1;
  MPI_Bcast(&value, 1, MPI_INT, size - 1, comm);
  expect(value == i, "Bcast has a wrong result", i);
}

/// One in 500 communicators lives until it has begun searches. A slow machine ends the test earlier.
void created_and_freed() {
  constexpr int number = 10'000;
  constexpr int fewest = 600;
  constexpr int warm_up = 300;
  constexpr double seconds = 8.0;
  constexpr double most_bytes = 50.0;  // per communicator
  constexpr double most_bytes_once = 64e3;
  const double begin_s = MPI_Wtime();
  double before = 0.0;
  int i = 0;
  for (int more = 1; more != 0; ++i) {
    if (i == warm_up) {
      before = allocated();
    }
    MPI_Comm comm = create(i);
    compare_briefly(comm, i);
    if (i % 500 == 250) {
      compare(comm, 3, 145);
    }
    MPI_Comm_free(&comm);
    if (i % 100 == 99) {
      more = i + 1 < number && (i + 1 < fewest || MPI_Wtime() - begin_s < seconds) ? 1 : 0;
      PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
  }
  const double growth = allocated() - before;
  expect(growth < most_bytes * (i - warm_up) + most_bytes_once, "communicators leave memory", growth);
  if (rank == 0) {
    std::printf("%d communicators\n", i);
  }
}

/// Communicators that live at the same time, more than may have duplicates.
void alive_together() {
  constexpr int number = 71;
  std::vector<MPI_Comm> comms;
  for (int i = 0; i < number; ++i) {
    comms.push_back(create(1));
    for (int call = 0; call < 136; ++call) {
      compare_briefly(comms.back(), call);
    }
  }
  for (int i = 0; i < number; ++i) {
    compare(comms[static_cast<std::size_t>((i * 7) % number)], 2, 1);
  }
  for (int i = 0; i < number; ++i) {  // not in the order of creation
    MPI_Comm_free(&comms[static_cast<std::size_t>((i * 7) % number)]);
  }
}

void freed_in_each_state() {
  for (int calls = 126; calls < 156; calls += 3) {
    MPI_Comm comm = create(1);
    compare(comm, 40, calls);
    MPI_Comm_free(&comm);
  }
}

void in_threads() {
  constexpr int number = 8;
  constexpr int comms_per_thread = 8;
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(number * comms_per_thread));
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < number; ++t) {
    threads.emplace_back([&comms, t] {
      for (int round = 0; round < 8; ++round) {
        for (int c = 0; c < comms_per_thread; ++c) {
          compare_briefly(comms[static_cast<std::size_t>(t * comms_per_thread + c)], round);
        }
      }
      if (t < 2) {
        compare(comms[static_cast<std::size_t>(t * comms_per_thread)], 1 + 5 * t, 145);
      }
      for (int c = 0; c < comms_per_thread; ++c) {
        MPI_Comm_free(&comms[static_cast<std::size_t>(t * comms_per_thread + c)]);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

void* do_nothing(void* argument) { return argument; }

/// The interposer must leave room on the smallest stack, which also contains thread-local memory.
void small_stacks() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  expect(pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(PTHREAD_STACK_MIN)) == 0, "set the size", 0);
  pthread_t thread{};
  const int code = pthread_create(&thread, &attributes, do_nothing, nullptr);
  expect(code == 0, "a thread with a small stack cannot be created", code);
  if (code == 0) {
    pthread_join(thread, nullptr);
  }
  pthread_attr_destroy(&attributes);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const struct {
    const char* name;
    void (*run)();
    bool with_threads;
  } parts[] = {{"small stacks", small_stacks, false},
               {"created and freed", created_and_freed, false},
               {"alive together", alive_together, false},
               {"freed in each state", freed_in_each_state, false},
               {"64 communicators in 8 threads", in_threads, true}};
  for (const auto& part : parts) {
    if (argc > 1 && std::string(argv[1]) != part.name) {
      continue;
    }
    if (part.with_threads && level != MPI_THREAD_MULTIPLE) {
      continue;
    }
    const double begin_s = MPI_Wtime();
    part.run();
    if (rank == 0) {
      std::printf("%s: %.2f s, %d failures\n", part.name, MPI_Wtime() - begin_s, failures.load());
    }
  }
  int all = failures;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) {
    all += report_lacks_searches();
  }
  return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
