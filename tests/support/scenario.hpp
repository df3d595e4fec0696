/// \file scenario.hpp
/// Sequences of operations that test every codelet of the table. All are collective over the request's communicator and
/// make the same choices on all its ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/exchange.hpp"
#include "support/random.hpp"
#include "support/suite.hpp"

namespace adcl::test {

/// Desynchronizes the ranks: each sleeps at random for a short time.
class Jitter {
 public:
  explicit Jitter(int rank);
  void operator()();

 private:
  Random random_;
};

/// Tests each codelet alone, in random order while there is time: run, start and wait, start and test, run again, each
/// with new data.
void one_by_one(Suite& suite, Request& request, Random& random, Jitter& jitter);

/// Creates plans of all codelets, runs them in random order while there is time, as a search does, and frees them in
/// random order.
void interleaved(Suite& suite, Request& request, Random& random, Jitter& jitter);

/// Calls \p test on all processes with every applicable codelet if \p all, otherwise with as many codelets as the time
/// allows, but at least one, in random order. Collective over MPI_COMM_WORLD.
void each_codelet(Suite& suite, const ProblemModel& model, Random& random, bool all,
                  const std::function<void(Suite&, Request&, const Codelet&)>& test);

/// Calls \p body with a communicator of all processes, of all processes in reverse order, or of some processes.
/// Processes outside the communicator do not call it. Collective over MPI_COMM_WORLD.
void on_some_processes(Random& random, const std::function<void(MPI_Comm comm, int size)>& body);

/// The problem of a scenario.
struct Subject {
  TopologyModel topology;
  std::vector<ProblemModel> fields;
  bool one_by_one = false;  ///< the problem is too large for the plans of all codelets at once
};

/// Tests all applicable codelets on one random problem, on some of the processes, one by one or interleaved. \p draw
/// returns the same problem on all ranks. Collective over MPI_COMM_WORLD.
void any_scenario(Suite& suite, std::uint64_t seed, const std::function<Subject(Random& random, int size)>& draw);

}  // namespace adcl::test
