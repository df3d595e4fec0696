// Reductions of floating-point numbers with a slow MPI_Allreduce. By default they keep the bits of the MPI library's
// call, write to no other memory, and the report estimates what ADCL_INTERPOSE_BITS=any would save. The program is
// compiled without ADCL.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "report_check.hpp"

namespace {

constexpr int numbers = 64;
constexpr int calls = 1200;
int failures = 0;
int errors_handled = 0;

void handle_error(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++errors_handled; }

void expect(bool good, const char* what) {
  if (!good && ++failures < 10) {
    std::fprintf(stderr, "failed: %s\n", what);
  }
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Numbers whose sum depends on the order of the additions.
std::vector<double> numbers_of(int rank, int call) {
  std::vector<double> made(numbers);
  for (int i = 0; i < numbers; ++i) {
    made[static_cast<std::size_t>(i)] = 1.0 / (3 + i + 7 * rank + call) + (rank % 2 == 0 ? 1e9 : -1e9);
  }
  return made;
}

void reduce_and_compare(int rank, int call) {
  const std::vector<double> given = numbers_of(rank, call);
  std::vector<double> input = given;
  std::vector<double> output(numbers + 2, -1.0);
  std::vector<double> wanted(numbers);
  PMPI_Allreduce(given.data(), wanted.data(), numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if ((call + rank) % 3 == 0) {
    std::copy(given.begin(), given.end(), output.begin() + 1);
    MPI_Allreduce(MPI_IN_PLACE, output.data() + 1, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(input.data(), output.data() + 1, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  expect(same(input, given), "the input changed");
  expect(output.front() == -1.0 && output.back() == -1.0, "memory outside of the result changed");
  expect(same({output.begin() + 1, output.end() - 1}, wanted), "the result has other bits");
}

int check_report(int size) {
  const nlohmann::json report = read_report();
  if (!report.is_object() || size == 1) {
    return size == 1 ? 0 : 1;
  }
  for (const auto& row : report["searched"]) {
    std::printf("%s\n", row.dump().c_str());
    const auto& any = row["with_any_bits"];
    const std::string reason = row["reason"];
    if (row["call"] == "MPI_Allreduce" && row["up_to_bytes"] == numbers * 8) {
      expect(row["winner_calls"] == 0, "a codelet replaced a reduction of floating-point numbers");
      expect(row["calls"] == calls, "calls are counted twice or not at all");
      expect(reason.find("ADCL_INTERPOSE_BITS=native") != std::string::npos, "the reason names the variable");
      expect(any.is_object() && any["low"] > 0.0 && any["seconds"] >= any["low"] && any["high"] >= any["seconds"],
             "the report estimates what other bits would save");
      expect(any.is_object() && any["high"] < row["seconds"], "the estimate is below the time of the calls");
      expect(row["saved"].is_null() && report["with_any_bits"].is_object(), "the totals have the estimate");
      return failures == 0 ? 0 : 1;
    }
  }
  std::fprintf(stderr, "the report lacks the reduction\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handle_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (int call = 0; call < calls; ++call) {
    reduce_and_compare(rank, call);
  }
  expect(errors_handled == 0, "an error handler was called");
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return (rank == 0 ? check_report(size) : 0) + (failures > 0 ? 1 : 0);
}
