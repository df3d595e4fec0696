// ranks: 1 2 3 4 5
// valgrind: 1
// large: 7 8 16
// small /dev/shm: 2 3
// timeout: 120
// Defects of the released ADCL 1.x, as named cases for every codelet: periodic dimensions of one or two processes (one
// tag for all directions gave wrong halos), Send/Recv pairs on periodic rings of length one and of odd length (they
// hung), one-sided codelets with blocks of unequal size (they overwrote the block), and one-sided extended exchanges
// (they missed the corners).
#include <algorithm>
#include <set>

#include "codelets/sets.hpp"
#include "core/error.hpp"
#include "mpi/defects.hpp"
#include "mpi/environment.hpp"
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

/// The codelets of thesis Tables 3.1 and 5.2, which are applicable to every case here.
const std::set<std::string>& codelets_of_the_thesis() {
  static const std::set<std::string> names{
      "IsIr_aao",         "IsIr_pair",        "IsIr_aao_pack",    "IsIr_pair_pack",    "SIr_aao",
      "SIr_pair",         "SIr_aao_pack",     "SIr_pair_pack",    "S_R_pair",          "S_R_pair_pack",
      "Sr_pair",          "Sr_pair_pack",     "WinfencePut_aao",  "WinfenceGet_aao",   "WinfencePut_pair",
      "WinfenceGet_pair", "PostStartPut_aao", "PostStartGet_aao", "PostStartPut_pair", "PostStartGet_pair"};
  return names;
}

using Blocks = std::vector<std::vector<int>>;

Blocks equal_blocks(const std::vector<int>& grid_dims, int extent) {
  Blocks blocks;
  for (const int places : grid_dims) {
    blocks.emplace_back(static_cast<std::size_t>(places), extent);
  }
  return blocks;
}

Blocks growing_blocks(const std::vector<int>& grid_dims, int smallest) {
  Blocks blocks = equal_blocks(grid_dims, smallest);
  for (auto& list : blocks) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] += static_cast<int>(i * i % 5);
    }
  }
  return blocks;
}

HaloWidths widths(std::vector<int> left, std::vector<int> right) { return {std::move(left), std::move(right)}; }

HaloWidths same_widths(std::size_t ndims, int width) {
  return widths(std::vector<int>(ndims, width), std::vector<int>(ndims, width));
}

bool is_one_sided(const Codelet& codelet) {
  const AttributeSet& attributes = codelets::neighborhood().attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const AttributeValue* value = attributes[i].find(codelet.attributes[i]);
    if (value != nullptr && value->value_class == "one_sided") {
      return true;
    }
  }
  return false;
}

/// True if a codelet is not applicable because of a defect of the MPI library.
bool has_library_defect(const Codelet& codelet) {
  return mpi::self_copy_defect != nullptr || (is_one_sided(codelet) && mpi::environment().window_defect() != nullptr);
}

void every_codelet(Suite& suite, const char* name, const ProblemModel& problem) {
  Topology topology(problem.topology, MPI_COMM_WORLD);
  Request request(topology, problem);
  const auto rows = candidates(suite, request);
  for (const Codelet& row : codelets::neighborhood().codelets) {
    const bool wanted =
        codelets_of_the_thesis().count(row.name) != 0 && suite.wants_codelet(row.name) && !has_library_defect(row);
    suite.expect(!wanted || std::find(rows.begin(), rows.end(), &row) != rows.end(),
                 text(name, ": the codelet ", row.name, " is not applicable to this case"));
  }
  Jitter jitter(suite.rank());
  suite.allow(0.5);
  for (const Codelet* row : rows) {
    Exchange exchange(suite, request, *row);
    int round = 0;
    do {
      jitter();
      exchange.run(round);
    } while (++round < 4 && suite.has_time(topology.comm()));
  }
}

ProblemModel on_grid(Kind kind, const std::vector<int>& grid_dims, int periodic, const Blocks& blocks,
                     const HaloWidths& halo) {
  return grid_problem(grid_topology(kind, grid_dims, std::vector<int>(grid_dims.size(), periodic)), blocks, halo);
}

void periodic_dimension_of_one_process(Suite& suite) {
  for (const auto& grid : {std::vector<int>{suite.size(), 1}, std::vector<int>{1, suite.size()}}) {
    every_codelet(suite, "periodic dimension of one process",
                  on_grid(Kind::cartesian, grid, 1, equal_blocks(grid, 4), same_widths(2, 2)));
  }
}

void periodic_dimension_of_two_processes(Suite& suite) {
  if (suite.size() % 2 != 0) {
    return;
  }
  for (const auto& grid : {std::vector<int>{2, suite.size() / 2}, std::vector<int>{suite.size() / 2, 2}}) {
    every_codelet(suite, "periodic dimension of two processes",
                  on_grid(Kind::cartesian, grid, 1, equal_blocks(grid, 3), widths({1, 2}, {3, 1})));
  }
}

void periodic_ring(Suite& suite) {
  const std::vector<int> ring{suite.size()};
  every_codelet(suite, "periodic ring", on_grid(Kind::cartesian, ring, 1, equal_blocks(ring, 5), same_widths(1, 2)));
}

void periodic_ring_with_messages_that_no_library_buffers(Suite& suite) {
  const std::vector<int> ring{suite.size()};
  every_codelet(suite, "periodic ring with long messages",
                on_grid(Kind::cartesian, ring, 1, equal_blocks(ring, 40000), same_widths(1, 40000)));
}

void blocks_of_unequal_size(Suite& suite) {
  const auto grids = factorizations(suite.size(), 2);
  const std::vector<int> grid = grids[grids.size() / 2];
  for (const int periodic : {0, 1}) {
    every_codelet(suite, "blocks of unequal size",
                  on_grid(Kind::cartesian, grid, periodic, growing_blocks(grid, 3), widths({1, 3}, {2, 0})));
  }
}

void extended_exchange(Suite& suite, int ndims, int periodic) {
  const auto grids = factorizations(suite.size(), ndims);
  const std::vector<int> grid = grids[grids.size() / 2];
  every_codelet(suite, "extended exchange with corners",
                on_grid(Kind::extended, grid, periodic, growing_blocks(grid, 2), same_widths(grid.size(), 2)));
}

void extended_exchange_with_corners(Suite& suite) {
  extended_exchange(suite, 2, 0);
  extended_exchange(suite, 2, 1);
  extended_exchange(suite, 3, 1);
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  using namespace adcl::test;
  return run_suite(argc, argv, [](Suite& suite) {
    periodic_dimension_of_one_process(suite);
    periodic_dimension_of_two_processes(suite);
    periodic_ring(suite);
    periodic_ring_with_messages_that_no_library_buffers(suite);
    blocks_of_unequal_size(suite);
    extended_exchange_with_corners(suite);
  });
}
