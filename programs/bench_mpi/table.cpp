#include "function.hpp"

namespace adcl::bench {
namespace {

void add(Functions& to, Functions what) {
  for (Function& function : what) {
    to.push_back(std::move(function));
  }
}

Functions all() {
  Functions table = latency_functions();
  table.push_back(binary_tree_broadcast());
  add(table, other_collectives());
  add(table, nonblocking_collectives());
  add(table, object_functions());
  table.push_back({"MPI_memory", Measured::share, "log p",
                   "growth of a process's memory (PSS) from the start of MPI_Init to the end of the last function", 1,
                   false, nullptr});
  table.push_back({"MPI_memory_resident", Measured::resident, "log p",
                   "growth of a process's memory with all shared pages (RSS) in the same period", 1, false, nullptr});
  return table;
}

}  // namespace

const Functions& function_table() {
  static const Functions table = all();
  return table;
}

}  // namespace adcl::bench
