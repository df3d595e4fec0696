#include "interpose/persistent_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "interpose/process.hpp"
#include "measure/estimator.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/check.hpp"
#include "mpi/clock.hpp"
#include "mpi/together.hpp"

namespace adcl::interpose {
namespace {

constexpr std::size_t most_kept_ratios = 256;

select::Parameters mean_of_starts() {
  select::Parameters parameters;
  parameters.estimator = &measure::find("none");
  return parameters;
}

}  // namespace

/// Does not use MPI_Type_dup, which would call the program's functions for the attributes of the datatype.
void PersistentSearch::KeptType::keep(MPI_Datatype& type) {
  release();
  if (type == MPI_DATATYPE_NULL) {
    return;
  }
  const auto shape = shape_of(type);
  if (shape.has_value() && !shape->named) {
    mpi::check(MPI_Type_contiguous(1, type, &type_), "MPI_Type_contiguous");
    mpi::check(MPI_Type_commit(&type_), "MPI_Type_commit");
    type = type_;
  }
}

void PersistentSearch::KeptType::release() noexcept {
  if (type_ != MPI_DATATYPE_NULL) {
    MPI_Type_free(&type_);
  }
}

PersistentSearch::Agreement::~Agreement() {
  if (active_) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
}

void PersistentSearch::Agreement::post(std::vector<double> numbers, MPI_Comm comm) {
  own_ = std::move(numbers);
  all_.resize(own_.size());
  mpi::check(
      MPI_Iallreduce(own_.data(), all_.data(), static_cast<int>(own_.size()), MPI_DOUBLE, MPI_MAX, comm, &request_),
      "MPI_Iallreduce");
  active_ = true;
}

bool PersistentSearch::Agreement::arrived() {
  int done = 0;
  mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

std::span<const double> PersistentSearch::Agreement::take() {
  active_ = false;
  return all_;
}

PersistentSearch::PersistentSearch(const Key& key, MPI_Comm comm, std::shared_ptr<mpi::Context> context)
    : key_(key), comm_(comm), context_(std::move(context)), candidate_{nullptr, {}, {key, context_}} {
  const double begin_s = measure::now();
  mpi::run_collectively(context_->comm(), [&] { candidate_.path.allocate(); });
  candidate_.problem = problem_of(key, context_);
  candidate_.codelet =
      codelets::make_one_round(set_of(key.operation), codelets::collective(*candidate_.problem), *context_);
  outcome_.winner = candidate_.codelet.name;
  agreed_.spent_s = measure::now() - begin_s;
}

PersistentSearch::~PersistentSearch() { detach(); }

void PersistentSearch::attach(const CollectiveCall& call) {
  served_.call = call;
  const auto describe = [](Side& side, KeptType& kept) {
    const auto shape = side.type != MPI_DATATYPE_NULL ? shape_of(side.type) : std::nullopt;
    side.dense = shape.has_value() && shape->dense;
    kept.keep(side.type);
  };
  describe(served_.call.send, served_.types[0]);
  describe(served_.call.receive, served_.types[1]);
  served_.attached = true;
  served_.started = false;
}

void PersistentSearch::detach() noexcept {
  served_.types[0].release();
  served_.types[1].release();
  served_.attached = false;
}

int PersistentSearch::start(const NativeCall& native) {
  flight_ = {};
  const double begin_s = measure::now();
  choose();
  int code = MPI_SUCCESS;
  if (flight_.codelet) {
    start_codelet();
  } else {
    code = native();
  }
  flight_.seconds = flight_.timed ? measure::now() - begin_s : 0.0;
  if (agreement_.active() || flight_.codelet) {
    flight_.active = true;
  } else {
    flight_.active = flight_.timed;
  }
  return code;
}

/// Decides what the start does. Depends only on the number of starts and on agreed numbers.
void PersistentSearch::choose() {
  // The MPI library starts each request once: MPI_Waitall of MPICH 4 and 5 waits forever for an inactive request that
  // was never started (tests/mpi_defects/never_started.c).
  const bool first = !std::exchange(served_.started, true);
  flight_.codelet = state_ == State::production && !first;
  const bool proves = state_ == State::proving || state_ == State::production;
  if (first && proves) {
    ++counts_.native;
    return;
  }
  if (wait_ > 0) {
    --wait_;
    flight_.timed = state_ == State::watching;
  } else if (proves && pairs_.pair < pairs_per_batch) {
    const bool second = pairs_.position >= runs_per_side;
    const int run = pairs_.position % runs_per_side;
    flight_.codelet = second != (pairs_.pair % 2 == 1);
    flight_.timed = run > 0;
    if (run > 0) {
      flight_.sample = (2 * pairs_.pair + (flight_.codelet ? 1 : 0)) * samples_per_side + run - 1;
    }
    if (++pairs_.position == 2 * runs_per_side) {
      pairs_.position = 0;
      ++pairs_.pair;
      wait_ = state_ == State::production ? calls_between_pairs(agreed_.native_s, agreed_.codelet_s) : 0;
    }
  } else if (state_ != State::native) {
    post();
  }
  if (!flight_.codelet) {
    ++counts_.native;
  } else {
    ++(state_ == State::production ? counts_.production : counts_.candidate);
  }
}

/// Posts this rank's numbers. The operation completes after their reduction.
void PersistentSearch::post() {
  std::vector<double> numbers;
  if (state_ == State::watching) {
    numbers = {own_.mean(), -process().options().budget, agreed_.spent_s, has_gpu_runtime() ? 1.0 : 0.0};
  } else {
    numbers = pairs_.times.pending(mean_of_starts());
  }
  numbers.push_back(own_.failed ? 1.0 : 0.0);
  agreement_.post(std::move(numbers), context_->comm());
}

void PersistentSearch::start_codelet() {
  try {
    flight_.arrays = candidate_.path.prepare(served_.call);
    const FieldBuffers buffers{flight_.arrays.send, flight_.arrays.receive};
    candidate_.codelet.plan->start(std::span(&buffers, 1));
  } catch (...) {
    flight_.failed = true;
    flight_.moved = true;
  }
}

bool PersistentSearch::poll() {
  if (flight_.codelet && !flight_.moved) {
    try {
      flight_.moved = candidate_.codelet.plan->look();
    } catch (...) {
      flight_.failed = true;
      flight_.moved = true;
    }
  }
  return (!flight_.codelet || flight_.moved) && (!agreement_.active() || agreement_.arrived());
}

int PersistentSearch::finish() {
  if (flight_.codelet && !flight_.failed) {
    try {
      candidate_.path.finish(served_.call, flight_.arrays);
    } catch (...) {
      flight_.failed = true;
    }
  }
  own_.failed = own_.failed || flight_.failed;
  flight_.active = false;
  if (flight_.sample >= 0) {
    pairs_.times.record(flight_.sample, flight_.seconds, measure::now() + mpi::node_clock_offset_s());
  } else if (flight_.timed) {
    own_.seconds += flight_.seconds;
    ++own_.number;
  }
  if (agreement_.active()) {
    absorb();
  }
  return flight_.failed ? raise_error(comm_) : MPI_SUCCESS;
}

void PersistentSearch::absorb() {
  const auto all = agreement_.take();
  if (all.back() > 0.0) {
    keep_native("a codelet has failed");
    return;
  }
  if (state_ != State::watching) {
    absorb_batch(all.first(all.size() - 1));
    return;
  }
  agreed_ = {all[0], 0.0, all[2] + agreement_s, -all[1]};
  if (all[3] > 0.0) {
    keep_native("a GPU runtime is loaded");
    return;
  }
  state_ = State::proving;
  begin_batch();
  wait_until_paid();
}

void PersistentSearch::wait_until_paid() {
  wait_ = std::max<std::int64_t>(calls_that_pay(agreed_.spent_s, agreed_.budget, agreed_.native_s) - counts_.all(), 0);
}

void PersistentSearch::begin_batch() {
  pairs_.times = select::BatchTimes(context_->machine().nodes.count == 1);
  std::vector<int> blocks;
  blocks.assign(2 * pairs_per_batch, samples_per_side);
  pairs_.times.begin(std::move(blocks));
  pairs_.pair = 0;
  pairs_.position = 0;
}

void PersistentSearch::absorb_batch(std::span<const double> all) {
  const auto blocks = pairs_.times.combined(all, mean_of_starts());
  double native_s = 0.0;
  double codelet_s = 0.0;
  int pairs = 0;
  for (std::size_t i = 0; i + 1 < blocks.size(); i += 2) {
    const double native = blocks[i].numbers.mean_s;
    const double codelet = blocks[i + 1].numbers.mean_s;
    if (blocks[i].numbers.measurements >= 1.0 && blocks[i + 1].numbers.measurements >= 1.0 && codelet > 0.0) {
      pairs_.ratios.push_back(native / codelet);
      native_s += native;
      codelet_s += codelet;
      ++pairs;
    }
  }
  if (pairs == 0) {
    keep_native("the codelet and the MPI library's call could not be timed");
    return;
  }
  agreed_.native_s = native_s / pairs;
  agreed_.codelet_s = codelet_s / pairs;
  const double lost_s = state_ == State::production ? native_s - codelet_s : codelet_s - native_s;
  agreed_.spent_s += runs_per_side * std::max(0.0, lost_s) + agreement_s;
  begin_batch();
  judge();
}

void PersistentSearch::judge() {
  auto& ratios = pairs_.ratios;
  if (state_ == State::production) {
    const auto gain_of_last = [&ratios](std::size_t number) {
      const auto kept = static_cast<std::ptrdiff_t>(std::min(number, ratios.size()));
      return select::gain_of({ratios.end() - kept, ratios.end()});
    };
    const auto last = gain_of_last(pairs_per_batch);
    const auto more = gain_of_last(withdrawal_pairs);
    if ((last.has_value() && last->high < 1.0) || (ratios.size() >= withdrawal_pairs && more->speedup < 1.0)) {
      keep_native("the winner was withdrawn: it was no longer faster");
    } else if (ratios.size() > most_kept_ratios) {
      ratios.erase(ratios.begin(), ratios.end() - static_cast<std::ptrdiff_t>(most_kept_ratios));
    }
    return;
  }
  const auto gain = select::gain_of(ratios);
  if (gain.has_value() && gain->low > least_speedup) {
    outcome_.proof = gain;
    ratios.clear();
    state_ = State::production;
    wait_ = calls_between_pairs(agreed_.native_s, agreed_.codelet_s);
  } else if (ratios.size() >= most_proof_pairs || (gain.has_value() && gain->high < 1.0)) {
    keep_native("the codelet is not measurably faster");
  } else {
    wait_until_paid();
  }
}

void PersistentSearch::keep_native(const std::string& reason) {
  outcome_.reason = reason;
  state_ = State::native;
  wait_ = most_calls;
}

Summary PersistentSearch::summary() const {
  Summary summary;
  summary.operation = key_.operation;
  summary.persistent = true;
  summary.up_to_bytes = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(key_.bytes)));
  summary.state = state_;
  summary.winner = state_ == State::watching ? "" : outcome_.winner;
  summary.reason = outcome_.reason;
  summary.proof = outcome_.proof;
  summary.calls = counts_.all();
  summary.production_calls = counts_.production;
  const double native_s = agreed_.native_s > 0.0 ? agreed_.native_s : own_.mean();
  summary.production_s = static_cast<double>(counts_.production) * agreed_.codelet_s;
  summary.seconds = static_cast<double>(counts_.native) * native_s +
                    static_cast<double>(counts_.candidate) * agreed_.codelet_s + summary.production_s;
  summary.spent_s = agreed_.spent_s;
  const auto gain = counts_.production > 0 ? select::gain_of(pairs_.ratios) : std::nullopt;
  if (gain.has_value()) {
    summary.compared_calls = counts_.production;
    summary.compared_s = summary.production_s;
    summary.saved_s = summary.production_s * (gain->speedup - 1.0);
    summary.saved_low_s = summary.production_s * (gain->low - 1.0);
    summary.saved_high_s = summary.production_s * (gain->high - 1.0);
    summary.pairs = gain->pairs;
  }
  return summary;
}

}  // namespace adcl::interpose
