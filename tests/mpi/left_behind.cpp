// ranks: 1 2 3 4
// not smpi: its calls are macros and cannot be intercepted
// No MPI object outlives ADCL_Finalize, even after missing frees and failures. The ledger that checks this counts the
// library's objects.
#include <ADCL.h>

#include <cstdio>
#include <string>
#include <vector>

#include "codelets/sets.hpp"
#include "support/ledger.hpp"

namespace {

int failures = 0;

void expect(bool condition, const std::string& message) {
  if (!condition) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
    ++failures;
  }
}

void expect_success(int code, const char* call) {
  expect(code == ADCL_SUCCESS, std::string(call) + ": " + ADCL_Last_error());
}

void expect_nothing_left(const char* when) {
  const std::string left = adcl::test::left_behind();
  expect(left.empty(), left + " are not freed " + when);
}

/// A periodic grid of all ranks with a type that has a hole; both may be freed while requests use them.
struct Program {
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<double> data = std::vector<double>(std::size_t{2} * 8 * 8);

  Program() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int dims[] = {size, 1};
    const int periods[] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &type);
    MPI_Type_commit(&type);
  }
  ADCL_Request request() {
    const int dims[] = {8, 8};
    ADCL_Request result = ADCL_REQUEST_NULL;
    expect_success(ADCL_Halo_init(ADCL_HALO(data.data(), 2, dims, 0, 1, type), grid, &result), "ADCL_Halo_init");
    return result;
  }
  void free() {
    MPI_Type_free(&type);
    MPI_Comm_free(&grid);
  }
};

void start(ADCL_Request request, int times) {
  for (int i = 0; i < times; ++i) {
    expect_success(ADCL_Request_start(request), "ADCL_Request_start");
  }
}

/// Preselects every applicable codelet; half of the requests are not freed.
void every_codelet(Program& program) {
  int number = 0;
  for (const auto& row : adcl::codelets::neighborhood().codelets) {
    expect_success(ADCL_Option_set("ADCL_CODELETS", ("neighborhood:" + row.name).c_str()), "ADCL_Option_set");
    const int dims[] = {8, 8};
    ADCL_Request request = ADCL_REQUEST_NULL;
    if (ADCL_Halo_init(ADCL_HALO(program.data.data(), 2, dims, 0, 1, program.type), program.grid, &request) !=
        ADCL_SUCCESS) {
      continue;
    }
    start(request, 2);
    if (++number % 2 == 0) {
      expect_success(ADCL_Request_free(&request), "ADCL_Request_free");
    }
  }
  expect_success(ADCL_Option_set("ADCL_CODELETS", ""), "ADCL_Option_set");
  expect(number > 0, "no codelet is applicable");
}

void wide_halo_is_refused(Program& program) {
  const int dims[] = {8, 8};
  ADCL_Request request = ADCL_REQUEST_NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int width = rank == 0 ? 7 : 1;
  expect(ADCL_Halo_init(ADCL_HALO(program.data.data(), 2, dims, 0, width, program.type), program.grid, &request) !=
             ADCL_SUCCESS,
         "a halo wider than the block is refused on all ranks");
}

void ledger_counts_objects() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  expect(adcl::test::left_behind() == "1 communicators", "the ledger has '" + adcl::test::left_behind() + "'");
  MPI_Comm_free(&comm);
  expect_nothing_left("by the ledger's own test");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ledger_counts_objects();
  for (int round = 0; round < 2; ++round) {
    expect_success(ADCL_Init(), "ADCL_Init");
    Program program;
    ADCL_Request searching = program.request();
    start(searching, 12);
    every_codelet(program);
    wide_halo_is_refused(program);
    program.free();
    expect(!adcl::test::left_behind().empty(), "the ledger counts no object of the requests");
    start(searching, 400);
    expect_success(ADCL_Finalize(), "ADCL_Finalize");
    expect_nothing_left("after ADCL_Finalize");
  }
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
