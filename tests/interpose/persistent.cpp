// Persistent collectives, each compared with the MPI library's blocking call (PMPI_). The program is compiled without
// ADCL. Part 1 checks MPI's rule of progress: a start is local, and an operation completes on one rank while another
// rank, which has started it, waits for a message. Part 2 starts random sets of requests, mixed with messages, and
// completes them with random functions. Part 3 frees requests and communicators in different orders. Part 4
// creates requests that take over the search of a freed request.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "report_check.hpp"

namespace {

using Ints = std::vector<int>;

enum { alltoall, allreduce, bcast, reduce, reduce_scatter_block, allgather, gather, scatter, operations };

int failures = 0;
int world_rank = 0;
int world_size = 1;

void expect(bool good, const char* what, int operation = -1, int n = -1) {
  if (!good && ++failures < 20) {
    std::fprintf(stderr, "rank %d: %s (operation %d, n %d)\n", world_rank, what, operation, n);
  }
}

/// A persistent collective with its arrays. Entries have stride 1 or 2, by a datatype that is freed at once.
class Collective {
 public:
  Collective(int operation, int n, int root, bool in_place, int stride, MPI_Comm comm)
      : operation_(operation), n_(n), root_(root), stride_(stride), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    const bool reduces = operation == allreduce || operation == reduce || operation == reduce_scatter_block;
    stride_ = reduces ? 1 : stride;
    in_place_ = in_place && operation != bcast && (rank_ == root || (operation <= allgather && operation != reduce));
    const auto entries = static_cast<std::size_t>(n * size_ * stride_);
    send_.resize(entries);
    receive_.resize(entries);
    expected_.resize(entries);
    reset();
    MPI_Type_vector(n, 1, stride_, MPI_INT, &type_);
    MPI_Datatype other = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(type_, 0, static_cast<MPI_Aint>(sizeof(int)) * n * stride_, &other);
    MPI_Type_free(&type_);
    MPI_Type_commit(&other);
    type_ = other;
    const bool plain = stride_ == 1;
    call(plain ? MPI_INT : type_, plain ? n : 1, receive_.data(), &request_);
  }
  ~Collective() {
    MPI_Type_free(&type_);
    if (request_ != MPI_REQUEST_NULL) {
      MPI_Request_free(&request_);
    }
  }
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  /// Changes the contents of the arrays.
  void prepare(int salt) {
    for (std::size_t i = 0; i < send_.size(); ++i) {
      send_[i] = salt * 31 + rank_ * 1009 + static_cast<int>(i);
      receive_[i] = salt * 17 + rank_ * 101 + static_cast<int>(i) * 3;
    }
    before_ = receive_;
    expected_ = before_;
    sent_ = send_;
  }
  /// Undoes the effect of refer().
  void prepare_expected() { expected_ = before_; }
  void start() { MPI_Start(&request_); }
  /// Runs the MPI library's blocking call. All ranks call it in the same order.
  void refer() {
    const bool plain = stride_ == 1;
    call(plain ? MPI_INT : type_, plain ? n_ : 1, expected_.data(), nullptr);
  }
  void check() const {
    expect(receive_ == expected_, "the results differ", operation_, n_);
    expect(send_ == sent_, "the data to send were changed", operation_, n_);
  }
  [[nodiscard]] MPI_Request& request() { return request_; }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  void reset() { prepare(0); }

  // Persistent with a request, otherwise blocking.
  void call(MPI_Datatype type, int count, int* receive, MPI_Request* request) {
    const void* send = in_place_ && operation_ != scatter ? MPI_IN_PLACE : send_.data();
    void* into = in_place_ && operation_ == scatter ? MPI_IN_PLACE : receive;
    MPI_Info info = MPI_INFO_NULL;
#define EITHER(name, ...) \
  (request != nullptr ? MPI_##name##_init(__VA_ARGS__, info, request) : PMPI_##name(__VA_ARGS__))
    int code = MPI_SUCCESS;
    switch (operation_) {
      case alltoall:
        code = EITHER(Alltoall, send, count, type, into, count, type, comm_);
        break;
      case allreduce:
        code = EITHER(Allreduce, send, into, n_, MPI_INT, MPI_SUM, comm_);
        break;
      case bcast:
        code = EITHER(Bcast, into, count, type, root_, comm_);
        break;
      case reduce:
        code = EITHER(Reduce, send, into, n_, MPI_INT, MPI_MAX, root_, comm_);
        break;
      case reduce_scatter_block:
        code = EITHER(Reduce_scatter_block, send, into, n_, MPI_INT, MPI_SUM, comm_);
        break;
      case allgather:
        code = EITHER(Allgather, send, count, type, into, count, type, comm_);
        break;
      case gather:
        code = EITHER(Gather, send, count, type, into, count, type, root_, comm_);
        break;
      default:
        code = EITHER(Scatter, send, count, type, into, count, type, root_, comm_);
        break;
    }
#undef EITHER
    expect(code == MPI_SUCCESS, "a call has failed", operation_, n_);
  }

  int operation_;
  int n_;
  int root_;
  int stride_;
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  bool in_place_ = false;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Ints send_;
  Ints receive_;
  Ints before_;
  Ints expected_;
  Ints sent_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Rank 0 waits for a message that rank 1 sends after its wait; rank 1 waits for a message before its start; rank 1
/// sends a long message before its start, while rank 0 waits for both.
void progress() {
  if (world_size < 2) {
    return;
  }
  constexpr int starts = 330;  // all states of a search
  constexpr int most = 100000;
  Ints longest(most);
  for (int operation = 0; operation < operations; ++operation) {
    for (const int n : {1, 3000}) {
      for (const int root : {0, 1}) {
        Collective one(operation, n, root, false, 1, MPI_COMM_WORLD);
        for (int i = 0; i < starts; ++i) {
          one.prepare(i);
          int token = 0;
          const int peer = 1 - world_rank;
          const int way = i % 7 == 6 ? 2 : i % 2;
          MPI_Request both[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
          if (world_rank == 1 && way == 1) {
            MPI_Recv(&token, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          } else if (world_rank == 1 && way == 2) {
            MPI_Send(longest.data(), most, MPI_INT, peer, 2, MPI_COMM_WORLD);
          } else if (world_rank == 0 && way == 2) {
            MPI_Irecv(longest.data(), most, MPI_INT, peer, 2, MPI_COMM_WORLD, &both[0]);
          }
          one.start();
          if (world_rank == 0 && way == 0) {
            MPI_Recv(&token, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          } else if (world_rank == 0 && way == 1) {
            MPI_Send(&token, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
          }
          both[1] = one.request();
          MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
          if (world_rank == 1 && way == 0) {
            MPI_Send(&token, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
          }
          one.refer();
          one.check();
        }
      }
    }
  }
}

/// Whether MPI_Testall completes persistent collectives. In MPICH 5.0.2 it returns MPI_ERR_IN_STATUS.
bool testall_works() {
  static const bool result = [] {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_SELF, &comm);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int in = 1;
    int out = 0;
    int flag = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    PMPI_Start(&request);
    PMPI_Wait(&request, &status);
    const int code = PMPI_Testall(1, &request, &flag, &status);
    PMPI_Request_free(&request);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    PMPI_Comm_free(&comm);
    return code == MPI_SUCCESS;
  }();
  return result;
}

/// Completes all requests with random functions. Persistent requests must keep their handles.
void complete_all(std::vector<MPI_Request> requests, std::mt19937& random) {
  const std::vector<MPI_Request> before = requests;
  const int count = static_cast<int>(requests.size());
  std::vector<bool> done(requests.size(), false);
  std::vector<MPI_Status> statuses(requests.size());
  Ints indices(requests.size());
  const auto mark = [&](int i) {
    expect(i >= 0 && i < count && !done[static_cast<std::size_t>(i)], "a request was completed twice");
    if (i >= 0 && i < count) {
      done[static_cast<std::size_t>(i)] = true;
    }
  };
  while (std::find(done.begin(), done.end(), false) != done.end()) {
    int index = MPI_UNDEFINED;
    int flag = 0;
    int number = 0;
    const unsigned long way = random() % 9;
    switch (way == 3 && !testall_works() ? 4 : way) {
      case 0:
        MPI_Waitall(count, requests.data(), random() % 2 == 0 ? statuses.data() : MPI_STATUSES_IGNORE);
        done.assign(done.size(), true);
        break;
      case 1:
        MPI_Waitany(count, requests.data(), &index, &statuses[0]);
        mark(index);
        break;
      case 2:
        MPI_Waitsome(count, requests.data(), &number, indices.data(), statuses.data());
        expect(number > 0, "MPI_Waitsome completed nothing");
        std::for_each(indices.begin(), indices.begin() + number, mark);
        break;
      case 3:
        MPI_Testall(count, requests.data(), &flag, statuses.data());
        if (flag != 0) {
          done.assign(done.size(), true);
        }
        break;
      case 4:
        MPI_Testany(count, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
        if (flag != 0) {
          mark(index);
        }
        break;
      case 5:
        MPI_Testsome(count, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
        expect(number >= 0, "MPI_Testsome found no active request");
        std::for_each(indices.begin(), indices.begin() + std::max(number, 0), mark);
        break;
      case 6: {
        const auto i = random() % requests.size();
        if (!done[i]) {
          MPI_Wait(&requests[i], &statuses[0]);
          mark(static_cast<int>(i));
        }
        break;
      }
      case 7: {
        const auto i = random() % requests.size();
        if (!done[i]) {
          MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
          if (flag != 0) {
            mark(static_cast<int>(i));
          }
        }
        break;
      }
      default: {
        const auto i = random() % requests.size();
        if (!done[i]) {
          MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
          if (flag != 0) {
            MPI_Test(&requests[i], &flag, &statuses[0]);
            expect(flag != 0, "MPI_Request_get_status and MPI_Test differ");
            mark(static_cast<int>(i));
          }
        }
        break;
      }
    }
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    expect(requests[i] == MPI_REQUEST_NULL || requests[i] == before[i], "a handle has changed");
    int flag = 0;
    if (requests[i] != MPI_REQUEST_NULL) {
      MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
      expect(flag != 0, "a completed request is active");
    }
  }
}

double seconds_of_test() {
  const char* const given = std::getenv("ADCL_TEST_SECONDS");
  return given != nullptr ? std::atof(given) : 4.0;
}

void random_sets() {
  std::mt19937 common(4711);
  std::mt19937 own(static_cast<unsigned>(815 + world_rank));
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &other);  // in reverse order
  std::vector<std::unique_ptr<Collective>> all;
  const auto make = [&] {
    const int sizes[] = {1, 5, 64, 700, 9000};
    const int operation = static_cast<int>(common() % operations);
    const int n = sizes[common() % 5];
    const int root = static_cast<int>(common() % static_cast<unsigned>(world_size));
    const bool in_place = common() % 4 == 0;
    const MPI_Comm comm = common() % 3 == 0 ? other : MPI_COMM_WORLD;
    const int stride = 1 + static_cast<int>(own() % 2);  // differs between ranks
    return std::make_unique<Collective>(operation, n, root, in_place, stride, comm);
  };
  for (int i = 0; i < 10; ++i) {
    all.push_back(make());
  }
  const double end_s = MPI_Wtime() + seconds_of_test();
  int salt = 0;
  for (int more = 1; more != 0;) {
    for (int round = 0; round < 100; ++round, ++salt) {
      std::vector<Collective*> set;
      for (const auto& one : all) {
        if (common() % 3 != 0) {
          set.push_back(one.get());
        }
      }
      std::shuffle(set.begin(), set.end(), common);
      std::vector<MPI_Request> requests;
      int in[2] = {-1, -1};
      const int out = salt;
      const bool messages = common() % 2 == 0;
      if (messages) {
        requests.resize(2);
        MPI_Irecv(&in[0], 1, MPI_INT, (world_rank + world_size - 1) % world_size, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, (world_rank + 1) % world_size, 5, MPI_COMM_WORLD, &requests[1]);
      }
      const bool at_once = common() % 3 == 0;
      std::vector<MPI_Request> started;
      for (Collective* const one : set) {
        one->prepare(salt);
        started.push_back(one->request());
      }
      if (at_once && !started.empty()) {  // MPI libraries reject the null pointer of an empty vector
        MPI_Startall(static_cast<int>(started.size()), started.data());
      }
      for (Collective* const one : set) {
        if (!at_once) {
          one->start();
        }
        if (common() % 8 == 0) {
          one->refer();  // blocking calls between the starts
          one->refer();
        }
      }
      requests.insert(requests.end(), started.begin(), started.end());
      requests.push_back(MPI_REQUEST_NULL);
      for (const auto& one : all) {  // inactive requests
        if (own() % 4 == 0 && std::find(set.begin(), set.end(), one.get()) == set.end()) {
          MPI_Request inactive = one->request();
          MPI_Wait(&inactive, MPI_STATUS_IGNORE);
        }
      }
      requests.pop_back();
      if (!requests.empty()) {
        complete_all(requests, own);
      }
      expect(!messages || in[0] == out, "a message differs");
      for (Collective* const one : set) {
        one->prepare_expected();
      }
      for (Collective* const one : set) {
        one->refer();
        one->check();
      }
    }
    if (common() % 4 == 0) {  // another request for one, freed while inactive
      const auto i = common() % all.size();
      all[i].reset();
      all[i] = make();
    }
    if (world_rank == 0) {
      more = MPI_Wtime() < end_s ? 1 : 0;
    }
    PMPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (world_rank == 0) {
    std::printf("%d rounds\n", salt);
  }
  all.clear();
  MPI_Comm_free(&other);
}

/// Requests that outlive their communicator, and many requests that are started only once.
void lifetimes() {
  for (int i = 0; i < 20; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    Collective first(allreduce, 4, 0, false, 1, comm);
    Collective second(alltoall, 40, 0, false, 1, comm);
    for (int k = 0; k < 60; ++k) {
      for (Collective* const one : {&first, &second}) {
        one->prepare(k);
        one->start();
        MPI_Wait(&one->request(), MPI_STATUS_IGNORE);
        one->refer();
        one->check();
      }
    }
    second.start();
    MPI_Request started = second.request();
    MPI_Comm_free(&comm);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 150; ++i) {
    Collective once(i % 2 == 0 ? allreduce : bcast, 8, 0, false, 1, MPI_COMM_WORLD);
    once.prepare(i);
    once.start();
    MPI_Wait(&once.request(), MPI_STATUS_IGNORE);
    once.refer();
    once.check();
  }
}

/// A request that takes over the search of a freed request: the codelet may perform its first start. After it is
/// complete, MPI_Waitall ignores the inactive request.
void taken_over() {
  constexpr int starts = 330;  // all states of a search
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int operation = 0; operation < operations; ++operation) {
    for (int i = 0; i < 2; ++i) {
      Collective one(operation, 3000, 0, false, 1, comm);
      for (int k = 0; k < (i == 0 ? starts : 3); ++k) {
        int index = MPI_UNDEFINED;
        one.prepare(k);
        one.start();
        MPI_Request request = one.request();
        MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        expect(index == 0, "MPI_Waitany ignored an active request", operation);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        one.refer();
        one.check();
      }
    }
  }
  MPI_Comm_free(&comm);
}

int report_lacks_persistent() {
  const nlohmann::json report = read_report();
  long proved = 0;
  for (const auto& row : report.is_object() ? report["searched"] : nlohmann::json::array()) {
    const std::string call = row["call"];
    const std::string state = row["state"];
    if (call.ends_with("_init")) {
      proved += state != "watching" ? 1 : 0;
      std::printf("%s up to %ld bytes: %s %s %s (%ld of %ld calls)\n", call.c_str(), row["up_to_bytes"].get<long>(),
                  state.c_str(), row["winner"].get<std::string>().c_str(), row["reason"].get<std::string>().c_str(),
                  row["winner_calls"].get<long>(), row["calls"].get<long>());
    }
  }
  if (proved == 0) {
    std::fprintf(stderr, "the report has no search of persistent requests\n");
  }
  return proved == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  progress();
  random_sets();
  lifetimes();
  taken_over();
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (world_rank == 0 && world_size > 1) {
    failures += report_lacks_persistent();
  }
  if (world_rank == 0 && failures != 0) {
    std::fprintf(stderr, "%d failures\n", failures);
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
