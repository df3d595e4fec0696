// Calls each Fortran routine that the interposer exports, as a Fortran program does, without a Fortran compiler. The
// program fortran_mock.cpp provides MPI's routines. Checks the results, and that each call is counted once.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fortran_routines.hpp"
#include "report_check.hpp"

extern "C" {
extern int mpi_fortran_in_place_;
int run_program(int argc, char** argv);
}

namespace adcl::test {
namespace {

constexpr int n = 5;
constexpr int rounds = 140;  // more than before a search of small blocks begins
int failures = 0;
std::map<std::string, long> calls;

struct World {
  int rank = 0;
  int size = 1;
};

/// Memory of an array, or of an array section with every other element.
class Array {
 public:
  Array(Choice choice, int entries, bool section, int first) : stride_(section ? 2 : 1), choice_(choice) {
    values_.assign(static_cast<std::size_t>(entries * stride_), -1);
    for (int i = 0; i < entries; ++i) {
      at(i) = first + i;
    }
    descriptor_.base = values_.data();
    descriptor_.element_bytes = sizeof(int);
    descriptor_.rank = 1;
    descriptor_.dimensions[0] = {0, entries, static_cast<std::ptrdiff_t>(sizeof(int)) * stride_};
  }

  int& at(int i) { return values_[static_cast<std::size_t>(i * stride_)]; }
  void set_in_place() {
    descriptor_.base = &mpi_fortran_in_place_;
    descriptor_.rank = 0;
    in_place_ = true;
  }
  void* argument() {
    if (choice_ == Choice::descriptor) {
      return &descriptor_;
    }
    return in_place_ ? static_cast<void*>(&mpi_fortran_in_place_) : values_.data();
  }
  /// Whether the elements between the elements of a section have not changed.
  [[nodiscard]] bool has_clean_gaps() const {
    for (std::size_t i = 1; stride_ == 2 && i < values_.size(); i += 2) {
      if (values_[i] != -1) {
        return false;
      }
    }
    return true;
  }

 private:
  int stride_;
  Choice choice_;
  bool in_place_ = false;
  std::vector<int> values_;
  Descriptor descriptor_{};
};

/// Values that rank \p from sends: from * 100 + position.
int expected(Call call, World world, int i, int shift) {
  const int block = i / n;
  const int sum = world.size * (i + shift) + 100 * world.size * (world.size - 1) / 2;
  switch (call) {
    case Call::Allgather:
    case Call::Gather:
      return 100 * block + i % n + shift;
    case Call::Alltoall:
      return 100 * block + world.rank * n + i % n + shift;
    case Call::Scatter:
      return world.rank * n + i + shift;
    case Call::Reduce_scatter_block:
      return sum + world.size * world.rank * n;
    case Call::Allreduce:
    case Call::Reduce:
      return sum;
    default:
      return i + shift;
  }
}

/// Numbers of entries of the arrays, and whether this rank receives.
struct Shape {
  int sent = n;
  int received = n;
  bool checked = true;
};

Shape shape_of(Call call, World world) {
  const int all = n * world.size;
  switch (call) {
    case Call::Allgather:
      return {n, all, true};
    case Call::Gather:
      return {n, all, world.rank == 0};
    case Call::Alltoall:
      return {all, all, true};
    case Call::Scatter:
    case Call::Reduce_scatter_block:
      return {all, n, true};
    case Call::Reduce:
      return {n, n, world.rank == 0};
    default:
      return {n, n, true};
  }
}

template <Call call, typename Count, typename Function>
void run(Function* function, const char* symbol, Choice choice, World world, int round) {
  const bool section = choice == Choice::descriptor && round % 2 == 1;
  const Shape shape = shape_of(call, world);
  Array send(choice, shape.sent, section, 100 * world.rank + round);
  Array receive(choice, shape.received, section,
                call == Call::Bcast && world.rank == 0 ? round : 100 * world.rank + round);
  if (call == Call::Allreduce && round % 3 == 0) {
    send.set_in_place();
  }
  Count count = n;
  MPI_Fint type = MPI_Type_c2f(MPI_INT);
  MPI_Fint op = MPI_Op_c2f(MPI_SUM);
  MPI_Fint root = 0;
  MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
  MPI_Fint error = -1;
  Arguments a{};
  if constexpr (call == Call::Bcast) {
    const std::array<void*, 6> all = {receive.argument(), &count, &type, &root, &comm, &error};
    std::copy(all.begin(), all.end(), a);
  } else if constexpr (call == Call::Reduce) {
    const std::array<void*, 8> all = {send.argument(), receive.argument(), &count, &type, &op, &root, &comm, &error};
    std::copy(all.begin(), all.end(), a);
  } else if constexpr (second_buffer(call) == 1) {
    const std::array<void*, 7> all = {send.argument(), receive.argument(), &count, &type, &op, &comm, &error};
    std::copy(all.begin(), all.end(), a);
  } else if constexpr (call == Call::Gather || call == Call::Scatter) {
    const std::array<void*, 9> all = {send.argument(), &count, &type, receive.argument(), &count, &type,
                                      &root,           &comm,  &error};
    std::copy(all.begin(), all.end(), a);
  } else {
    const std::array<void*, 8> all = {send.argument(), &count, &type, receive.argument(), &count, &type, &comm, &error};
    std::copy(all.begin(), all.end(), a);
  }
  call_routine(function, a, std::make_index_sequence<Routine<Function>::arguments>());
  bool good = error == MPI_SUCCESS && send.has_clean_gaps() && receive.has_clean_gaps();
  for (int i = 0; shape.checked && i < shape.received; ++i) {
    good = good && receive.at(i) == expected(call, world, i, round);
  }
  if (!good && ++failures < 10) {
    std::fprintf(stderr, "rank %d: %s, round %d: wrong result\n", world.rank, symbol, round);
  }
}

/// Calls a routine whose results are not checked. The last argument is the error code. All others are arrays of
/// MPI_COMM_NULL, so the calls of operations that are searched are passed through, too.
template <typename Function>
void run_counted(Function* function, const char* symbol, bool omit_error) {
  MPI_Fint error = -1;
  std::array<MPI_Fint, 2 * most_arguments> null_comm{};
  null_comm.fill(MPI_Comm_c2f(MPI_COMM_NULL));
  Arguments a{};
  std::ranges::fill(a, null_comm.data());
  MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
  if (std::string_view(symbol).find("arrier") != std::string_view::npos ||
      std::string_view(symbol).find("ARRIER") != std::string_view::npos) {
    a[0] = &comm;  // the mock calls the MPI library's barrier
  }
  a[Routine<Function>::arguments - 1] = omit_error ? nullptr : &error;
  call_routine(function, a, std::make_index_sequence<Routine<Function>::arguments>());
  if (!omit_error && error != MPI_SUCCESS) {
    ++failures;
    std::fprintf(stderr, "%s returned %d\n", symbol, error);
  }
}

template <Call call, typename Count, Choice choice, typename Function>
void test(Function* function, const char* symbol, World world, int round) {
  if constexpr (has_results(call)) {
    run<call, Count>(function, symbol, choice, world, round);
  } else {
    const bool has_omitted_errors = std::string(symbol).find("_f08") != std::string::npos;
    run_counted(function, symbol, has_omitted_errors && round % 2 == 0);
  }
  ++calls[profile::call_table[static_cast<std::size_t>(call)].name];
}

void test_all(World world) {
  for (int round = 0; round < rounds; ++round) {
#define ADCL_COLLECTIVE(id, symbol, count, choice, parameters, ...) \
  test<Call::id, count, Choice::choice>(&symbol, #symbol, world, round);
#include "routines.def"
#undef ADCL_COLLECTIVE
  }
}

/// Compares the numbers of calls with the report.
void check_report() {
  const nlohmann::json report = read_report();
  std::map<std::string, long> counted;
  if (report.is_object()) {
    for (const auto& [name, number] : report["passed"].items()) {
      counted[name] += number.get<long>();
    }
    for (const auto& row : report["searched"]) {
      counted[row["call"].get<std::string>()] += row["calls"].get<long>();
    }
  }
  if (counted != calls) {
    ++failures;
    for (const auto& [name, number] : calls) {
      if (counted[name] != number) {
        std::fprintf(stderr, "%s: %ld calls, %ld in the report\n", name.c_str(), number, counted[name]);
      }
    }
  }
}

}  // namespace
}  // namespace adcl::test

extern "C" int run_program(int argc, char** argv) {
  using namespace adcl::test;
  MPI_Init(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  test_all(world);
  MPI_Finalize();
  if (world.rank == 0) {
    check_report();
#ifdef ADCL_TEST_SEARCHES
    failures += world.size > 1 ? report_lacks_searches() : 0;
#endif
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
