#include "interpose/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "interpose/communicator.hpp"
#include "interpose/process.hpp"
#include "measure/estimator.hpp"
#include "measure/mean.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/check.hpp"
#include "mpi/clock.hpp"

namespace adcl::interpose {
namespace {

constexpr std::int64_t sampling_interval = 16;         ///< one in this number of the MPI library's calls is timed
constexpr std::int64_t rare_sampling_interval = 1024;  ///< the interval in State::native
constexpr std::int64_t most_candidate_calls = 5000;
constexpr std::size_t most_kept_pairs = 256;

std::atomic<int> requests{0};
constexpr int most_requests = 128;  ///< per process, because plans own communicators and windows

/// Reasons against a search, in ascending priority. Ranks may differ; the largest value applies.
enum class Obstacle : int { none, bits, room, gpu };

Obstacle obstacle_to(const Key& key, const Communicator& home) {
  if (has_gpu_runtime()) {
    return Obstacle::gpu;
  }
  if (requests.load() >= most_requests || (!home.has_context() && !Communicator::has_room())) {
    return Obstacle::room;
  }
  return key.reduction.kind == NumberKind::floating_point && !process().options().any_bits ? Obstacle::bits
                                                                                           : Obstacle::none;
}

const char* reason_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::bits:
      return "the last bits of a floating-point reduction may differ (ADCL_INTERPOSE_BITS=native)";
    case Obstacle::room:
      return "a process has no room for another search";
    case Obstacle::gpu:
      return "a GPU runtime is loaded";
    default:
      return "";
  }
}

/// The numbers of samples of a batch's blocks, which alternate between the MPI library's call and the codelet.
std::vector<int> blocks_of_batch() {
  std::vector<int> blocks;
  blocks.assign(2 * pairs_per_batch, samples_per_side);
  return blocks;
}

select::Parameters mean_of_samples() {
  select::Parameters parameters;
  parameters.estimator = &measure::find("none");
  return parameters;
}

double median_of_last(const std::vector<double>& ratios, std::size_t number) {
  std::vector<double> last(ratios.end() - static_cast<std::ptrdiff_t>(number), ratios.end());
  std::ranges::sort(last);
  return measure::quantile(last, 0.5);
}

}  // namespace

const char* state_name(State state) {
  switch (state) {
    case State::watching:
      return "watching";
    case State::searching:
      return "searching";
    case State::proving:
      return "proving";
    case State::production:
      return "production";
    default:
      return "native";
  }
}

void Summary::add(const Summary& other) {
  searches += other.searches;
  calls += other.calls;
  production_calls += other.production_calls;
  seconds += other.seconds;
  production_s += other.production_s;
  spent_s += other.spent_s;
  compared_calls += other.compared_calls;
  compared_s += other.compared_s;
  saved_s += other.saved_s;
  saved_low_s += other.saved_low_s;
  saved_high_s += other.saved_high_s;
  pairs += other.pairs;
}

Search::Search(Communicator& home, const Key& key) : wait_(first_checkpoint - 1), home_(home), key_(key) {}

Search::~Search() {
  if (path_ != nullptr) {
    --requests;
  }
}

std::int64_t Search::calls() const { return counts_.native + counts_.candidates + counts_.production; }

/// Adds the calls that ran on the lease to the counters.
void Search::settle() {
  const std::int64_t ran = lease_.granted - std::max<std::int64_t>(lease_.left, 0);
  (lease_.runs_codelet ? counts_.production : counts_.native) += ran;
  estimate_.untimed_native += lease_.runs_codelet ? 0 : ran;
  lease_.granted = 0;
  lease_.left = 0;
}

/// Grants a lease up to the next sample or action.
void Search::grant() {
  const bool all_timed = counts_.native < first_checkpoint;
  const std::int64_t interval = state_ == State::native ? rare_sampling_interval : sampling_interval;
  const std::int64_t most = lease_.runs_codelet ? most_calls : all_timed ? 0 : interval - 1;
  lease_.granted = std::min(wait_, most);
  lease_.left = lease_.granted;
  wait_ -= lease_.granted;
}

int Search::run_codelet(const CollectiveCall& call) noexcept {
  try {
    path_->run(call);
    return MPI_SUCCESS;
  } catch (...) {  // the ranks exchange failures at their next agreement
    own_.failed = true;
    return raise_error(home_.comm());
  }
}

int Search::run_native(const NativeCall& native) {
  ++counts_.native;
  const double begin_s = measure::now();
  const int code = native();
  const double seconds = measure::now() - begin_s;
  samples_.seconds += seconds;
  ++samples_.number;
  estimate_.other_s += seconds * static_cast<double>(1 + estimate_.untimed_native);
  estimate_.untimed_native = 0;
  return code;
}

int Search::run_and_act(const CollectiveCall& call, const NativeCall& native) {
  settle();
  int code = MPI_SUCCESS;
  if (wait_ > 0) {
    --wait_;
    if (lease_.runs_codelet) {
      ++counts_.production;
      code = run_codelet(call);
    } else {
      code = run_native(native);
    }
  } else {
    switch (state_) {
      case State::watching:
        code = run_native(native);
        check_whether_to_begin();
        break;
      case State::searching:
        code = run_candidate(call);
        break;
      case State::proving:
      case State::production:
        code = run_of_pair(call, native);
        break;
      default:
        code = run_native(native);
        wait_ = most_calls;
        break;
    }
  }
  grant();
  return code;
}

MPI_Comm Search::comm() const { return path_ != nullptr ? path_->context().comm() : home_.comm(); }

std::vector<double> Search::reduce(std::vector<double> numbers) const {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX, comm()),
             "MPI_Allreduce");
  return numbers;
}

/// Adds integers, because their sum does not depend on the order.
double Search::mean_over_ranks(double seconds) const {
  constexpr double parts = 1e12;
  constexpr double longest_s = 1e4;
  auto sum = static_cast<std::int64_t>(std::min(seconds, longest_s / home_.place().size) * parts);
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, comm()), "MPI_Allreduce");
  return static_cast<double>(sum) / parts / home_.place().size;
}

/// Agrees on the time of the MPI library's call since the last agreement.
void Search::take_samples() {
  own_.native_s = samples_.number > 0 ? samples_.mean() : own_.native_s;
  samples_ = {};
  agreed_.native_s = mean_over_ranks(own_.native_s);
}

/// The maximum of the negated budgets gives the minimum budget.
void Search::check_whether_to_begin() {
  take_samples();
  const auto all = reduce({-process().options().budget, static_cast<double>(obstacle_to(key_, home_))});
  agreed_.budget = -all[0];
  const auto obstacle = static_cast<Obstacle>(static_cast<int>(all[1]));
  if (obstacle != Obstacle::none) {
    keep_native(reason_of(obstacle));
  } else if (calls_that_pay(creation_s, agreed_.budget, agreed_.native_s) <= calls()) {
    begin();
  } else {
    checkpoint_ *= 2;
    wait_ = checkpoint_ - calls() - 1;
  }
}

void Search::begin() {
  const double begin_s = measure::now();
  const auto error =
      mpi::error_of([&] { path_ = std::make_unique<DataPath>(key_, home_.context(), process().settings()); });
  if (error.has_value()) {
    path_.reset();
    keep_native(error->what());
    return;
  }
  ++requests;
  state_ = State::searching;
  own_.spent_s = measure::now() - begin_s;
  end_group();
}

int Search::run_candidate(const CollectiveCall& call) {
  ++counts_.candidates;
  const double begin_s = measure::now();
  const int code = run_codelet(call);
  const double seconds = measure::now() - begin_s;
  own_.spent_s += seconds - own_.native_s;
  estimate_.other_s += seconds;
  if (--group_left_ == 0) {
    end_group();
  }
  return code;
}

/// Agrees on the cost of the group: the maximum over the ranks of its time minus the usual time of the MPI library's
/// calls, which includes waiting for late ranks.
void Search::end_group() {
  take_samples();
  const auto all = reduce({own_.spent_s, own_.failed ? 1.0 : 0.0});
  own_.spent_s = 0.0;
  agreed_.spent_s += std::max(0.0, all[0]) + agreement_s;
  group_left_ = calls_per_group;
  if (all[1] > 0.0) {
    keep_native("a codelet has failed");
  } else if (path_->has_winner() || counts_.candidates >= most_candidate_calls) {
    conclude();
  } else {
    wait_until_paid();
  }
}

void Search::wait_until_paid() {
  wait_ = std::max<std::int64_t>(calls_that_pay(agreed_.spent_s, agreed_.budget, agreed_.native_s) - calls(), 0);
}

void Search::conclude() {
  outcome_.winner = path_->winner();
  if (path_->prefers_native()) {
    outcome_.winner.clear();
    keep_native("no candidate is faster");
    return;
  }
  path_->fix_winner();
  state_ = State::proving;
  begin_batch();
  wait_until_paid();
}

void Search::begin_batch() {
  const bool common_clock = path_->context().machine().nodes.count == 1;
  pairs_.times = select::BatchTimes(common_clock);
  pairs_.times.begin(blocks_of_batch());
  pairs_.pair = 0;
  pairs_.position = 0;
}

/// Consecutive pairs begin with alternating sides.
int Search::run_of_pair(const CollectiveCall& call, const NativeCall& native) {
  const bool second = pairs_.position >= runs_per_side;
  const bool codelet = second != (pairs_.pair % 2 == 1);
  const int run = pairs_.position % runs_per_side;
  const double begin_s = measure::now();
  const int code = codelet ? run_codelet(call) : native();
  const double end_s = measure::now();
  if (!codelet) {
    ++counts_.native;
  } else {
    ++(state_ == State::production ? counts_.production : counts_.candidates);
  }
  estimate_.other_s += codelet && state_ == State::production ? 0.0 : end_s - begin_s;
  if (run > 0) {
    const int block = 2 * pairs_.pair + (codelet ? 1 : 0);
    pairs_.times.record(block * samples_per_side + run - 1, end_s - begin_s, end_s + mpi::node_clock_offset_s());
  }
  if (++pairs_.position < 2 * runs_per_side) {
    return code;
  }
  pairs_.position = 0;
  if (++pairs_.pair == pairs_per_batch) {
    absorb_batch();
  }
  if (state_ == State::production) {
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
  if (all.back() > 0.0 || pairs == 0) {
    keep_native(pairs == 0 ? "its times could not be measured" : "a codelet has failed");
    return;
  }
  agreed_.native_s = native_s / pairs;
  agreed_.codelet_s = codelet_s / pairs;
  estimate_.production_s += static_cast<double>(counts_.production - estimate_.production) * agreed_.codelet_s;
  estimate_.production = counts_.production;
  const double lost_s = state_ == State::production ? native_s - codelet_s : codelet_s - native_s;
  agreed_.spent_s += runs_per_side * std::max(0.0, lost_s) + agreement_s;
  begin_batch();
  if (state_ == State::production) {
    judge_production();
  } else {
    judge_proof();
  }
}

void Search::judge_proof() {
  const auto gain = select::gain_of(pairs_.ratios);
  if (gain.has_value() && gain->low > least_speedup) {
    pairs_.ratios.clear();
    state_ = State::production;
    lease_.runs_codelet = true;
  } else if (pairs_.ratios.size() >= most_proof_pairs || (gain.has_value() && gain->high < 1.0)) {
    keep_native("the best candidate is not measurably faster");
  } else {
    wait_until_paid();
  }
}

void Search::judge_production() {
  auto& ratios = pairs_.ratios;
  const auto last =
      select::gain_of({ratios.end() - std::min<std::ptrdiff_t>(pairs_per_batch, std::ssize(ratios)), ratios.end()});
  const bool slower = last.has_value() && last->high < 1.0;
  if (slower || (ratios.size() >= withdrawal_pairs && median_of_last(ratios, withdrawal_pairs) < 1.0)) {
    keep_native("the winner was withdrawn: it was no longer faster");
    return;
  }
  if (ratios.size() > most_kept_pairs) {
    ratios.erase(ratios.begin(), ratios.end() - static_cast<std::ptrdiff_t>(most_kept_pairs));
  }
}

/// Ends the search on all ranks in the same call.
void Search::keep_native(const std::string& reason) {
  outcome_.reason = reason;
  state_ = State::native;
  lease_.runs_codelet = false;
  wait_ = most_calls;
  if (path_ != nullptr) {
    path_.reset();
    --requests;
  }
}

Summary Search::summary() const {
  const std::int64_t ran = lease_.granted - std::max<std::int64_t>(lease_.left, 0);
  Counts counts = counts_;
  (lease_.runs_codelet ? counts.production : counts.native) += ran;
  const std::int64_t untimed = estimate_.untimed_native + (lease_.runs_codelet ? 0 : ran);
  const double native_s = samples_.number > 0 ? samples_.mean() : agreed_.native_s;
  Summary summary;
  summary.operation = key_.operation;
  summary.up_to_bytes = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(key_.bytes)));
  summary.state = state_;
  summary.winner = outcome_.winner;
  summary.reason = outcome_.reason;
  summary.calls = counts.native + counts.candidates + counts.production;
  summary.production_calls = counts.production;
  summary.production_s =
      estimate_.production_s + static_cast<double>(counts.production - estimate_.production) * agreed_.codelet_s;
  summary.spent_s = agreed_.spent_s;
  summary.seconds = estimate_.other_s + static_cast<double>(untimed) * native_s + summary.production_s;
  const auto gain = counts.production > 0 ? select::gain_of(pairs_.ratios) : std::nullopt;
  if (gain.has_value()) {
    summary.compared_calls = counts.production;
    summary.compared_s = summary.production_s;
    summary.saved_s = summary.production_s * (gain->speedup - 1.0);
    summary.saved_low_s = summary.production_s * (gain->low - 1.0);
    summary.saved_high_s = summary.production_s * (gain->high - 1.0);
    summary.pairs = gain->pairs;
  }
  return summary;
}

}  // namespace adcl::interpose
