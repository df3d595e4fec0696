// The pairs that compare the best candidate with the MPI library's call, in the proof and in production.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interpose/communicator.hpp"
#include "interpose/search.hpp"
#include "measure/mean.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/clock.hpp"

namespace adcl::interpose {
namespace {

constexpr std::size_t most_kept_pairs = 256;
constexpr double earlier_part = 0.75;  ///< factor by which the times of earlier batches count less

/// The numbers of samples of a batch's blocks, which alternate between the MPI library's call and the codelet.
std::vector<int> blocks_of_batch() {
  std::vector<int> blocks;
  blocks.assign(2 * pairs_per_batch, samples_per_side);
  return blocks;
}

/// Whether a pair begins with the codelet.
bool codelet_begins(std::uint64_t pair) {
  const std::uint64_t mixed = (pair / 2 + 1) * 0x9e3779b97f4a7c15ULL;
  return ((pair ^ (mixed >> 61U)) & 1U) != 0;
}

double median_of_last(const std::vector<double>& ratios, std::size_t number) {
  std::vector<double> last(ratios.end() - static_cast<std::ptrdiff_t>(number), ratios.end());
  std::ranges::sort(last);
  return measure::quantile(last, 0.5);
}

}  // namespace

void Search::begin_batch() {
  pairs_.times = select::BatchTimes(has_common_clock());
  pairs_.times.begin(blocks_of_batch());
  pairs_.pair = 0;
  pairs_.position = 0;
}

/// Consecutive pairs begin with alternating sides; the order of each two pairs is random, so that a pattern in the
/// program's calls does not favor a side.
int Search::run_of_pair(const CollectiveCall& call, const NativeCall& native) {
  const bool second = pairs_.position >= runs_per_side;
  const bool codelet = second != codelet_begins(pairs_.number);
  const int run = pairs_.position % runs_per_side;
  const double begin_s = measure::now();
  double seconds = 0.0;
  int code = MPI_SUCCESS;
  if (codelet && agreed_.rehearses) {
    code = rehearse(call, native, seconds);
  } else {
    code = codelet ? run_codelet(call, native) : native();
    seconds = measure::now() - begin_s;
    ++(!codelet ? counts_.native : state_ == State::production ? counts_.production : counts_.candidates);
    estimate_.other_s += codelet && state_ == State::production ? 0.0 : seconds;
  }
  const double end_s = begin_s + seconds;
  if (run > 0) {
    const int block = 2 * pairs_.pair + (codelet ? 1 : 0);
    pairs_.times.record(block * samples_per_side + run - 1, seconds, end_s + mpi::node_clock_offset_s());
  }
  if (++pairs_.position < 2 * runs_per_side) {
    return code;
  }
  pairs_.position = 0;
  ++pairs_.number;
  if (++pairs_.pair == pairs_per_batch) {
    absorb_batch();
  }
  if (state_ == State::production && !(check_.hurried && pairs_.pair > 0)) {
    check_.hurried = false;
    check_.until_pair = calls_between_pairs(agreed_.native_s, agreed_.codelet_s);
    wait_in_production();
  } else if (state_ == State::recommended) {
    wait_ = calls_between_pairs(agreed_.native_s, agreed_.codelet_s);
  }
  return code;
}

void Search::absorb_batch() {
  std::vector<double> numbers = pairs_.times.pending(mean_of_samples());
  numbers.push_back(own_.failed ? 1.0 : 0.0);
  const auto all = reduce(std::move(numbers));
  const auto blocks = pairs_.times.combined(std::span(all).first(all.size() - 1), mean_of_samples());
  double native_s = 0.0;
  double codelet_s = 0.0;
  int pairs = 0;
  for (std::size_t i = 0; i + 1 < blocks.size(); i += 2) {
    const measure::Numbers& native = blocks[i].numbers;
    const measure::Numbers& codelet = blocks[i + 1].numbers;
    if (native.measurements >= 1.0 && codelet.measurements >= 1.0 && codelet.mean_s > 0.0) {
      pairs_.ratios.push_back(native.mean_s / codelet.mean_s);
      native_s += native.mean_s;
      codelet_s += codelet.mean_s;
      ++pairs;
    }
  }
  if (all.back() > 0.0) {
    overrule("a codelet has failed");
    home_.withdraw(family_, "a codelet has failed");
    return;
  }
  if (pairs == 0 || !path_->runs_winner()) {
    const std::string reason = pairs == 0 ? "the codelet and the MPI library's call could not be timed"
                                          : "the plan of the codelet could not be created";
    overrule(reason);
    refuse(reason);
    return;
  }
  agreed_.native_s = native_s / pairs;
  agreed_.codelet_s = codelet_s / pairs;
  pairs_.native_s = pairs_.native_s * earlier_part + native_s;
  pairs_.codelet_s = pairs_.codelet_s * earlier_part + codelet_s;
  estimate_.production_s += static_cast<double>(winner_calls(counts_) - estimate_.production) * winner_call_s();
  estimate_.production = winner_calls(counts_);
  const double lost_s = agreed_.rehearses             ? codelet_s
                        : state_ == State::production ? native_s - codelet_s
                                                      : codelet_s - native_s;
  const double spent_s = runs_per_side * (state_ == State::proving ? lost_s : std::max(0.0, lost_s)) + agreement_s;
  begin_batch();
  if (agreed_.rehearsal_proved) {
    spend(spent_s);
    judge_rehearsal();
  } else if (state_ == State::proving) {
    spend(spent_s);
    judge_proof();
  } else {
    agreed_.spent_s += spent_s;
    judge_production();
    home_.review();
  }
}

void Search::judge_proof() {
  const auto gain = select::gain_of(pairs_.ratios);
  if (path_->change_after(gain.has_value() ? gain->speedup : 0.0)) {
    outcome_.winner = path_->winner();
    forget_pairs();
    wait_until_paid();
  } else if (gain.has_value() && gain->low > least_speedup && !loses_time()) {
    outcome_.proof = gain;
    forget_pairs();  // the proof ended because the ratios were large, so they are biased
    if (agreed_.rehearses) {
      agreed_.rehearsal_proved = true;
      estimate_.before_proof_s = seconds_so_far();
      wait_until_paid();
    } else {
      family_.win(outcome_.winner);
      state_ = agreed_.measures ? State::recommended : State::production;
      lease_.runs_codelet = !agreed_.measures;
    }
  } else if (pairs_.ratios.size() >= most_proof_pairs || (gain.has_value() && gain->high < 1.0)) {
    overrule("the best candidate is not measurably faster");
    refuse("the best candidate is not measurably faster");
  } else {
    wait_until_paid();
  }
}

/// The other sizes of the class keep the MPI library's call, too: one rehearsal is enough for an estimate.
void Search::judge_rehearsal() {
  if (pairs_.ratios.size() >= rehearsal_pairs) {
    const std::string reason = outcome_.reason;
    family_.reject(outcome_.winner, reason);
    keep_native(reason);
  } else {
    wait_until_paid();
  }
}

void Search::judge_production() {
  auto& ratios = pairs_.ratios;
  const auto last =
      select::gain_of({ratios.end() - std::min<std::ptrdiff_t>(pairs_per_batch, std::ssize(ratios)), ratios.end()});
  const bool slower = (last.has_value() && last->high < 1.0) || loses_time();
  if (slower || (ratios.size() >= withdrawal_pairs && median_of_last(ratios, withdrawal_pairs) < 1.0)) {
    const std::string reason = "the winner was withdrawn: it was no longer faster";
    family_.withdraw(reason);
    keep_native(reason);
    return;
  }
  if (ratios.size() > most_kept_pairs) {
    ratios.erase(ratios.begin(), ratios.end() - static_cast<std::ptrdiff_t>(most_kept_pairs));
  }
}

void Search::forget_pairs() {
  pairs_.ratios.clear();
  pairs_.native_s = 0.0;
  pairs_.codelet_s = 0.0;
}

/// Whether the codelet takes more time in total, although it may be faster in most pairs: the blocks of the calls that
/// share a search may differ in size.
bool Search::loses_time() const { return key_.bytes == 0 && pairs_.codelet_s > pairs_.native_s; }

}  // namespace adcl::interpose
