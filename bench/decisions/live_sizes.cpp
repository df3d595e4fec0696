// with: halo/twins/faces.cpp
// options: -O3
// One program that exchanges the halos of blocks of several sizes in turns, like a multigrid cycle, for history.py:
// cubes of doubles, two processes one behind the other along the last dimension (strided faces).
//
//   live_sizes CYCLES FILE N...
//
// Runs CYCLES cycles, each with an exchange of every N with the default options. Writes to FILE their time on the
// slower process, including creation and destruction of the requests, and the codelets that ran last. The data to send
// are written before each exchange; this is not timed.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ADCL.h"
#include "common/adcl_call.hpp"
#include "common/document.hpp"
#include "halo/twins/faces.hpp"

namespace {

using bench::check;
using bench::Json;

struct Level {
  std::vector<double> data;
  twins::Block block;
  std::vector<twins::Side> sides;
  ADCL_Request request = ADCL_REQUEST_NULL;

  Level(int points, MPI_Comm cart) {
    const auto side = static_cast<std::size_t>(points) + 2;
    data.assign(side * side * side, 1.0);
    block.cart = cart;
    block.dims.assign(3, points + 2);
    block.fields = {data.data()};
    sides = twins::sides_of(block);
  }
};

struct Outcome {
  double seconds = 0.0;
  std::vector<std::string> last;
};

/// Collective.
Outcome run(const std::vector<int>& points, int cycles) {
  const std::array<int, 3> processes{1, 1, 2};
  const std::array<int, 3> periods{1, 1, 1};
  MPI_Comm cart = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, processes.data(), periods.data(), 0, &cart);
  std::vector<Level> levels;
  levels.reserve(points.size());
  for (const int side : points) {
    levels.emplace_back(side, cart);
  }
  Outcome outcome;
  double begin = MPI_Wtime();
  for (Level& level : levels) {
    check(ADCL_Halo_init(ADCL_HALO(level.data.data(), 3, level.block.dims.data(), 0, 1, MPI_DOUBLE), cart,
                         &level.request),
          "ADCL_Halo_init");
  }
  outcome.seconds += MPI_Wtime() - begin;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    for (Level& level : levels) {
      for (const twins::Side& side : level.sides) {
        twins::increment(side.send, level.data.data());
      }
      begin = MPI_Wtime();
      check(ADCL_Request_start(level.request), "ADCL_Request_start");
      outcome.seconds += MPI_Wtime() - begin;
    }
  }
  for (Level& level : levels) {
    std::array<char, ADCL_MAX_NAME> name{};
    check(ADCL_Request_get_curr_function(level.request, name.data(), ADCL_MAX_NAME), "ADCL_Request_get_curr_function");
    outcome.last.emplace_back(name.data());
    begin = MPI_Wtime();
    check(ADCL_Request_free(&level.request), "ADCL_Request_free");
    outcome.seconds += MPI_Wtime() - begin;
  }
  MPI_Comm_free(&cart);
  MPI_Allreduce(MPI_IN_PLACE, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check(ADCL_Init(), "ADCL_Init");
  int code = 2;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 4 || size != 2) {
    std::fprintf(stderr, "usage, with two processes: %s CYCLES FILE N...\n", argv[0]);
  } else {
    std::vector<int> points;
    for (int i = 3; i < argc; ++i) {
      points.push_back(std::atoi(argv[i]));
    }
    const Outcome told = run(points, std::atoi(argv[1]));
    code = bench::write_document(argv[2], {{"seconds", told.seconds}, {"last", told.last}}, Json::array());
  }
  check(ADCL_Finalize(), "ADCL_Finalize");
  MPI_Finalize();
  return code;
}
