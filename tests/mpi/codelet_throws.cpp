// ranks: 1 2 3 4
// Functions of the application that throw exceptions on one rank. That rank's call returns ADCL_ERR_CALLBACK with the
// function's name and the exception's text. All ranks drop a codelet in the same start.
#include <mpi.h>

#include <stdexcept>
#include <string>

#include "core/text.hpp"
#include "support/checks.hpp"

namespace {

using adcl::text;
using adcl::test::expect;
using adcl::test::ok;

constexpr int most_starts = 200;

enum class Thrown { nothing, standard, other };
Thrown thrown = Thrown::nothing;  ///< exception that "quick" throws on this rank
int quick_runs = 0;
bool victim = false;  ///< this is the rank that fails

void quick(ADCL_Request /*request*/) {
  ++quick_runs;
  if (thrown == Thrown::standard) {
    throw std::runtime_error("no such device");
  }
  if (thrown == Thrown::other) {
    throw 42;
  }
}

void thorough(ADCL_Request /*request*/) {
  const double end = MPI_Wtime() + 2e-4;
  while (MPI_Wtime() < end) {
  }
}

void nothing(ADCL_Request /*request*/) {}
void throwing_work(ADCL_Request /*request*/) { throw std::runtime_error("no such device"); }

/// Checks the code of a call: ADCL_ERR_CALLBACK with \p message if \p fails, otherwise ADCL_SUCCESS.
void expect_code(int code, bool fails, const std::string& message) {
  expect(code == (fails ? ADCL_ERR_CALLBACK : ADCL_SUCCESS), text("code ", code, ": ", ADCL_Last_error()));
  expect(!fails || ADCL_Last_error() == message, text("the message is '", ADCL_Last_error(), "'"));
}

ADCL_Request make_request() {
  ADCL_Function functions[2] = {ADCL_FUNCTION_NULL, ADCL_FUNCTION_NULL};
  ADCL_Fnctset set = ADCL_FNCTSET_NULL;
  ADCL_Request request = ADCL_REQUEST_NULL;
  ok(ADCL_Function_create(quick, ADCL_ATTRSET_NULL, nullptr, "quick", &functions[0]), "ADCL_Function_create");
  ok(ADCL_Function_create(thorough, ADCL_ATTRSET_NULL, nullptr, "thorough", &functions[1]), "ADCL_Function_create");
  ok(ADCL_Fnctset_create(2, functions, "pair", &set), "ADCL_Fnctset_create");
  ok(ADCL_Request_create(ADCL_VECTOR_NULL, ADCL_VMAP_NULL, ADCL_TOPOLOGY_NULL, set, &request), "ADCL_Request_create");
  ok(ADCL_Fnctset_free(&set), "ADCL_Fnctset_free");
  for (ADCL_Function& function : functions) {
    ok(ADCL_Function_free(&function), "ADCL_Function_free");
  }
  return request;
}

bool decided(ADCL_Request request) {
  int state = ADCL_STATE_SEARCH;
  ok(ADCL_Request_get_state(request, &state), "ADCL_Request_get_state");
  return state == ADCL_STATE_PRODUCTION;
}

std::string winner_of(ADCL_Request request) {
  char winner[ADCL_MAX_NAME] = "";
  ok(ADCL_Request_get_winner(request, winner, sizeof winner), "ADCL_Request_get_winner");
  return winner;
}

/// The faster codelet throws on one rank: all ranks drop it, and must decide in the same start.
void codelet_that_throws(Thrown what, const std::string& says) {
  ADCL_Request request = make_request();
  int starts[2] = {0, 0};
  thrown = victim ? what : Thrown::nothing;
  for (; starts[0] < most_starts && !decided(request); ++starts[0]) {
    const int before = quick_runs;
    const int code = ADCL_Request_start(request);
    expect_code(code, victim && quick_runs > before, "ADCL_Request_start: codelet 'quick' threw an exception" + says);
  }
  starts[1] = -starts[0];
  MPI_Allreduce(MPI_IN_PLACE, starts, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  expect(starts[0] < most_starts && starts[0] == -starts[1], text("ranks decide after ", starts[0], " starts at most"));
  expect(winner_of(request) == "thorough", text("the winner is '", winner_of(request), "'"));
  const int before = quick_runs;
  for (int i = 0; i < 50; ++i) {
    ok(ADCL_Request_start(request), "ADCL_Request_start");
  }
  expect(quick_runs == before, "a codelet that has failed runs again");
  thrown = Thrown::nothing;
  ok(ADCL_Request_free(&request), "ADCL_Request_free");
}

/// A work function throws: the operation is complete, and no codelet is dropped.
void work_that_throws() {
  ADCL_Request request = make_request();
  for (int i = 0; i < 5; ++i) {
    const int code = ADCL_Request_start_overlap(request, nothing, nothing, victim ? throwing_work : nothing);
    expect_code(code, victim, "ADCL_Request_start_overlap: the function 'total' threw an exception: no such device");
  }
  for (int i = 0; i < 40; ++i) {
    ok(ADCL_Request_start_overlap(request, nothing, nothing, nothing), "ADCL_Request_start_overlap");
  }
  expect(winner_of(request) == "quick", text("the winner is '", winner_of(request), "'"));
  ok(ADCL_Request_free(&request), "ADCL_Request_free");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  victim = rank == size - 1;
  ok(ADCL_Init(), "ADCL_Init");
  ok(ADCL_Option_set("ADCL_SEARCH", "brute_force"), "ADCL_Option_set");
  codelet_that_throws(Thrown::standard, ": no such device");
  codelet_that_throws(Thrown::other, " that is not a std::exception");
  work_that_throws();
  ok(ADCL_Finalize(), "ADCL_Finalize");
  const int code = adcl::test::exit_code();
  MPI_Finalize();
  return code;
}
