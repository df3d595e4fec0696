// ranks: 1 2 3 4
// timeout: 60
// Keys do not depend on the process that generates them. The checks detect one modified key among the generated and the
// received keys.
#include <string>

#include "common/test_verdict.hpp"
#include "sorter.hpp"

namespace {

using apps::TestVerdict;
using is::Key;

void check_keys(const is::ProblemClass& problem, TestVerdict& verdict) {
  constexpr std::int64_t count = 1000;
  const std::vector<Key> all = is::make_keys(problem, 0, count);
  for (const std::int64_t cut : {std::int64_t{1}, std::int64_t{333}, count - 1}) {
    std::vector<Key> joined = is::make_keys(problem, 0, cut);
    const std::vector<Key> rest = is::make_keys(problem, cut, count);
    joined.insert(joined.end(), rest.begin(), rest.end());
    verdict.expect(joined == all, "keys generated in two parts, cut at " + std::to_string(cut));
  }
}

void check_right(const is::ProblemClass& problem, TestVerdict& verdict) {
  is::Sorter sorter(problem, MPI_COMM_WORLD);
  for (int iteration = 1; iteration <= is::iterations; ++iteration) {
    verdict.expect(sorter.rank_keys(iteration) == is::checked_keys, "ranks in iteration " + std::to_string(iteration));
  }
  verdict.expect(sorter.sorted(), "not sorted");
}

void check_modified(const is::ProblemClass& problem, TestVerdict& verdict) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  is::Sorter sorter(problem, MPI_COMM_WORLD);
  if (rank == 0) {
    // One key moves from the upper end to the lower end: four ranks change.
    Key& key = sorter.keys()[100];
    key = key == 0 ? problem.largest() - 1 : 0;
  }
  verdict.expect(sorter.rank_keys(1) < is::checked_keys, "a modified key is not detected among the generated ones");
  verdict.expect(sorter.sorted(), "modified keys are not sorted");
  if (!sorter.received().empty() && rank == 0) {
    std::vector<Key>& received = sorter.received();
    received.front() = received.front() + 1;
  }
  verdict.expect(!sorter.sorted(), "a modified key is not detected among the received ones");
}

void check_lost(const is::ProblemClass& problem, TestVerdict& verdict) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  is::Sorter sorter(problem, MPI_COMM_WORLD);
  sorter.rank_keys(1);
  if (rank == 0) {
    sorter.received().pop_back();
  }
  verdict.expect(!sorter.sorted(), "a lost key is not detected");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  TestVerdict verdict;
  const is::ProblemClass& problem = *is::find_class("S");
  check_keys(problem, verdict);
  check_right(problem, verdict);
  check_modified(problem, verdict);
  check_lost(problem, verdict);
  const int code = verdict.exit_code();
  MPI_Finalize();
  return code;
}
