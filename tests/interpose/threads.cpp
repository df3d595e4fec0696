// Threads that call collectives on their own communicators at the same time, and communicators that are created and
// freed repeatedly.
// The program is compiled without ADCL; results are compared with the MPI library's (PMPI_).
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "library_checks.hpp"
#include "report_check.hpp"

namespace {

std::atomic<int> failures{0};
std::atomic<int> copies{0};

void compare(MPI_Comm comm, int n, int rounds) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto entries = static_cast<std::size_t>(n * size);
  std::vector<long> send(entries);
  std::vector<long> tried(entries);
  std::vector<long> expected(entries);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < entries; ++i) {
      send[i] = static_cast<long>(i) * (rank + 3) + round;
    }
    MPI_Alltoall(send.data(), n, MPI_LONG, tried.data(), n, MPI_LONG, comm);
    PMPI_Alltoall(send.data(), n, MPI_LONG, expected.data(), n, MPI_LONG, comm);
    failures += tried == expected ? 0 : 1;
    MPI_Allreduce(send.data(), tried.data(), n, MPI_LONG, MPI_SUM, comm);
    PMPI_Allreduce(send.data(), expected.data(), n, MPI_LONG, MPI_SUM, comm);
    failures += tried == expected ? 0 : 1;
  }
}

int count_copy(MPI_Comm /*comm*/, int /*key*/, void* /*extra*/, void* value, void* copy, int* flag) {
  ++copies;
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

void lifetimes() {
  constexpr int lives = 4;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
  for (int i = 0; i < lives; ++i) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    compare(other, 5, 150);
    MPI_Comm_free(&other);
  }
  failures += copies == lives ? 0 : 1;  // only the program's own duplicates
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

void intercommunicator(int rank, int size) {
  if (size < 2) {
    return;
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
  for (int i = 0; i < 40; ++i) {
    int sum = 0;
    const int one = 1;
    int others = 0;
    MPI_Comm_remote_size(inter, &others);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    failures += sum == others ? 0 : 1;
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

void errors() {
  if (null_datatype_aborts()) {
    return;
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int value = 0;
  for (int i = 0; i < 50; ++i) {
    const int codes[3][2] = {{MPI_Bcast(&value, -1, MPI_INT, 0, comm), PMPI_Bcast(&value, -1, MPI_INT, 0, comm)},
                             {MPI_Bcast(&value, 1, MPI_INT, -1, comm), PMPI_Bcast(&value, 1, MPI_INT, -1, comm)},
                             {MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DATATYPE_NULL, MPI_SUM, comm),
                              PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DATATYPE_NULL, MPI_SUM, comm)}};
    for (const auto& pair : codes) {
      int classes[2] = {};
      MPI_Error_class(pair[0], &classes[0]);
      MPI_Error_class(pair[1], &classes[1]);
      failures += classes[0] == classes[1] && classes[0] != MPI_SUCCESS ? 0 : 1;
    }
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr int number = 2;
  MPI_Comm comms[number];
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  if (level == MPI_THREAD_MULTIPLE) {
    std::vector<std::thread> threads;
    for (int i = 0; i < number; ++i) {
      threads.emplace_back([&comms, i] { compare(comms[i], 1 + 40 * i, 160); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
  lifetimes();
  intercommunicator(rank, size);
  errors();
  int all = failures;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && size > 1) {
    all += report_lacks_searches();
  }
  if (rank == 0 && all != 0) {
    std::fprintf(stderr, "%d failures\n", all);
  }
  return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
