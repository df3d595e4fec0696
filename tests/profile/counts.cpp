// Sends messages of known sizes to the right neighbor in a ring with every sending call, and compares the profiler's
// file with the known numbers. On one rank the neighbor is the rank itself.
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "expected.hpp"

namespace {

using adcl::test::Expected;

constexpr int largest = 200000;
constexpr std::array<int, 13> sizes{0, 1, 1023, 1024, 1025, 2048, 2049, 4096, 8192, 16384, 65536, 65537, largest};

struct Ring {
  int rank = 0;
  int ranks = 0;
  int left = 0;
  int right = 0;
  std::vector<char> out = std::vector<char>(largest);
  std::vector<char> in = std::vector<char>(largest);
};

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using Isend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

void blocking(Ring& ring, Expected& expected, const char* name, Send send) {
  for (const int size : sizes) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(ring.in.data(), size, MPI_CHAR, ring.left, 1, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);  // a ready send requires a posted receive
    send(ring.out.data(), size, MPI_CHAR, ring.right, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expected.message(static_cast<std::uint64_t>(size));
    for (const char* const call : {"MPI_Irecv", "MPI_Barrier", name, "MPI_Wait"}) {
      expected.call(call);
    }
  }
}

void nonblocking(Ring& ring, Expected& expected, const char* name, Isend isend) {
  for (const int size : sizes) {
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(ring.in.data(), size, MPI_CHAR, ring.left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    isend(ring.out.data(), size, MPI_CHAR, ring.right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    expected.message(static_cast<std::uint64_t>(size));
    for (const char* const call : {"MPI_Irecv", "MPI_Barrier", name, "MPI_Waitall"}) {
      expected.call(call);
    }
  }
}

void buffered(Ring& ring, Expected& expected) {
  std::vector<char> space(sizes.size() * 2 * (largest + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
  blocking(ring, expected, "MPI_Bsend", MPI_Bsend);
  nonblocking(ring, expected, "MPI_Ibsend", MPI_Ibsend);
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
}

void exchanges(Ring& ring, Expected& expected) {
  for (const int size : sizes) {
    MPI_Sendrecv(ring.out.data(), size, MPI_CHAR, ring.right, 3, ring.in.data(), size, MPI_CHAR, ring.left, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(ring.out.data(), size, MPI_CHAR, ring.right, 4, ring.left, 4, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    expected.message(static_cast<std::uint64_t>(size));
    expected.message(static_cast<std::uint64_t>(size));
  }
  expected.call("MPI_Sendrecv", sizes.size());
  expected.call("MPI_Sendrecv_replace", sizes.size());
  // A send to MPI_PROC_NULL counts as a call but not as a message.
  MPI_Send(ring.out.data(), 5, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  expected.call("MPI_Send");
}

void persistent(Ring& ring, Expected& expected) {
  std::array<MPI_Request, 2> requests{};
  MPI_Recv_init(ring.in.data(), 3000, MPI_CHAR, ring.left, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(ring.out.data(), 3000, MPI_CHAR, ring.right, 5, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    expected.message(3000);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    expected.message(3000);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  // Reuses the handles for requests that send nothing.
  MPI_Recv_init(ring.in.data(), 1, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(ring.out.data(), 3000, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests.data());
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  expected.call("MPI_Recv_init", 2);
  expected.call("MPI_Send_init", 2);
  expected.call("MPI_Startall", 4);
  expected.call("MPI_Start", 4);
  expected.call("MPI_Waitall", 6);
  expected.call("MPI_Request_free", 4);
}

/// For a derived type the data bytes count, not the extent.
void derived(Ring& ring, Expected& expected) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(100, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(ring.out.data(), 7, type, ring.right, 6, ring.in.data(), 700, MPI_INT, ring.left, 6, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  expected.message(2800);
  expected.call("MPI_Sendrecv");
}

void others(Ring& ring, Expected& expected) {
  using namespace std::chrono_literals;
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  int done = 0;
  while (done == 0) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    expected.call("MPI_Test");
  }
  if (ring.ranks > 1) {  // Open MPI 4 has no windows of one process with threads
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(&sum, sizeof sum, sizeof sum, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&one, 1, MPI_INT, ring.right, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    expected.call("MPI_Put");
    expected.call("MPI_Win_fence", 2);
  }
  if (ring.rank == 0) {
    std::this_thread::sleep_for(50ms);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (ring.rank != 0) {
    expected.at_least("collective", 0.03);
  }
  for (const char* const call : {"MPI_Allreduce", "MPI_Ibarrier", "MPI_Barrier"}) {
    expected.call(call);
  }
}

/// Two rounds of threads that count at the same time; the second round continues with the counts of the first.
void threads(Expected& expected) {
  constexpr int rounds = 2;
  constexpr int at_once = 3;
  constexpr int messages = 200;
  std::array<MPI_Comm, at_once> comms{};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::thread> running;
    for (const MPI_Comm comm : comms) {
      running.emplace_back([comm] {
        std::vector<char> out(1500);
        std::vector<char> in(1500);
        for (int i = 0; i < messages; ++i) {
          MPI_Sendrecv(out.data(), 1500, MPI_CHAR, 0, 0, in.data(), 1500, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
        }
      });
    }
    for (std::thread& one : running) {
      one.join();
    }
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
  for (int i = 0; i < rounds * at_once * messages; ++i) {
    expected.message(1500);
  }
  expected.call("MPI_Sendrecv", rounds * at_once * messages);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  Ring ring;
  MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ring.ranks);
  ring.right = (ring.rank + 1) % ring.ranks;
  ring.left = (ring.rank + ring.ranks - 1) % ring.ranks;

  Expected expected;
  blocking(ring, expected, "MPI_Send", MPI_Send);
  blocking(ring, expected, "MPI_Ssend", MPI_Ssend);
  blocking(ring, expected, "MPI_Rsend", MPI_Rsend);
  nonblocking(ring, expected, "MPI_Isend", MPI_Isend);
  nonblocking(ring, expected, "MPI_Issend", MPI_Issend);
  nonblocking(ring, expected, "MPI_Irsend", MPI_Irsend);
  buffered(ring, expected);
  exchanges(ring, expected);
  persistent(ring, expected);
  derived(ring, expected);
  others(ring, expected);
  if (provided == MPI_THREAD_MULTIPLE) {
    threads(expected);
  } else {
    std::fprintf(stderr, "the MPI library has no MPI_THREAD_MULTIPLE: several threads were not tested\n");
  }
  expected.prepare();
  MPI_Finalize();
  return expected.compare();
}
