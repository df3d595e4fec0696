#include "interpose/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "interpose/communicator.hpp"
#include "interpose/link_path.hpp"
#include "interpose/process.hpp"
#include "measure/estimator.hpp"
#include "measure/mean.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/check.hpp"
#include "mpi/clock.hpp"
#include "mpi/together.hpp"

namespace adcl::interpose {
namespace {

constexpr std::int64_t sampling_interval = 16;         ///< one of this number of the MPI library's calls is timed
constexpr std::int64_t rare_sampling_interval = 1024;  ///< the interval in State::native
constexpr std::int64_t most_candidate_calls = 5000;

std::atomic<int> requests{0};
constexpr int most_requests = 128;  ///< per process, because plans own communicators and windows

/// Reasons against a search, in ascending priority. Ranks may differ; the largest value applies.
enum class Obstacle : int {
  none,
  room,
  bits,       ///< only a rehearsal is possible
  bits_only,  ///< only a rehearsal is possible, but rehearsals may use only half of the requests and contexts
  gpu,
  denied
};
constexpr std::size_t obstacles = static_cast<std::size_t>(Obstacle::denied) + 1;

Obstacle obstacle_to(const Key& key, const Communicator& home) {
  if (process().options().denied) {
    return Obstacle::denied;
  }
  if (has_gpu_runtime()) {
    return Obstacle::gpu;
  }
  const auto has_room = [&](int part) {
    return requests.load() < most_requests / part && (home.has_context() || Communicator::has_room(part));
  };
  if (key.reduction.kind == NumberKind::floating_point && !process().options().any_bits) {
    return has_room(2) ? Obstacle::bits : Obstacle::bits_only;
  }
  return has_room(1) ? Obstacle::none : Obstacle::room;
}

const char* reason_of(Obstacle obstacle) {
  switch (obstacle) {
    case Obstacle::bits:
    case Obstacle::bits_only:
      return "the last bits of a floating-point reduction may differ (ADCL_INTERPOSE_BITS=native)";
    case Obstacle::gpu:
      return "a GPU runtime is loaded";
    case Obstacle::denied:
      return "ADCL_INTERPOSE_PROGRAMS or ADCL_INTERPOSE_HOSTS excludes a process";
    default:
      return "";
  }
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
    case State::recommended:
      return "recommended";
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
  if (!proof.has_value() || (other.proof.has_value() && other.proof->speedup < proof->speedup)) {
    proof = other.proof;
  }
  rehearsed_pairs += other.rehearsed_pairs;
  any_saved_s += other.any_saved_s;
  any_saved_low_s += other.any_saved_low_s;
  any_saved_high_s += other.any_saved_high_s;
  for (const Guideline& one : other.guidelines) {
    const auto known = std::ranges::find(guidelines, one.composition, &Guideline::composition);
    if (known == guidelines.end()) {
      guidelines.push_back(one);
    } else if (one.low > known->low) {
      *known = one;
    }
  }
}

Search::Search(Communicator& home, const Key& key, SizeClass& family) : home_(home), family_(family), key_(key) {
  family_.enter(0);
  if (home.denied()) {
    keep_native(reason_of(Obstacle::denied));
  }
}

Search::~Search() {
  if (path_ != nullptr) {
    --requests;
  }
}

std::int64_t Search::calls() const {
  const std::int64_t ran = lease_.granted - std::max<std::int64_t>(lease_.left, 0);
  return counts_.native + counts_.candidates + counts_.production + ran;
}

bool Search::accepts(const CollectiveCall& call) const { return is_valid(call, home_.place(), *home_.blocks(key_)); }

/// Adds the calls that ran on the lease to the counters.
void Search::settle() {
  const std::int64_t ran = lease_.granted - std::max<std::int64_t>(lease_.left, 0);
  family_.count(this, ran, state_ == State::watching);
  (lease_.runs_codelet ? counts_.production : counts_.native) += ran;
  counts_.recommended += state_ == State::recommended ? ran : 0;
  estimate_.untimed_native += lease_.runs_codelet ? 0 : ran;
  lease_.granted = 0;
  lease_.left = 0;
}

/// Grants a lease up to the next sample or action.
void Search::grant() {
  const bool all_timed = state_ == State::watching && family_.times_all();
  const std::int64_t interval = state_ == State::native ? rare_sampling_interval : sampling_interval;
  const std::int64_t most = lease_.runs_codelet ? most_calls : all_timed ? 0 : interval - 1;
  lease_.granted = std::min(wait_, most);
  lease_.left = lease_.granted;
  wait_ -= lease_.granted;
}

/// The ranks exchange failures at their next agreement.
int Search::run_codelet(const CollectiveCall& call, const NativeCall& native) noexcept {
  try {
    if (!path_->accepts(call)) {
      return native();
    }
    path_->run(call);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    own_.failed = true;
    // All ranks throw this error before they communicate.
    return error.code() == Code::no_codelet ? native() : raise_error(home_.comm());
  } catch (...) {
    own_.failed = true;
    return raise_error(home_.comm());
  }
}

int Search::run_native(const NativeCall& native) {
  ++counts_.native;
  counts_.recommended += state_ == State::recommended ? 1 : 0;
  const double begin_s = measure::now();
  const int code = native();
  const double seconds = measure::now() - begin_s;
  own_.samples.seconds += seconds;
  ++own_.samples.number;
  family_.sample(seconds);
  estimate_.other_s += seconds * static_cast<double>(1 + estimate_.untimed_native);
  estimate_.untimed_native = 0;
  return code;
}

int Search::run_and_act(const CollectiveCall& call, const NativeCall& native) {
  settle();
  family_.count(this, 1, state_ == State::watching);
  int code = MPI_SUCCESS;
  if (wait_ > 0) {
    --wait_;
    if (lease_.runs_codelet) {
      ++counts_.production;
      code = run_codelet(call, native);
    } else {
      code = run_native(native);
      if (state_ == State::native) {
        home_.review();
      }
    }
  } else if (waits_for_budget()) {
    code = run_native(native);
    wait_until_paid();
  } else {
    switch (state_) {
      case State::watching:
        code = run_native(native);
        watch();
        break;
      case State::searching:
        code = run_candidate(call, native);
        break;
      case State::proving:
      case State::recommended:
        code = run_of_pair(call, native);
        break;
      case State::production:
        code = check_.until_pair > 0 ? run_check(call, native) : run_of_pair(call, native);
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

select::Parameters Search::mean_of_samples() {
  select::Parameters parameters;
  parameters.estimator = &measure::find("none");
  return parameters;
}

bool Search::has_common_clock() const { return path_->context().machine().nodes.count == 1; }

MPI_Comm Search::comm() const { return path_ != nullptr ? path_->context().comm() : home_.comm(); }

std::vector<double> Search::reduce(std::vector<double> numbers) const {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX, comm()),
             "MPI_Allreduce");
  return numbers;
}

/// Adds integers, because their sum does not depend on the order.
std::vector<double> Search::means_over_ranks(std::vector<double> numbers) const {
  constexpr double parts = 1e12;
  constexpr double largest = 1e4;
  std::vector<std::int64_t> sums(numbers.size());
  std::ranges::transform(numbers, sums.begin(), [&](double number) {
    return static_cast<std::int64_t>(std::min(number, largest / home_.place().size) * parts);
  });
  std::int64_t* const all = sums.data();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, all, static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, comm()),
             "MPI_Allreduce");
  std::ranges::transform(sums, numbers.begin(),
                         [&](std::int64_t sum) { return static_cast<double>(sum) / parts / home_.place().size; });
  return numbers;
}

/// Appends the time of the MPI library's call since the last agreement, for this size and for its class, so that one
/// reduction serves all: it takes about as long as a call with a few bytes. A size with few samples takes over the time
/// of its class.
std::vector<double> Search::with_times(std::vector<double> numbers) {
  if (own_.samples.number >= fewest_samples) {
    own_.native_s = own_.samples.mean();
    own_.samples = {};
  }
  numbers.push_back(own_.native_s);
  numbers.push_back(family_.mean_of_samples());
  return numbers;
}

/// The ranks have agreed on the numbers of with_times().
void Search::take_times(std::span<const double> means) {
  family_.agree(means.back());
  if (own_.native_s == 0.0) {
    own_.native_s = family_.native_s();
  }
  const double own_s = means[means.size() - 2];
  agreed_.native_s = own_s > 0.0 ? own_s : family_.native_s();
}

/// Performs the step that the size class determines after a timed call.
void Search::watch() {
  switch (family_.step(calls())) {
    case SizeClass::Step::keep_native:
      outcome_.winner = family_.candidate();
      keep_native(family_.reason());
      break;
    case SizeClass::Step::take_over:
      family_.searching()->give_back();
      check_whether_to_begin();
      break;
    case SizeClass::Step::agree:
      check_whether_to_begin();
      break;
    default:
      break;
  }
  if (state_ == State::watching) {
    wait_ = sampling_interval - 1;
  }
}

/// If ranks have different obstacles, the last one in the order of Obstacle applies.
void Search::check_whether_to_begin() {
  const Process& own = process();
  std::vector<double> numbers(obstacles, 0.0);
  numbers.at(static_cast<std::size_t>(obstacle_to(key_, home_))) = 1.0;
  numbers.insert(numbers.end(),
                 {own.options().measures ? 1.0 : 0.0, own.options().budget, own.reading_s(home_.place().rank)});
  const auto all = means_over_ranks(with_times(std::move(numbers)));
  const auto levels = std::span(all).first<obstacles>();
  const auto last = std::ranges::find_if(levels.rbegin(), levels.rend(), [](double part) { return part > 0.0; });
  const auto obstacle = static_cast<Obstacle>(levels.rend() - last - 1);
  const bool rehearses = obstacle == Obstacle::bits;
  agreed_.measures = all[obstacles] > 0.0;
  family_.set_budget(all[obstacles + 1] * (rehearses ? rehearsal_part : 1.0));
  const double history_s = all[obstacles + 2] * home_.place().size;  // only rank 0 reads
  take_times(all);
  home_.review();
  if (obstacle == Obstacle::denied) {
    home_.deny();
  }
  if (rehearses) {
    agreed_.rehearses = true;
    outcome_.reason = reason_of(obstacle);
  }
  if (obstacle > Obstacle::bits) {
    family_.reject({}, reason_of(obstacle));
    keep_native(reason_of(obstacle));
  } else if (family_.may_begin(calls())) {
    const bool has_room = obstacle != Obstacle::room && !home_.is_full();
    if (family_.may_begin(calls(), history_s) && (has_room || (!rehearses && home_.make_room(*this)))) {
      begin();
    } else {
      family_.defer();
    }
  }
}

/// If the class has a suggestion, the request compares no candidates, and the proof of the suggestion begins.
void Search::begin() {
  family_.begin(this, calls());
  state_ = State::searching;
  wait_ = 0;
  const double begin_s = measure::now();
  bool applicable = true;
  const auto error = mpi::error_of([&] {
    path_ = make_path(key_, home_);
    applicable = family_.suggestion().empty() || path_->fix(family_.suggestion());
  });
  if (path_ != nullptr) {
    ++requests;
  }
  if (error.has_value()) {
    refuse(error->what());
  } else if (!applicable) {
    refuse("the codelet of similar sizes is not applicable");
  } else {
    own_.spent_s = measure::now() - begin_s;
    end_group();
  }
}

int Search::run_candidate(const CollectiveCall& call, const NativeCall& native) {
  int code = MPI_SUCCESS;
  if (agreed_.rehearses) {
    double seconds = 0.0;
    code = rehearse(call, native, seconds);
    own_.spent_s += seconds;
  } else {
    ++counts_.candidates;
    const double begin_s = measure::now();
    code = run_codelet(call, native);
    const double seconds = measure::now() - begin_s;
    own_.spent_s += seconds - own_.native_s;
    estimate_.other_s += seconds;
  }
  if (--group_left_ == 0) {
    end_group();
  }
  return code;
}

/// Runs the candidate on the program's input, discards its result, and runs the MPI library's call, whose code is
/// returned. The candidate runs first, because the call may overwrite its input. \p seconds is the candidate's time.
int Search::rehearse(const CollectiveCall& call, const NativeCall& native, double& seconds) {
  ++counts_.rehearsals;
  ++counts_.native;
  const double begin_s = measure::now();
  try {
    path_->rehearse(call);
  } catch (...) {  // not an error of the program: its call has not run yet
    own_.failed = true;
  }
  const double middle_s = measure::now();
  const int code = native();
  estimate_.other_s += measure::now() - middle_s;
  seconds = middle_s - begin_s;
  return code;
}

/// Agrees on the cost of the group: the mean over the ranks of its time minus the usual time of the MPI library's
/// calls, which is also a mean. The maximum over the ranks would exceed this time on a congested network even if no
/// candidate were slower.
void Search::end_group() {
  const auto all = means_over_ranks(with_times({own_.spent_s, own_.failed ? 1.0 : 0.0}));
  take_times(all);
  own_.spent_s = 0.0;
  spend(all[0] + agreement_s);
  group_left_ = calls_per_group;
  if (all[1] > 0.0) {
    overrule("a codelet has failed");
    home_.withdraw(family_, "a codelet has failed");
  } else if (path_->has_winner() || counts_.candidates + counts_.rehearsals >= most_candidate_calls) {
    conclude();
  } else {
    wait_until_paid();
  }
}

/// Whether the next group of candidates, or the next batch of a proof, must wait.
bool Search::waits_for_budget() const {
  const bool at_begin = (state_ == State::searching && group_left_ == calls_per_group) ||
                        (state_ == State::proving && pairs_.pair == 0 && pairs_.position == 0);
  return at_begin && !family_.paid();
}

void Search::wait_until_paid() { wait_ = family_.calls_until_paid(calls()); }

/// The cost in the report does not decrease when a group is faster than the MPI library's calls.
void Search::spend(double seconds) {
  agreed_.spent_s += std::max(0.0, seconds);
  family_.spend(seconds);
}

void Search::conclude() {
  outcome_.winner = path_->winner();
  outcome_.guidelines = path_->broken_guidelines();
  if (path_->prefers_native()) {
    outcome_.winner.clear();
    refuse("no candidate is faster");
    return;
  }
  path_->fix_winner();
  state_ = State::proving;
  begin_batch();
  wait_until_paid();
}

/// Stores in the history that no codelet is better. The search ends or gives back its request afterward.
void Search::overrule(const std::string& reason) {
  if (path_ != nullptr) {
    path_->reject(agreed_.native_s, reason);
  }
}

/// The class decides whether other sizes keep the MPI library's call too.
void Search::refuse(const std::string& reason) {
  if (family_.refuse(this, outcome_.winner, reason)) {
    keep_native(reason);
  } else {
    give_back();
  }
}

void Search::release() {
  lease_.runs_codelet = false;
  if (path_ != nullptr) {
    path_.reset();
    --requests;
  }
}

void Search::keep_native(const std::string& reason) {
  settle();
  if (state_ == State::watching) {
    family_.leave(calls());
  }
  outcome_.reason = reason;
  state_ = State::native;
  wait_ = most_calls;
  release();
}

void Search::store_results() const {
  if (calls() > 0) {
    process().keep(summary());
  }
}

void Search::retire() {
  settle();
  if (state_ == State::watching) {
    family_.leave(calls());
  }
  store_results();
}

void Search::give_back() {
  settle();
  store_results();
  family_.stop(this);
  release();
  state_ = State::watching;
  wait_ = 0;
  group_left_ = calls_per_group;
  counts_ = {};
  estimate_ = {};
  agreed_ = {};
  own_ = {};
  pairs_ = Pairs();
  check_ = Check();
  outcome_ = {};
  family_.enter(0);
}

/// Estimated time of this rank in all calls.
double Search::seconds_so_far() const {
  const std::int64_t ran = lease_.granted - std::max<std::int64_t>(lease_.left, 0);
  const std::int64_t untimed = estimate_.untimed_native + (lease_.runs_codelet ? 0 : ran);
  const std::int64_t production = counts_.production + (lease_.runs_codelet ? ran : 0);
  const double native_s = own_.samples.number > 0 ? own_.samples.mean() : agreed_.native_s;
  const double production_s =
      agreed_.measures
          ? 0.0
          : estimate_.production_s + static_cast<double>(production - estimate_.production) * agreed_.codelet_s;
  return estimate_.other_s + static_cast<double>(untimed) * native_s + production_s;
}

Summary Search::summary() const {
  const std::int64_t ran = lease_.granted - std::max<std::int64_t>(lease_.left, 0);
  Counts counts = counts_;
  (lease_.runs_codelet ? counts.production : counts.native) += ran;
  counts.recommended += state_ == State::recommended ? ran : 0;
  Summary summary;
  summary.operation = key_.operation;
  summary.neighborhood = key_.neighborhood;
  summary.up_to_bytes =
      key_.bytes > 0 ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(key_.bytes))) : 0;
  summary.state = state_;
  summary.winner = outcome_.winner;
  summary.reason = outcome_.reason;
  summary.guidelines = outcome_.guidelines;
  summary.proof = outcome_.proof;
  summary.calls = counts.native + counts.candidates + counts.production;
  summary.measured = agreed_.measures;
  summary.production_calls = winner_calls(counts);
  summary.production_s =
      estimate_.production_s + static_cast<double>(winner_calls(counts) - estimate_.production) * winner_call_s();
  summary.spent_s = agreed_.spent_s;
  summary.seconds = seconds_so_far();
  const auto gain = summary.production_calls > 0 ? select::gain_of(pairs_.ratios) : std::nullopt;
  if (gain.has_value()) {
    const auto saved = [&](double speedup) {
      return summary.production_s * (agreed_.measures ? 1.0 - 1.0 / speedup : speedup - 1.0);
    };
    summary.compared_calls = summary.production_calls;
    summary.compared_s = summary.production_s;
    summary.saved_s = saved(gain->speedup);
    summary.saved_low_s = saved(gain->low);
    summary.saved_high_s = saved(gain->high);
    summary.pairs = gain->pairs;
  }
  const auto rehearsed = agreed_.rehearsal_proved ? select::gain_of(pairs_.ratios) : std::nullopt;
  if (rehearsed.has_value()) {
    const double seconds = summary.seconds - estimate_.before_proof_s;
    summary.rehearsed_pairs = rehearsed->pairs;
    summary.any_saved_s = seconds * (1.0 - 1.0 / rehearsed->speedup);
    summary.any_saved_low_s = seconds * (1.0 - 1.0 / rehearsed->low);
    summary.any_saved_high_s = seconds * (1.0 - 1.0 / rehearsed->high);
  }
  return summary;
}

}  // namespace adcl::interpose
