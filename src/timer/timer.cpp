#include "timer/timer.hpp"

#include <algorithm>
#include <span>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/agreement.hpp"
#include "mpi/check.hpp"
#include "output/trace.hpp"
#include "select/batch_search.hpp"
#include "timer/timer_parts.hpp"

namespace adcl::runtime {
namespace {

/// Keeps the product of n_m and n_s constant (thesis section 6.1): with a longer interval, the search makes fewer
/// measurements.
std::shared_ptr<const Settings> with_fewer_measurements(Settings settings) {
  const Option option = select::measurements_option();
  const int wanted = settings.search_options.integer(option.name);
  const int fewer = (wanted + settings.timer_interval - 1) / settings.timer_interval;
  settings.search_options.set(option, text(std::max(fewer, static_cast<int>(option.minimum))));
  return std::make_shared<const Settings>(std::move(settings));
}

bool same_processes(const mpi::Context& one, const mpi::Context& other) {
  int result = MPI_UNEQUAL;
  mpi::check(MPI_Comm_compare(one.comm(), other.comm(), &result), "MPI_Comm_compare");
  return result == MPI_IDENT || result == MPI_CONGRUENT || result == MPI_SIMILAR;
}

}  // namespace

Timer::Timer() = default;
Timer::~Timer() = default;

void Timer::require_stopped() const {
  require(!running_, Code::state, "the timer is running; call ADCL_Timer_stop first");
}

void Timer::add(std::shared_ptr<Request> request) {
  require_stopped();
  require(std::ranges::find(requests_, request) == requests_.end(), Code::argument,
          "the request is already in the timer");
  requests_.push_back(std::move(request));
  committed_ = false;
}

void Timer::remove(const Request* request) {
  require_stopped();
  const auto found = std::ranges::find(requests_, request, [](const auto& member) { return member.get(); });
  require(found != requests_.end(), Code::argument, "the request is not in the timer");
  removed_.push_back(std::move(*found));
  requests_.erase(found);
  committed_ = false;
}

void Timer::require_compatible() const {
  for (const auto& request : requests_) {
    request->require_idle();
    require(request->other_owner(this) == nullptr, Code::state,
            "a request belongs to another timer; remove the request from that timer, and commit that timer first");
    require(
        same_processes(requests_.front()->context(), request->context()), Code::argument,
        "the requests are on communicators of different processes; use a separate timer for each group of processes");
  }
  for (const auto& request : removed_) {
    request->require_idle();
  }
}

void Timer::commit(const std::shared_ptr<const Settings>& settings) {
  require(!requests_.empty(), Code::state, "the timer has no request; add one with ADCL_Timer_add_request");
  require_stopped();
  context_ = requests_.front()->shared_context();
  mpi::run_collectively(context_->comm(), [this] { require_compatible(); });
  const auto received = mpi::broadcast(*context_, settings->pack());
  std::span<const std::byte> bytes(received);
  settings_ = with_fewer_measurements(*Settings::adopt(settings, bytes));
  stage_ = {};
  lap_ = {};
  for (const auto& request : removed_) {
    request->set_deciders(nullptr);
  }
  removed_.clear();
  parts_.clear();
  coordinates_.clear();
  decided_ = false;
  for (const auto& request : requests_) {
    request->set_deciders(std::make_shared<Members>(shared_from_this(), request->shared_group()), this);
  }
  committed_ = true;
}

/// Finds the modes that requests used between the first start() and stop(), in the same order on all ranks. Requests
/// decide for themselves in modes that were used only outside of start() and stop().
void Timer::find_parts() {
  for (const auto& request : requests_) {
    for (std::size_t m = 0; m < mode_count; ++m) {
      const auto found = parts_.find({&request->group(), static_cast<Mode>(m)});
      if (found != parts_.end() && found->second->used_while_running() &&
          std::ranges::find(coordinates_, found->second.get()) == coordinates_.end()) {
        coordinates_.push_back(found->second.get());
      }
    }
  }
  if (coordinates_.empty()) {
    return;
  }
  renew();
  std::erase_if(parts_, [](const auto& part) { return !part.second->used_while_running(); });
  begin_search();
}

void Timer::begin_search() {
  std::vector<int> sizes;
  std::vector<int> first;
  for (const Part* part : coordinates_) {
    sizes.push_back(part->size());
    first.push_back(part->current());
  }
  stage_.combinations = Combinations(std::move(sizes), first, settings_->timer_combinations);
  begin_stage();
}

/// The candidates are the choices of the stage. Their names and attributes are composed from the coordinates that vary.
select::Subject Timer::subject_of_stage() const {
  const Combinations& combinations = stage_.combinations;
  select::Subject subject;
  subject.id = context_->next_id();
  subject.function_set = "timer";
  subject.candidates.resize(combinations.choices().size());
  AttributeSet attributes;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const select::Subject& part = coordinates_[c]->subject();
    const bool varies = combinations.varies(c);
    subject.fallible = subject.fallible || part.fallible;
    subject.problem +=
        (c == 0 ? "" : "; ") + text(part.function_set, " #", part.id, " used by ", mode_name(coordinates_[c]->mode()),
                                    varies ? "" : ", with a fixed codelet");
    if (!varies) {
      continue;
    }
    attributes.insert(attributes.end(), part.attributes->begin(), part.attributes->end());
    for (std::size_t i = 0; i < subject.candidates.size(); ++i) {
      const auto& codelet = part.candidates[static_cast<std::size_t>(combinations.choices()[i][c])];
      select::Candidate& candidate = subject.candidates[i];
      candidate.name += (candidate.name.empty() ? "" : "+") + codelet.name;
      candidate.attributes.insert(candidate.attributes.end(), codelet.attributes.begin(), codelet.attributes.end());
    }
  }
  subject.attributes = std::make_shared<const AttributeSet>(std::move(attributes));
  return subject;
}

void Timer::begin_stage() {
  select::Subject subject = subject_of_stage();
  write_trace(settings_->trace, *context_, request_record(subject.id, subject, context_->size(), *settings_));
  stage_.dropped.assign(subject.candidates.size(), false);
  begin_search_of(std::move(subject));
  for (Part* part : coordinates_) {
    for (int candidate = 0; candidate < part->size(); ++candidate) {
      if (!part->failure(candidate).empty()) {
        drop(*part, candidate, part->failure(candidate));
      }
    }
  }
}

/// Verifies stored results about the same requests with the same timing. By coordinate, the fixed choices are part of
/// the problem.
void Timer::begin_search_of(select::Subject subject) {
  Hash identity;
  for (std::size_t c = 0; c < coordinates_.size(); ++c) {
    const Part& part = *coordinates_[c];
    const int fixed = stage_.combinations.choices().front()[c];
    identity.add(part.subject().function_set).add(part.identity()).add(static_cast<std::uint64_t>(part.mode()));
    identity.add(stage_.combinations.varies(c) ? "" : part.subject().candidates[static_cast<std::size_t>(fixed)].name);
  }
  const bool keeps_in_memory = settings_->merge_requests && select::find(settings_->search).uses_expectations;
  const auto history =
      ProblemHistory::of(*context_, settings_, subject, {}, identity.value(), nullptr, keeps_in_memory);
  stage_.search = std::make_unique<Tuner>(*context_, std::move(subject), settings_, Mode::timed, history);
  if (const Prior* prior = history != nullptr ? history->prior(Mode::timed) : nullptr) {
    stage_.search->trace_history("same problem", stage_.search->subject().candidates[index_of(prior->winner)].name, {});
    stage_.search->verify(prior->known, static_cast<int>(prior->winner));
  }
}

/// Selects combination number \p combination of the stage for the requests.
void Timer::apply(int combination) {
  const auto& choice = stage_.combinations.choices()[static_cast<std::size_t>(combination)];
  for (std::size_t c = 0; c < choice.size(); ++c) {
    coordinates_[c]->choose(choice[c]);
  }
}

void Timer::renew() {
  for (const auto& [use, part] : parts_) {
    part->renew();
  }
}

/// The search of the stage has decided.
void Timer::end_stage() {
  const auto& choices = stage_.combinations.choices();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    for (std::size_t c = 0; c < coordinates_.size(); ++c) {
      coordinates_[c]->add_numbers(choices[i][c], stage_.search->knowledge()[i]);
    }
  }
  const auto winner = static_cast<int>(stage_.search->winner());
  apply(winner);
  if (stage_.combinations.advance(static_cast<std::size_t>(winner))) {
    begin_stage();
    return;
  }
  decided_ = true;
  ++decisions_;
  renew();
}

/// Chooses the combination for the new measurement. A stage with a single remaining candidate ends at once.
void Timer::next() {
  if (stage_.lease != nullptr && --stage_.lease->left >= 0) {
    lap_.needed = false;
    return;
  }
  for (const Part* part : coordinates_) {
    if (part->has_failed()) {
      stage_.search->add_failure(ModeCandidate{lap_.ticket.candidate}, "a codelet of a request has failed");
    }
  }
  lap_.ticket = stage_.search->next(0);
  if (stage_.search->take_passed_to_timer()) {  // on all ranks in the same start, by an agreement of the search
    for (Part* part : coordinates_) {
      part->drop_failed(*context_);
    }
  }
  // If stages vary one coordinate, a provisional winner ends the stage: the next stage varies another request.
  while (!decided_ &&
         (stage_.search->decided() || (stage_.combinations.by_coordinate() && stage_.search->has_winner()))) {
    end_stage();
    lap_.ticket = stage_.search->next(0);
  }
  if (!decided_) {
    apply(lap_.ticket.candidate);
  } else if (!stage_.search->decided()) {  // the monitor has withdrawn the decision
    reopen("");
    lap_.ticket = stage_.search->next(0);
    apply(lap_.ticket.candidate);
  }
  stage_.lease = decided_ || !stage_.search->timed() ? stage_.search->lease() : nullptr;
  lap_.needed = stage_.search->timed();
  lap_.invalid = false;
  lap_.measured_s = 0.0;
}

bool Timer::has_winner() const noexcept {
  return decided_ || (stage_.search != nullptr && !stage_.combinations.by_coordinate() && stage_.search->has_winner());
}

int Timer::winner_of(const Part& part) const noexcept {
  const auto found = std::ranges::find(coordinates_, &part);
  if (decided_ || !has_winner() || found == coordinates_.end()) {
    return part.current();
  }
  const auto& choice = stage_.combinations.choices()[static_cast<std::size_t>(stage_.search->winner())];
  return choice[static_cast<std::size_t>(found - coordinates_.begin())];
}

void Timer::start() {
  require(committed_, Code::state, "the timer's requests have changed; call ADCL_Timer_commit first");
  require_stopped();
  if (stage_.search == nullptr) {
    renew();  // each start before stop() consults its part, which records the use
  } else if (lap_.times == 0) {
    next();
  }
  if (lap_.needed && lap_.times == 0) {
    mpi::check(MPI_Barrier(context_->comm()), "MPI_Barrier");
  }
  running_ = true;
  lap_.preparation_s = 0.0;
  lap_.begin_s = lap_.needed ? measure::now() : 0.0;
}

void Timer::stop() {
  require(running_, Code::state, "the timer is not running; call ADCL_Timer_start first");
  running_ = false;
  if (stage_.search == nullptr) {
    find_parts();
    return;
  }
  const bool last = ++lap_.times == settings_->timer_interval;
  if (lap_.needed) {
    if (last) {
      mpi::check(MPI_Barrier(context_->comm()), "MPI_Barrier");
    }
    lap_.measured_s += std::max(0.0, measure::now() - lap_.begin_s - lap_.preparation_s);
    stage_.search->add_preparation(lap_.preparation_s);
  }
  if (last) {
    lap_.times = 0;
    if (lap_.needed && !lap_.invalid) {
      stage_.search->record_time(lap_.ticket, lap_.measured_s / settings_->timer_interval, 0);
    }
  }
}

/// The application replaces the time of the last measurement.
// NOLINTNEXTLINE(readability-make-member-function-const): it changes the search
void Timer::amend(double seconds) {
  if (stage_.search != nullptr && !running_ && lap_.times == 0 && lap_.needed && !lap_.invalid) {
    stage_.search->amend(lap_.ticket, seconds, 0);
  }
}

void Timer::drop(Part& part, int candidate, const std::string& reason) {
  const auto found = std::ranges::find(coordinates_, &part);
  const auto c = static_cast<std::size_t>(found - coordinates_.begin());
  const bool varies = found != coordinates_.end() && stage_.combinations.varies(c);
  if (stage_.search != nullptr && varies && !decided_) {
    const auto& choices = stage_.combinations.choices();
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const auto combination = from_index<ModeCandidate>(i);
      if (choices[i][c] == candidate && !stage_.dropped[i] && !stage_.search->is_last(combination)) {
        stage_.dropped[i] = true;
        stage_.search->drop(combination, reason, 0);
      }
    }
    lap_.ticket = stage_.search->next_after_drop();
    apply(lap_.ticket.candidate);
  }
  lap_.invalid = true;
  for (int other = 0; other < part.size() && !part.failure(part.current()).empty(); ++other) {
    if (part.failure(other).empty()) {
      part.choose(other);
    }
  }
}

void Timer::reopen(const std::string& reason) {
  if (!decided_ || stage_.search == nullptr) {
    return;
  }
  decided_ = false;
  stage_.lease.reset();
  lap_.times = 0;
  lap_.needed = false;
  lap_.invalid = true;
  renew();
  if (stage_.combinations.by_coordinate()) {
    begin_search();
  } else {
    stage_.search->reopen(reason);
  }
}

void Timer::require_idle() const {
  require_stopped();
  for (const auto& request : requests_) {
    request->require_idle();
  }
}

void Timer::report() const {
  if (stage_.search != nullptr) {
    stage_.search->report();
  }
}

void Timer::release() {
  require_idle();
  const bool keeps = has_winner();
  if (keeps && !decided_) {
    apply(static_cast<int>(stage_.search->winner()));
    decided_ = true;
    ++decisions_;
  }
  stage_.search.reset();
  lap_.needed = false;
  for (const auto& request : requests_) {
    if (keeps) {
      request->clear_owner();
    } else if (request->other_owner(nullptr) == this) {
      request->set_deciders(nullptr);
    }
  }
  requests_.clear();
  removed_.clear();
  committed_ = false;
}

}  // namespace adcl::runtime
