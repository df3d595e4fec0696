// The checks of a winner's time in production, between the pairs. Pairs are far apart if the winner is much faster than
// the MPI library's call, so a check detects earlier that the winner has become slower or has failed.
#include <algorithm>
#include <span>

#include "interpose/communicator.hpp"
#include "interpose/search.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/clock.hpp"

namespace adcl::interpose {

/// Waits for the next pair, or for a check before it.
void Search::wait_in_production() {
  const auto between_checks = static_cast<double>(calls_between_checks(agreed_.codelet_s));
  wait_ = std::min(check_.until_pair, calls_of(static_cast<double>(check_.patience) * between_checks, 1));
  check_.until_pair -= wait_;
}

int Search::run_check(const CollectiveCall& call, const NativeCall& native) {
  if (check_.position == 0) {
    check_.times = select::BatchTimes(has_common_clock());
    check_.times.begin({samples_per_check});
  }
  ++counts_.production;
  const double begin_s = measure::now();
  const int code = run_codelet(call, native);
  const double end_s = measure::now();
  check_.times.record(check_.position, end_s - begin_s, end_s + mpi::node_clock_offset_s());
  if (++check_.position == samples_per_check) {
    check_.position = 0;
    end_check();
  }
  return code;
}

/// If even the shortest time is longer than the MPI library's call took, a batch of pairs begins at once. If the batch
/// confirms the winner, later checks are less frequent: the times of the program vary.
void Search::end_check() {
  std::vector<double> numbers = check_.times.pending(mean_of_samples());
  numbers.push_back(own_.failed ? 1.0 : 0.0);
  const auto all = reduce(std::move(numbers));
  const auto block = check_.times.combined(std::span(all).first(all.size() - 1), mean_of_samples()).front();
  agreed_.spent_s += agreement_s;
  if (all.back() > 0.0) {
    home_.withdraw(family_, "a codelet has failed");
  } else if (block.shortest_s > agreed_.native_s) {
    constexpr std::int64_t most_patience = 1024;
    check_.hurried = true;
    check_.until_pair = 0;
    check_.patience = std::min(2 * check_.patience, most_patience);
    begin_batch();
  } else {
    wait_in_production();
  }
}

}  // namespace adcl::interpose
