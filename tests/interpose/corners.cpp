// Corners of the MPI standard: errors and error handlers, intercommunicators, MPI_COMM_SELF, attributes, tags, child
// processes. Each call is compared with the MPI library's (PMPI_). The program is compiled without ADCL.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "library_checks.hpp"
#include "report_check.hpp"

namespace {

int failures = 0;
int rank = 0;
int size = 1;

void expect(bool good, const char* what, long value) {
  if (!good && ++failures < 30) {
    std::fprintf(stderr, "rank %d: %s (%ld)\n", rank, what, value);
  }
}

int class_of(int code) {
  int value = MPI_SUCCESS;
  MPI_Error_class(code, &value);
  return value;
}

// Errors

int handled = 0;
MPI_Comm handled_comm = MPI_COMM_NULL;
void handle(MPI_Comm* comm, int* /*code*/, ...) {
  ++handled;
  handled_comm = *comm;
}

/// Compares code and use of the error handler of the two calls.
template <typename With, typename Without>
void same_error(MPI_Comm comm, const char* what, const With& with, const Without& without) {
  handled = 0;
  handled_comm = MPI_COMM_NULL;
  const int code = with();
  const int with_handled = handled;
  const MPI_Comm with_comm = handled_comm;
  handled = 0;
  handled_comm = MPI_COMM_NULL;
  const int other = without();
  // MPICH 5.0 returns MPI_SUCCESS if the error handler returns.
  expect(class_of(code) == class_of(other) && (code != MPI_SUCCESS || with_handled > 0), what, class_of(code));
  expect(with_handled == handled, "the number of calls of the error handler differs", with_handled);
  expect(with_comm == handled_comm, "the communicator of the error handler differs", with_comm == comm ? 1 : 0);
}

#define SAME_ERROR(name, ...) \
  same_error(                 \
      comm, #name, [&] { return MPI_##name(__VA_ARGS__); }, [&] { return PMPI_##name(__VA_ARGS__); })

/// MPICH 4.0 does not find all negative counts.
void errors_on(MPI_Comm comm) {
  std::vector<int> a(static_cast<std::size_t>(4 * size), 1);
  std::vector<int> b(a.size());
  int* const in = a.data();
  int* const out = b.data();
  SAME_ERROR(Bcast, out, -1, MPI_INT, 0, comm);
  SAME_ERROR(Bcast, out, 1, MPI_INT, -1, comm);
  SAME_ERROR(Bcast, out, 1, MPI_INT, size, comm);
  SAME_ERROR(Bcast, out, 1, MPI_DATATYPE_NULL, 0, comm);
  if (!null_datatype_aborts()) {
    SAME_ERROR(Allreduce, in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
  }
  SAME_ERROR(Allreduce, in, out, 1, MPI_INT, MPI_OP_NULL, comm);
  SAME_ERROR(Reduce, in, out, 1, MPI_INT, MPI_SUM, size + 3, comm);
  SAME_ERROR(Alltoall, in, 1, MPI_INT, out, 1, MPI_DATATYPE_NULL, comm);
  SAME_ERROR(Gather, in, 1, MPI_INT, out, 1, MPI_INT, size, comm);
  SAME_ERROR(Scatter, in, 1, MPI_INT, out, 1, MPI_INT, -5, comm);
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  SAME_ERROR(Bcast, out, 1, uncommitted, 0, comm);
  MPI_Type_free(&uncommitted);
}

void null_communicator() {
  const MPI_Comm comm = MPI_COMM_NULL;
  int in = 1;
  int out = 0;
  SAME_ERROR(Bcast, &out, 1, MPI_INT, 0, comm);
  SAME_ERROR(Allreduce, &in, &out, 1, MPI_INT, MPI_SUM, comm);
  SAME_ERROR(Alltoall, &in, 1, MPI_INT, &out, 1, MPI_INT, comm);
}

/// Valid calls between the errors bring the searches into all states.
void errors() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::vector<int> in(static_cast<std::size_t>(size), rank);
  std::vector<int> out(in.size());
  for (int i = 0; i < 60; ++i) {
    MPI_Comm_set_errhandler(comm, i % 2 == 0 ? handler : MPI_ERRORS_RETURN);
    errors_on(comm);
    null_communicator();
    expect(MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, comm) == MPI_SUCCESS, "a call has failed", i);
    expect(out.back() == size - 1, "a result is wrong", out.back());
    int value = i;
    expect(MPI_Bcast(&value, 1, MPI_INT, 0, comm) == MPI_SUCCESS, "a call has failed", i);
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &now);
    expect(now == (i % 2 == 0 ? handler : MPI_ERRORS_RETURN), "the error handler was changed", i);
    if (now != MPI_ERRORS_RETURN) {
      MPI_Errhandler_free(&now);
    }
  }
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
}

// Intercommunicators and MPI_COMM_SELF

void compare_between_groups(MPI_Comm inter, bool first_group, int others) {
  const auto entries = static_cast<std::size_t>(2 * (others + size));
  std::vector<int> in(entries, 3 * rank + 1);
  for (int i = 0; i < 40; ++i) {
    std::vector<int> tried(entries, -1);
    std::vector<int> expected(entries, -1);
    const int root = first_group ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
#define BOTH(name, receive, ...)                                                           \
  {                                                                                        \
    int* receive = tried.data();                                                           \
    expect(MPI_##name(__VA_ARGS__) == MPI_SUCCESS, #name " between groups has failed", i); \
    receive = expected.data();                                                             \
    PMPI_##name(__VA_ARGS__);                                                              \
    expect(tried == expected, #name " between groups has a wrong result", i);              \
  }
    BOTH(Allreduce, out, in.data(), out, 2, MPI_INT, MPI_SUM, inter)
    BOTH(Alltoall, out, in.data(), 2, MPI_INT, out, 2, MPI_INT, inter)
    BOTH(Allgather, out, in.data(), 2, MPI_INT, out, 2, MPI_INT, inter)
    BOTH(Reduce, out, in.data(), out, 2, MPI_INT, MPI_SUM, root, inter)
    BOTH(Gather, out, in.data(), 2, MPI_INT, out, 2, MPI_INT, root, inter)
    BOTH(Scatter, out, in.data(), 2, MPI_INT, out, 2, MPI_INT, root, inter)
    BOTH(Bcast, out, (root == MPI_ROOT ? in.data() : out), 2, MPI_INT, root, inter)
#undef BOTH
  }
}

void intercommunicator() {
  if (size < 2) {
    return;
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
  int others = 0;
  MPI_Comm_remote_size(inter, &others);
  compare_between_groups(inter, rank % 2 == 0, others);
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  for (int i = 0; i < 60; ++i) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    expect(sum == size * (size - 1) / 2, "a sum on a merged communicator is wrong", sum);
  }
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

void self() {
  for (int i = 0; i < 60; ++i) {
    int in = i;
    int out = -1;
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    expect(out == i, "MPI_Allreduce on MPI_COMM_SELF", out);
    out = -1;
    MPI_Alltoall(&in, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_SELF);
    expect(out == i, "MPI_Alltoall on MPI_COMM_SELF", out);
    out = -1;
    MPI_Gather(&in, 1, MPI_INT, &out, 1, MPI_INT, 0, MPI_COMM_SELF);
    expect(out == i, "MPI_Gather on MPI_COMM_SELF", out);
  }
}

// User operations and their datatypes

void multiply_complex(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  const auto* left = static_cast<const double*>(in);
  auto* right = static_cast<double*>(inout);
  for (int i = 0; i < *length; ++i, left += 2, right += 2) {
    const double real = left[0] * right[0] - left[1] * right[1];
    right[1] = left[0] * right[1] + left[1] * right[0];
    right[0] = real;
  }
}

void own_operation() {
  MPI_Datatype complex = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &complex);
  MPI_Type_commit(&complex);
  MPI_Op multiply = MPI_OP_NULL;
  MPI_Op_create(multiply_complex, 1, &multiply);
  for (int i = 0; i < 60; ++i) {
    const double in[6] = {1.0 + rank, 0.5 * i, 1.0, 1.0, -2.0, 0.25};
    double tried[6] = {};
    double expected[6] = {};
    MPI_Allreduce(in, tried, 3, complex, multiply, MPI_COMM_WORLD);
    PMPI_Allreduce(in, expected, 3, complex, multiply, MPI_COMM_WORLD);
    expect(std::memcmp(tried, expected, sizeof tried) == 0, "an operation of the program", i);
  }
  MPI_Op_free(&multiply);
  MPI_Type_free(&complex);
}

// Attributes and tags

int copies = 0;
int deletions = 0;
int copy(MPI_Comm /*comm*/, int /*key*/, void* /*extra*/, void* value, void* copied, int* flag) {
  ++copies;
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}
int count_deletion(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  ++deletions;
  return MPI_SUCCESS;
}

void exchange(MPI_Comm comm, int n, int times) {
  std::vector<int> in(static_cast<std::size_t>(n * size), rank);
  std::vector<int> out(in.size());
  for (int i = 0; i < times; ++i) {
    MPI_Alltoall(in.data(), n, MPI_INT, out.data(), n, MPI_INT, comm);
    expect(out[static_cast<std::size_t>(n * (size - 1))] == size - 1, "an exchange", out.back());
  }
}

void attributes() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy, count_deletion, &key, nullptr);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, &copies);
  MPI_Comm_set_name(comm, "of the program");
  exchange(comm, 5, 200);
  expect(copies == 0 && deletions == 0, "functions of the program's attributes were called", copies + deletions);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &other);
  exchange(other, 5, 200);
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(other, key, static_cast<void*>(&value), &found);
  expect(copies == 1 && found != 0 && value == &copies, "the attribute was not copied", copies);
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Comm_get_name(comm, name, &length);
  expect(std::strcmp(name, "of the program") == 0, "the name was changed", length);
  MPI_Comm_free(&other);
  MPI_Comm_free(&comm);
  expect(deletions == 2, "the number of deleted attributes is not 2", deletions);
  MPI_Comm_free_keyval(&key);
}

/// A receive from any source with any tag is pending during the searches.
void tags() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  exchange(comm, 7, 300);
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  expect(done == 0, "a receive of the program got a message of another call", received);
  const int next = (rank + 1) % size;
  MPI_Barrier(comm);
  MPI_Send(&next, 1, MPI_INT, next, 4711, comm);
  MPI_Status status;
  MPI_Wait(&request, &status);
  expect(received == rank && status.MPI_TAG == 4711, "a message of the program was changed", received);
  MPI_Comm_free(&comm);
}

// Processes

void child_processes() {
  for (int i = 0; i < 3; ++i) {
    exchange(MPI_COMM_WORLD, 9, 60);
    const pid_t child = fork();
    if (child == 0) {
      if (i == 0) {
        _exit(7);
      }
      execl("/bin/sh", "sh", "-c", "exit 7", static_cast<char*>(nullptr));
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child process has failed", status);
  }
  expect(std::system("exit 0") == 0, "a shell has failed", 0);
  exchange(MPI_COMM_WORLD, 9, 100);
}

}  // namespace

// MPI_Reduce_scatter with equal counts, which is searched, and with different counts, which is passed through

void scattered_blocks() {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  constexpr int n = 100;
  constexpr int calls = 3000;  // enough to prove and use a codelet
  const auto ranks = static_cast<std::size_t>(size);
  std::vector<int> send((n + 1) * ranks);
  std::vector<int> receive(n + 1);
  std::vector<int> expected(n + 1);
  for (int call = 0; call < calls; ++call) {
    std::vector<int> counts(ranks, n);
    if (call % 3 == 2) {
      --counts.back();  // on three ranks, the first count is that of the other calls
      ++counts[ranks - 2];
    }
    for (std::size_t i = 0; i < send.size(); ++i) {
      send[i] = static_cast<int>(i) * (rank + 1) + call;
    }
    receive.assign(receive.size(), -1);
    expected.assign(expected.size(), -1);
    MPI_Reduce_scatter(send.data(), receive.data(), counts.data(), MPI_INT, MPI_SUM, comm);
    PMPI_Reduce_scatter(send.data(), expected.data(), counts.data(), MPI_INT, MPI_SUM, comm);
    expect(receive == expected, "the results of MPI_Reduce_scatter differ in call", call);
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct {
    const char* name;
    void (*run)();
  } parts[] = {{"errors", errors},
               {"intercommunicator", intercommunicator},
               {"self", self},
               {"own operation", own_operation},
               {"attributes", attributes},
               {"tags", tags},
               {"scattered blocks", scattered_blocks},
               {"child processes", child_processes}};
  for (const auto& part : parts) {
    const double begin_s = MPI_Wtime();
    part.run();
    if (rank == 0) {
      std::printf("%s: %.2f s, %d failures\n", part.name, MPI_Wtime() - begin_s, failures);
    }
  }
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && size > 1) {
    failures += report_lacks_searches();
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
