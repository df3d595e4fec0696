// ranks: 1 2 3
// not smpi: its calls are macros, which cannot be replaced
// Expected times of codelets are the same on all ranks. If ranks differ, rank 0's times are broadcast; if they are
// equal, there is no additional broadcast.
#include <array>
#include <memory>
#include <vector>

#include "core/text.hpp"
#include "data/vector.hpp"
#include "request/request.hpp"
#include "support/suite.hpp"

struct ADCL_Request_s;

namespace adcl::test {
namespace {

int broadcasts = 0;

void nothing(ADCL_Request_s* /*request*/) {}

std::vector<Expectation> the_same(const Problem& /*problem*/) { return {{0.5, 3.0}, {1.5, 4.0}}; }

std::vector<Expectation> by_rank(const Problem& /*problem*/) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return {{0.5 + rank, 3.0}, {1.5, 4.0 + rank}};
}

/// Only the first number differs between ranks, or only the second.
std::vector<Expectation> by_rank_in(const Problem& problem, bool first) {
  auto expected = by_rank(problem);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Expectation alike = the_same(problem)[i];
    expected[i] =
        first ? Expectation{alike.log_time, expected[i].first} : Expectation{expected[i].log_time, alike.first};
  }
  return expected;
}
std::vector<Expectation> by_rank_in_first(const Problem& problem) { return by_rank_in(problem, true); }
std::vector<Expectation> by_rank_in_time(const Problem& problem) { return by_rank_in(problem, false); }

/// No expectation on some ranks, for example because a rank has no neighbors.
std::vector<Expectation> of_rank_0(const Problem& problem) {
  const auto mine = by_rank(problem);
  return mine.front().log_time < 1.0 ? mine : std::vector<Expectation>{};
}

runtime::RequestParts parts_of(std::vector<Expectation> (*expected)(const Problem&)) {
  const auto none = std::make_shared<const AttributeSet>();
  runtime::RequestParts parts;
  parts.set = runtime::function_set({{nothing, nullptr, none, {}, "first"}, {nothing, nullptr, none, {}, "second"}},
                                    "expected");
  parts.set->set.expected = expected;
  parts.fields.resize(1);
  return parts;
}

/// Creates a request of \p parts and checks that all ranks have rank 0's expected times.
std::shared_ptr<runtime::Request> made(Suite& suite, const runtime::RequestParts& parts) {
  const auto request = runtime::Request::create(
      mpi::Context::of(MPI_COMM_WORLD), parts,
      std::make_shared<runtime::Settings>(runtime::Settings::from(OptionValues(runtime::option_table()))));
  const auto& candidates = request->group().subject().candidates;
  suite.expect(candidates.size() == 2, text(candidates.size(), " candidates"));
  const std::array found{candidates[0].expected.log_time, candidates[0].expected.first, candidates[1].expected.log_time,
                         candidates[1].expected.first};
  suite.expect(found == std::array{0.5, 3.0, 1.5, 4.0}, text("this rank expects ", found[0], " ", found[3]));
  return request;
}

/// Number of broadcasts at the creation of a request with these expected times.
int create(Suite& suite, std::vector<Expectation> (*expected)(const Problem&)) {
  const int before = broadcasts;
  made(suite, parts_of(expected));
  return broadcasts - before;
}

/// Rank 0 already has the expected times for the second request's problem. It computes them again only if another rank
/// does not have them.
void problem_new_to_other_ranks(Suite& suite) {
  std::array<double, 2> data{};
  runtime::RequestParts parts = parts_of(&by_rank);
  parts.set->sharing = true;
  const auto vector = [&data](int points) {
    return std::make_shared<data::Vector>(Grid{{points}}, 0, MPI_DOUBLE, data.data());
  };
  parts.fields[0].send_vector = vector(1);
  const auto first = made(suite, parts);
  parts.fields[0].send_vector = vector(suite.rank() == 0 ? 1 : 2);
  const auto second = made(suite, parts);
  suite.expect((&first->group() == &second->group()) == (suite.size() == 1), "different problems share a search");
}

/// The identity of a problem includes which rank has which part of it.
void problems_that_ranks_exchange(Suite& suite) {
  std::array<double, 2> data{};
  runtime::RequestParts parts = parts_of(&the_same);
  const auto identity_if = [&](bool longer) {
    parts.fields[0].send_vector = std::make_shared<data::Vector>(Grid{{longer ? 2 : 1}}, 0, MPI_DOUBLE, data.data());
    return made(suite, parts)->group().identity();
  };
  const auto identity = identity_if(suite.rank() == 0);
  suite.expect(identity == identity_if(suite.rank() == 0), "the same problem has another identity");
  suite.expect(suite.size() != 2 || identity != identity_if(suite.rank() == 1), "exchanged problems have one identity");
}

}  // namespace
}  // namespace adcl::test

extern "C" int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++adcl::test::broadcasts;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int main(int argc, char** argv) {
  return adcl::test::run_suite(argc, argv, [](adcl::test::Suite& suite) {
    using namespace adcl::test;
    create(suite, &the_same);  // additional broadcasts of the first request of a communicator
    const int alike = create(suite, &the_same);
    const int more = suite.size() > 1 ? 1 : 0;
    suite.expect(alike > 0, "broadcasts were not counted");
    suite.expect(create(suite, &by_rank) == alike + more, "different expectations were not broadcast");
    suite.expect(create(suite, &by_rank_in_first) == alike + more, "different first executions were not broadcast");
    suite.expect(create(suite, &by_rank_in_time) == alike + more, "different times were not broadcast");
    suite.expect(create(suite, &of_rank_0) == alike + more, "rank 0's expectations were not broadcast");
    problem_new_to_other_ranks(suite);
    problems_that_ranks_exchange(suite);
  });
}
