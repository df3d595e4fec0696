// ranks: 1 2 3 4 5
// valgrind: 1
// large: 7 8 16
// small /dev/shm: 2 3
// timeout: 120
// Concurrent operations of the neighborhood: on one or two communicators, many at once, with ranks that wait in
// different orders, and with plans that are freed and created again.
#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "mpi/check.hpp"
#include "support/scenario.hpp"

namespace adcl::test {
namespace {

using mpi::check;
using Rows = std::vector<const Codelet*>;

constexpr int token_tag = 30000;

Rows nonblocking(const Rows& rows) {
  Rows result;
  for (const Codelet* row : rows) {
    if (row->capabilities.nonblocking) {
      result.push_back(row);
    }
  }
  return result;
}

TopologyModel random_topology(Random& random, int size) {
#ifdef SMPI_H
  const int first = 1;  // SMPI has no distributed graphs.
#else
  const int first = 0;
#endif
  switch (random.between(first, 3)) {
    case 0:
      return random_graph_topology(random, size);
    case 1:
      return random_grid_topology(random, size, Kind::extended, random.between(1, 2));
    case 2:
      return random_generic_topology(random, size, random.between(1, 2));
    default:
      return random_grid_topology(random, size, Kind::cartesian, random.between(1, 3));
  }
}

bool may_be_long(const TopologyModel& topology) { return topology.ndims <= 2; }

/// A rank starts only after the previous rank has started and tested: a start or a test that waits for a later rank
/// never returns.
void starts_do_not_wait(Suite& suite, Request& request, Random& random) {
  const MPI_Comm comm = request.topology().comm();
  const int rank = request.topology().rank();
  const int size = request.topology().neighborhood().size;
  Rows rows = nonblocking(candidates(suite, request));
  random.shuffle(rows);
  for (const Codelet* row : rows) {
    if (row != rows.front() && !suite.has_time(comm)) {
      return;
    }
    Exchange exchange(suite, request, *row);
    for (int round = 0; round < 2; ++round) {
      const int place = round == 0 ? rank : size - 1 - rank;  // forwards, then backwards
      const int before = round == 0 ? rank - 1 : rank + 1;
      const int after = round == 0 ? rank + 1 : rank - 1;
      suite.step(row->name + ": start that must not wait for rank " + std::to_string(after) + ", round " +
                 std::to_string(round));
      if (place > 0) {
        check(MPI_Recv(nullptr, 0, MPI_BYTE, before, token_tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      }
      exchange.start(round);
      static_cast<void>(exchange.test());
      if (place + 1 < size) {
        check(MPI_Send(nullptr, 0, MPI_BYTE, after, token_tag, comm), "MPI_Send");
      }
      exchange.poll();
      exchange.verify();
    }
  }
}

void alone(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  const TopologyModel model = random_topology(random, suite.size());
  Topology topology(model, MPI_COMM_WORLD);
  Request request(topology, random_problem(random, model, may_be_long(model) && random.one_in(2)));
  starts_do_not_wait(suite, request, random);
}

/// Completes two operations in an order that the rank chooses.
void end_both(Exchange& a, Exchange& b, bool a_first, bool polling) {
  Exchange& first = a_first ? a : b;
  Exchange& second = a_first ? b : a;
  if (polling) {
    bool done_a = false;
    bool done_b = false;
    while (!done_a || !done_b) {
      done_a = done_a || a.test();
      done_b = done_b || b.test();
    }
  } else {
    first.wait();
    second.wait();
  }
  first.verify();
  second.verify();
}

/// Two requests with the same peers, for pairs of different codelets.
void two_requests(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  Jitter jitter(suite.rank());
  const TopologyModel model = random_topology(random, suite.size());
  Topology topology(model, MPI_COMM_WORLD);
  Request a(topology, random_problem(random, model, false));
  Request b(topology, random_problem(random, model, may_be_long(model) && random.one_in(3)));
  Rows rows_b = candidates(suite, b);
  const Rows rows_a = nonblocking(candidates(suite, a));
  random.shuffle(rows_b);
  if (rows_a.empty() || rows_b.empty()) {
    return;
  }
  for (const Codelet* row_b : rows_b) {
    if (row_b != rows_b.front() && !suite.has_time(topology.comm())) {
      return;
    }
    Exchange first(suite, a, *random.pick(rows_a));
    Exchange second(suite, b, *row_b);
    for (int round = 0; round < 3; ++round) {
      jitter();
      first.start(round);
      jitter();
      if (!row_b->capabilities.nonblocking) {
        second.run(round);
        first.wait();
        first.verify();
        continue;
      }
      second.start(round);
      jitter();
      // Round 0: the later operation first; round 1: ranks in different orders; round 2: alternating tests of both.
      end_both(first, second, round == 1 && topology.rank() % 2 == 0, round == 2);
    }
  }
}

/// Requests of two communicators with their processes in different order; each rank chooses which one to start first.
void two_communicators(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  const TopologyModel model_a = random_topology(random, suite.size());
  const TopologyModel model_b = random_topology(random, suite.size());
  MPI_Comm reversed = MPI_COMM_NULL;
  check(MPI_Comm_split(MPI_COMM_WORLD, 0, -suite.rank(), &reversed), "MPI_Comm_split");
  {
    Topology topology_a(model_a, MPI_COMM_WORLD);
    Topology topology_b(model_b, reversed);
    Request a(topology_a, random_problem(random, model_a, false));
    Request b(topology_b, random_problem(random, model_b, false));
    Rows rows_a = nonblocking(candidates(suite, a));
    const Rows rows_b = nonblocking(candidates(suite, b));
    random.shuffle(rows_a);
    for (std::size_t i = 0; i < rows_a.size() && !rows_b.empty(); ++i) {
      if (i > 0 && !suite.has_time(topology_a.comm())) {
        break;
      }
      Exchange first(suite, a, *rows_a[i]);
      Exchange second(suite, b, *random.pick(rows_b));
      for (int round = 0; round < 2; ++round) {
        const bool a_first = (suite.rank() + round) % 2 == 0;
        (a_first ? first : second).start(round);
        (a_first ? second : first).start(round);
        end_both(first, second, round == 0, false);
      }
    }
  }
  check(MPI_Comm_free(&reversed), "MPI_Comm_free");
}

/// Many requests in flight, as in an application with many fields, with all codelets.
void many_requests(Suite& suite, std::uint64_t seed) {
  constexpr std::size_t n_requests = 24;
  Random random(seed);
  const TopologyModel model = random_topology(random, suite.size());
  Topology topology(model, MPI_COMM_WORLD);
  std::vector<std::unique_ptr<Request>> requests;
  std::vector<std::unique_ptr<Exchange>> exchanges;
  const auto shift = static_cast<std::size_t>(random.between(0, 100));
  for (std::size_t i = 0; i < n_requests; ++i) {
    requests.push_back(std::make_unique<Request>(topology, random_problem(random, model, false)));
    const Rows rows = nonblocking(candidates(suite, *requests.back()));
    if (!rows.empty()) {
      exchanges.push_back(std::make_unique<Exchange>(suite, *requests.back(), *rows[(i + shift) % rows.size()]));
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (auto& exchange : exchanges) {
      exchange->start(round);
    }
    std::vector<std::size_t> order(exchanges.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = order.size() - 1 - i;
    }
    if (round == 1) {
      Random own(mixed(seed + static_cast<std::uint64_t>(suite.rank())));
      own.shuffle(order);
    }
    for (const std::size_t i : order) {
      exchanges[i]->wait();
      exchanges[i]->verify();
    }
  }
}

/// Two plans of a codelet on one topology, used alternately. One plan is freed and created again, which must not affect
/// the other.
void plans_are_recreated(Suite& suite, std::uint64_t seed) {
  Random random(seed);
  const TopologyModel model = random_topology(random, suite.size());
  Topology topology(model, MPI_COMM_WORLD);
  Request a(topology, random_problem(random, model, false));
  Request b(topology, random_problem(random, model, false));
  Rows rows;
  const Rows rows_b = candidates(suite, b);
  for (const Codelet* row : candidates(suite, a)) {
    if (std::find(rows_b.begin(), rows_b.end(), row) != rows_b.end()) {
      rows.push_back(row);
    }
  }
  random.shuffle(rows);
  for (const Codelet* row : rows) {
    if (row != rows.front() && !suite.has_time(topology.comm())) {
      return;
    }
    auto first = std::make_unique<Exchange>(suite, a, *row);
    Exchange second(suite, b, *row);
    first->run(0);
    second.run(1);
    first->run(2);
    suite.step(row->name + ": dropping a plan");
    first.reset();
    second.run(3);
    first = std::make_unique<Exchange>(suite, a, *row);
    first->run(4);
    second.run(5);
  }
}

}  // namespace
}  // namespace adcl::test

int main(int argc, char** argv) {
  using namespace adcl::test;
  return run_suite(argc, argv, [](Suite& suite) {
    suite.repeat("starts do not wait", 0.8, [&](std::uint64_t seed) { alone(suite, seed); });
    suite.repeat("two requests", 0.8, [&](std::uint64_t seed) { two_requests(suite, seed); });
    suite.repeat("two communicators", 0.8, [&](std::uint64_t seed) { two_communicators(suite, seed); });
    suite.repeat("many requests", 0.8, [&](std::uint64_t seed) { many_requests(suite, seed); });
    suite.repeat("plans come and go", 0.8, [&](std::uint64_t seed) { plans_are_recreated(suite, seed); });
  });
}
