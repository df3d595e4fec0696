#include "support/scenario.hpp"

#include <unistd.h>

#include <memory>

#include "mpi/check.hpp"

namespace adcl::test {

using mpi::check;

Jitter::Jitter(int rank) : random_(mixed(static_cast<std::uint64_t>(rank) + 77)) {}

void Jitter::operator()() {
  if (random_.one_in(6)) {
    usleep(static_cast<useconds_t>(random_.between(1, 300)));
  }
}

void one_by_one(Suite& suite, Request& request, Random& random, Jitter& jitter) {
  auto rows = candidates(suite, request);
  random.shuffle(rows);
  for (const Codelet* codelet : rows) {
    if (codelet != rows.front() && !suite.has_time(request.topology().comm())) {
      return;
    }
    Exchange exchange(suite, request, *codelet);
    exchange.run(0);
    for (int round = 1; round <= 2; ++round) {
      jitter();
      exchange.start(round);
      jitter();
      if (round == 1) {
        exchange.wait();
      } else {
        exchange.poll();
      }
      jitter();
      exchange.verify();
    }
    exchange.run(3);
  }
}

void interleaved(Suite& suite, Request& request, Random& random, Jitter& jitter) {
  const auto rows = candidates(suite, request);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (const Codelet* codelet : rows) {
    exchanges.push_back(std::make_unique<Exchange>(suite, request, *codelet));
  }
  int round = 0;
  while (!exchanges.empty()) {
    for (int i = 0; i < 3 && suite.has_time(request.topology().comm()); ++i) {
      jitter();
      random.pick(exchanges)->run(++round);
    }
    const auto victim = random.next() % exchanges.size();
    suite.step("dropping a plan");
    exchanges.erase(exchanges.begin() + static_cast<std::ptrdiff_t>(victim));
  }
}

void on_some_processes(Random& random, const std::function<void(MPI_Comm comm, int size)>& body) {
  int rank = 0;
  int size = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  const int choice = random.between(0, 5);
  const int members = choice == 0 ? random.between(1, size) : size;
  const bool reversed = choice <= 1;
  const bool member = rank >= size - members;
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, reversed ? -rank : rank, &comm), "MPI_Comm_split");
  if (member) {
    body(comm, members);
    check(MPI_Comm_free(&comm), "MPI_Comm_free");
  }
}

void each_codelet(Suite& suite, const ProblemModel& model, Random& random, bool all,
                  const std::function<void(Suite&, Request&, const Codelet&)>& test) {
  Topology topology(model.topology, MPI_COMM_WORLD);
  Request request(topology, model);
  auto rows = candidates(suite, request);
  random.shuffle(rows);
  for (const Codelet* row : rows) {
    if (!all && row != rows.front() && !suite.has_time(topology.comm())) {
      return;
    }
    test(suite, request, *row);
  }
}

void any_scenario(Suite& suite, std::uint64_t seed, const std::function<Subject(Random& random, int size)>& draw) {
  Random random(seed);
  Jitter jitter(suite.rank());
  const std::uint64_t inner_seed = random.next();
  on_some_processes(random, [&](MPI_Comm comm, int size) {
    Random inner(inner_seed);
    const Subject subject = draw(inner, size);
    Topology topology(subject.topology, comm);
    Request request(topology, subject.fields);
    if (subject.one_by_one || inner.one_in(2)) {
      one_by_one(suite, request, inner, jitter);
    } else {
      interleaved(suite, request, inner, jitter);
    }
  });
}

}  // namespace adcl::test
