/// \file scenario.hpp
/// Ways to use codelets that every row of the table has to stand. All are collective over the request's communicator
/// and choose the same on all its ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/exchange.hpp"
#include "support/random.hpp"
#include "support/suite.hpp"

namespace adcl::test {

/// Ranks get out of step: each sleeps now and then for a moment of its own.
class Jitter {
 public:
  explicit Jitter(int rank);
  void operator()();

 private:
  Random random_;
};

/// Each codelet alone, in random order while there is time: run, start and wait, start and test, run again; new data
/// every time.
void one_by_one(Suite& suite, Request& request, Random& random, Jitter& jitter);

/// Plans of all codelets at once, used in random order as a search does while there is time, and dropped in random
/// order.
void interleaved(Suite& suite, Request& request, Random& random, Jitter& jitter);

/// Calls \p test with every codelet that does the problem, on all processes, or with as many as there is time for, one
/// at least. In random order. Collective over MPI_COMM_WORLD.
void each_codelet(Suite& suite, const ProblemModel& model, Random& random, bool all,
                  const std::function<void(Suite&, Request&, const Codelet&)>& test);

/// Calls \p body with a communicator of all processes, of all in reverse order, or of some of them; not on the others.
/// Collective over MPI_COMM_WORLD.
void on_some_processes(Random& random, const std::function<void(MPI_Comm comm, int size)>& body);

/// What a scenario is about.
struct Subject {
  TopologyModel topology;
  std::vector<ProblemModel> fields;
  bool one_by_one = false;  ///< the problem is too large for the plans of all codelets at once
};

/// One random problem for all codelets that do it, on some of the processes, one by one or interleaved. \p draw makes
/// the same on all ranks. Collective over MPI_COMM_WORLD.
void any_scenario(Suite& suite, std::uint64_t seed, const std::function<Subject(Random& random, int size)>& draw);

}  // namespace adcl::test
