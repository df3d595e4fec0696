#include "tuner/problem_history.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <type_traits>

#include "core/elementary.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/nearest.hpp"
#include "history/deferred.hpp"
#include "measure/stopwatch.hpp"
#include "mpi/agreement.hpp"
#include "output/report.hpp"
#include "select/guided.hpp"
#include "select/verification.hpp"

namespace adcl::runtime {
namespace {

using Near = ConcurrentSearches::Near;

/// Upper bound of the relative time that is stored for a candidate excluded by advice.
constexpr double max_stored_relative_time = 16.0;
/// Maximum number of running similar searches with which a new search exchanges measurements.
constexpr std::size_t max_near = 4;
/// Time for reading entries of similar problems from a deferred history, at each search.
constexpr double max_reading_s = 1e-3;

/// Reports \p trouble if it is not empty and was not reported before.
void report_once(const Settings& settings, const std::string& trouble) {
  static std::mutex mutex;
  static std::set<std::string> reported;
  const std::scoped_lock lock(mutex);
  if (!trouble.empty() && reported.insert(trouble).second) {
    report_line(settings.values.word("ADCL_REPORT"), "ADCL_HISTORY: " + trouble);
  }
}

Prior prior_of(const history::Decision& decision, const std::vector<select::Candidate>& candidates) {
  Prior prior;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto known = std::ranges::find(decision.estimates, candidates[i].name, &history::Estimate::codelet);
    prior.known.push_back(known != decision.estimates.end() ? select::as_prior({known->numbers, known->judged_s, ""})
                                                            : measure::Numbers{});
    if (candidates[i].name == decision.winner) {
      prior.winner = from_index<Candidate>(i);
    }
  }
  return prior;
}

/// Logarithm of the estimated time of an untried candidate divided by its expected time, both relative to the winner; 0
/// if an estimate or an expectation is missing.
double correction(const select::Subject& subject, const select::Search& search, int winner, std::size_t candidate,
                  double winner_s) {
  const double estimated = search.estimated_log_time(static_cast<int>(candidate)) - logarithm(winner_s);
  const double expected = subject.candidates[candidate].expected.log_time -
                          subject.candidates.at(static_cast<std::size_t>(winner)).expected.log_time;
  return std::isfinite(estimated - expected) ? estimated - expected : 0.0;
}

history::Decision decision_of(const Settings& settings, const select::Subject& subject, const select::Search& search,
                              const select::Verdict& verdict) {
  const auto& knowledge = search.knowledge();
  const auto* const guided = dynamic_cast<const select::Guided*>(&search);
  history::Decision decision;
  decision.winner = subject.candidates[static_cast<std::size_t>(verdict.winner)].name;
  decision.winner_s = knowledge[static_cast<std::size_t>(verdict.winner)].judged_s;
  decision.reason = verdict.reason;
  decision.search = settings.search;
  decision.outliers = settings.outliers;
  for (std::size_t i = 0; i < knowledge.size(); ++i) {
    const std::string& name = subject.candidates[i].name;
    const double left_out =
        guided != nullptr ? guided->excluded_ratio(static_cast<int>(i)) : std::numeric_limits<double>::quiet_NaN();
    if (knowledge[i].numbers.measurements >= 1.0) {
      decision.estimates.push_back({name, knowledge[i].numbers, knowledge[i].judged_s});
    } else if (!std::isnan(left_out)) {
      decision.expected[name] = std::min(left_out, max_stored_relative_time);
    } else if (knowledge[i].removed.empty() || knowledge[i].removed == select::not_tried) {
      decision.untried[name] = correction(subject, search, verdict.winner, i, decision.winner_s);
    }
  }
  decision.decided = history::now_utc();
  decision.version = ADCL_VERSION_TEXT;
  return decision;
}

/// The search to wait for: the nearest running search, or else the nearest waiting search; null: none.
std::shared_ptr<const ConcurrentSearch> search_to_await(std::span<const Near> similar) {
  for (const bool waits : {false, true}) {
    const auto found = std::ranges::find_if(
        similar, [waits](const Near& near) { return !near.first->finished && near.first->waits == waits; });
    if (found != similar.end()) {
      return found->first;
    }
  }
  return nullptr;
}

/// Returns rank 0's advice on all ranks, as an equal number of values on each: the number of the awaited search, or 0;
/// whether there are relative times; numbers and distances of the near searches; relative times; corrections.
Advice broadcast(mpi::Context& context, const Advice& own, std::size_t candidates) {
  constexpr std::size_t head = 2 + 2 * max_near;
  std::vector<double> values(head + 2 * candidates, 0.0);
  values[0] = own.awaited != nullptr ? static_cast<double>(own.awaited->number) : 0.0;
  values[1] = own.relative.empty() ? 0.0 : 1.0;
  for (std::size_t i = 0; i < own.near.size(); ++i) {
    values[2 + 2 * i] = static_cast<double>(own.near[i].first->number);
    values[3 + 2 * i] = own.near[i].second;
  }
  const auto relative = values.begin() + head;
  const auto corrections = relative + static_cast<std::ptrdiff_t>(candidates);
  std::ranges::copy(own.relative, relative);
  std::ranges::copy(own.corrections, corrections);
  mpi::broadcast(context, std::as_writable_bytes(std::span(values)));

  const auto searches = context.state<ConcurrentSearches>().all();
  const auto numbered = [&](double number) {
    const auto found =
        std::ranges::find(searches, static_cast<std::int64_t>(number), [](const auto& one) { return one->number; });
    return found != searches.end() ? *found : nullptr;
  };
  Advice advice;
  if (values[1] == 1.0) {
    advice.relative.assign(relative, corrections);
    advice.corrections.assign(corrections, values.end());
  }
  advice.awaited = numbered(values[0]);
  for (std::size_t i = 0; i < max_near; ++i) {
    if (auto search = numbered(values[2 + 2 * i])) {
      advice.near.emplace_back(std::move(search), values[3 + 2 * i]);
    }
  }
  return advice;
}

/// The mode whose results apply if a mode has none: the codelets are the same, but the program's arrays may change.
Mode counterpart(Mode mode) {
  constexpr std::array<Mode, all_mode_count> counterparts = {Mode::blocking_with, Mode::split_with, Mode::functions,
                                                             Mode::blocking,      Mode::split,      Mode::timed};
  return counterparts.at(index_of(mode));
}

std::string times(std::int64_t count) { return text(count, count == 1 ? " time" : " times"); }

}  // namespace

std::uint64_t hash_of(const Features& features) {
  Hash hash;
  for (const Feature& feature : features) {
    hash.add(feature.name);
    if (const auto* const word = std::get_if<std::string>(&feature.value)) {
      hash.add(*word);
    } else {
      hash.add(std::bit_cast<std::uint64_t>(std::get<double>(feature.value)));
    }
  }
  return std::max<std::uint64_t>(hash.value(), 1);
}

Features common_features(mpi::Context& context, Features own, bool alike) {
  if (alike) {
    return own;
  }
  std::vector<std::byte> bytes;
  if (context.rank() == 0) {
    history::Entry entry;
    entry.features = std::move(own);
    const std::string text = history::to_text(entry);
    bytes.resize(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
  }
  bytes = mpi::broadcast(context, std::move(bytes));
  return history::from_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).features;
}

std::shared_ptr<ProblemHistory> ProblemHistory::of(mpi::Context& context, std::shared_ptr<const Settings> settings,
                                                   const select::Subject& subject, Features features,
                                                   std::uint64_t signatures, history::Similarity similarity,
                                                   bool keeps_in_memory) {
  const std::string& where = settings->values.word("ADCL_HISTORY");
  const bool in_memory = where == "memory";
  if (where == "off" || (in_memory && !keeps_in_memory)) {
    return nullptr;
  }
  std::shared_ptr<ProblemHistory> made(new ProblemHistory(std::move(settings), std::move(similarity)));
  if (in_memory) {
    auto& memory = context.state<std::shared_ptr<history::Memory>>();
    memory = memory != nullptr ? memory : std::make_shared<history::Memory>();
    made->memory_ = memory;
  }
  made->stores_ = in_memory || context.rank() == 0;
  if (made->stores_) {
    // The other ranks are about to enter the broadcast: if anything fails here, continue without results.
    const auto failure = mpi::error_of([&] { made->read(subject, std::move(features), signatures); });
    if (failure.has_value()) {
      made->priors_ = {};
      report_once(*made->settings_, failure->what());
    }
  }
  if (!in_memory) {
    made->share_priors(context, subject.candidates.size());
  }
  return made;
}

/// Modes have separate keys if an option gives them different candidates, or if they measure different times.
std::string ProblemHistory::key(Mode mode, bool intervals) const {
  const bool split = mode == Mode::split || mode == Mode::split_with;
  return text(mode_name(mode), split && settings_->overlap_blocking ? ", blocking ones too" : "",
              intervals ? ", from start to start" : "");
}

std::string ProblemHistory::location(const std::string& file) const {
  return in_memory() ? "earlier in this run" : folder() + "/" + file;
}

history::Found ProblemHistory::find_entry() const {
  if (in_memory()) {
    return {memory_->find(entry_.identity, settings_->decision_hash), ""};
  }
  return settings_->deferred_history != nullptr ? settings_->deferred_history->find(entry_.identity)
                                                : history::find(folder(), entry_.identity);
}

std::vector<history::EntryPtr> ProblemHistory::known_entries(const std::string& function_set) const {
  if (in_memory()) {
    return memory_->all_of(function_set, settings_->decision_hash);
  }
  if (settings_->deferred_history == nullptr) {
    return history::all_of(folder(), function_set);
  }
  const double end_s = measure::now() + max_reading_s;
  return settings_->deferred_history->all_of(function_set, [end_s] { return measure::now() < end_s; });
}

const history::Decision* ProblemHistory::known_decision(Mode mode) const {
  for (const Mode one : {mode, counterpart(mode)}) {
    const auto decision = entry_.decisions.find(key(one));
    if (decision != entry_.decisions.end()) {
      return &decision->second;
    }
  }
  return nullptr;
}

void ProblemHistory::read(const select::Subject& subject, Features features, std::uint64_t signatures) {
  entry_.identity = {subject.function_set, signatures, history::processor(), settings_->timing == Timing::barrier,
                     names_of(subject.candidates)};
  entry_.problem = subject.problem;
  entry_.features = std::move(features);
  auto known = find_entry();
  report_once(*settings_, known.trouble);
  if (!known.entry.has_value()) {
    return;
  }
  entry_.decisions = std::move(known.entry->decisions);
  for (std::size_t m = 0; m < all_mode_count; ++m) {
    if (const auto* const decision = known_decision(static_cast<Mode>(m))) {
      priors_.at(m) = prior_of(*decision, subject.candidates);
    }
  }
}

/// Broadcasts the priors that rank 0 has read: first the winners, then the numbers of each mode with a winner.
void ProblemHistory::share_priors(mpi::Context& context, std::size_t candidates) {
  static_assert(std::is_trivially_copyable_v<measure::Numbers>);
  std::array<Candidate, all_mode_count> winners{};
  std::ranges::transform(priors_, winners.begin(),
                         [](const auto& prior) { return prior.has_value() ? prior->winner : no_candidate; });
  mpi::broadcast(context, std::as_writable_bytes(std::span(winners)));
  for (std::size_t m = 0; m < all_mode_count; ++m) {
    auto& prior = priors_.at(m);
    if (winners.at(m) == no_candidate) {
      prior.reset();
      continue;
    }
    auto known = prior.has_value() ? std::move(prior->known) : std::vector<measure::Numbers>(candidates);
    mpi::broadcast(context, std::as_writable_bytes(std::span(known)));
    prior = Prior{winners.at(m), std::move(known)};
  }
}

/// Returns similar searches that began before \p own, the nearest first. Requires stores_.
std::vector<Near> ProblemHistory::similar_searches(mpi::Context& context, Mode mode,
                                                   const ConcurrentSearch* own) const {
  std::vector<Near> found;
  for (auto& search : context.state<ConcurrentSearches>().all()) {
    if (search->key != key(mode) || (own != nullptr && search->number >= own->number)) {
      continue;
    }
    const double distance = history::distance(entry_, search->problem, similarity_);
    if (distance <= history::similarity_limit) {
      found.emplace_back(std::move(search), distance);
    }
  }
  std::ranges::stable_sort(found, {}, &Near::second);
  return found;
}

/// Requires stores_.
Advice ProblemHistory::find_advice(mpi::Context& context, Mode mode, const select::Subject& subject,
                                   const ConcurrentSearch* own) {
  Advice advice;
  advice.near = similar_searches(context, mode, own);
  const auto stored = known_entries(subject.function_set);
  history::Advice found;
  for (const Mode one : {mode, counterpart(mode)}) {
    if (found.relative.empty()) {
      found = history::advice_for(entry_, key(one), names_of(subject.candidates), stored, similarity_);
    }
  }
  if (found.relative.empty()) {
    advice.awaited = search_to_await(advice.near);
  } else {
    advice.relative = std::move(found.relative);
    advice.corrections = std::move(found.corrections);
    advice_sources_.at(index_of(mode)) = text("uses results of similar problems, the nearest at ", found.distance,
                                              " times the maximum distance; ", location(found.source));
  }
  advice.near.resize(std::min(advice.near.size(), max_near));
  return advice;
}

Advice ProblemHistory::advice(mpi::Context& context, Mode mode, const select::Subject& subject,
                              const ConcurrentSearch* own) {
  Advice advice;
  if (stores_ && (!in_memory() || similarity_ == nullptr)) {
    // The other ranks are about to enter the broadcast: if anything fails here, continue without advice.
    const auto failure = mpi::error_of([&] { advice = find_advice(context, mode, subject, own); });
    if (failure.has_value()) {
      report_once(*settings_, failure->what());
    }
  }
  return in_memory() ? advice : broadcast(context, advice, subject.candidates.size());
}

std::shared_ptr<ConcurrentSearch> ProblemHistory::begin_search(mpi::Context& context, Mode mode,
                                                               std::span<const Near> near) const {
  return context.state<ConcurrentSearches>().begin(key(mode), entry_, near);
}

bool ProblemHistory::set_peer_count(Mode mode, std::ptrdiff_t peers) {
  std::string& source = advice_sources_.at(index_of(mode));
  const std::string before =
      std::exchange(source, text("uses measurements of ", peers, peers == 1 ? " similar problem" : " similar problems",
                                 " that this run searches at the same time"));
  return source != before;
}

void ProblemHistory::store(Mode mode, bool intervals, const select::Subject& subject, const select::Search& search,
                           history::Outcome outcome) {
  const auto& verdict = select::standing(search);
  if (!stores_ || !verdict.has_value() ||
      search.knowledge()[static_cast<std::size_t>(verdict->winner)].numbers.measurements < 1.0) {
    return;
  }
  const auto decision = decision_of(*settings_, subject, search, *verdict);
  if (in_memory()) {
    memory_->add(entry_, settings_->decision_hash, key(mode, intervals), decision, outcome);
  } else if (settings_->deferred_history != nullptr) {
    settings_->deferred_history->add(entry_, key(mode, intervals), decision, outcome);
  } else {
    report_once(*settings_, history::add(folder(), entry_, key(mode, intervals), decision, outcome));
  }
}

void ProblemHistory::overrule(Mode mode, const std::string& codelet, double seconds, const std::string& reason) {
  const auto& candidates = entry_.identity.candidates;
  if (!stores_ || settings_->deferred_history == nullptr ||
      std::ranges::find(candidates, codelet) == candidates.end()) {
    return;
  }
  const auto known = settings_->deferred_history->find(entry_.identity).entry;
  if (!known.has_value() || !known->decisions.contains(key(mode))) {
    return;
  }
  history::Decision decision = known->decisions.at(key(mode));
  if (std::ranges::find(decision.estimates, codelet, &history::Estimate::codelet) == decision.estimates.end()) {
    decision.estimates.push_back({codelet, {seconds, seconds, 0.0, 1.0, 0.0}, seconds});
  }
  decision.expected.erase(codelet);
  decision.untried.erase(codelet);
  decision.winner = codelet;
  decision.winner_s = seconds;
  decision.reason = reason;
  decision.decided = history::now_utc();
  settings_->deferred_history->add(entry_, key(mode), decision, history::Outcome::refined);
}

std::string ProblemHistory::source(Mode mode) const {
  const history::Decision* const decision = known_decision(mode);
  if (prior(mode) == nullptr || decision == nullptr) {
    return advice_sources_.at(index_of(mode));
  }
  const history::Decision& known = *decision;
  return text(known.winner, " won on ", known.decided, "; searched ", times(known.decisions), " and confirmed ",
              times(known.confirmations), " so far; ", location(entry_.identity.word() + ".json"));
}

}  // namespace adcl::runtime
